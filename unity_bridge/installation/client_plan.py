"""What ``client add`` and ``client remove`` do to a client's file, as a value: planned, then tried, then written.

A plan comes from the file's content and what is wanted, and nothing else. A file that cannot be parsed is never
changed, and an existing entry keeps what the user added to it.
"""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple

from unity_bridge.base.frozen import frozen, made_by
from unity_bridge.base.result import Err, Ok, Result
from unity_bridge.installation.border import unsafe_option
from unity_bridge.installation.client_configs import ClientConfig, Content
from unity_bridge.installation.clients.client import Client, Launch, StartsIn
from unity_bridge.installation.command_line import quoted
from unity_bridge.installation.entries import ANY_PORT, ClientEntry, NewEntry, renewed
from unity_bridge.installation.file_edit import FileEdit
from unity_bridge.installation.notation import at
from unity_bridge.text.foreign_text import quoted as quoted_text

# Keys of an entry for a remote server. Some clients prefer them to a command.
_REMOTE = ("url", "serverUrl", "httpUrl", "headers")


class Wanted(NamedTuple):
    """An entry's name and what it is to start. ``here``: the Unity project of the working directory, if any."""

    name: str
    new: NewEntry
    here: Optional[str] = None


@frozen
class EntryPlan:
    """The change of one client's file. Nothing was done yet.

    ``launch``: what the entry starts afterwards. ``sentences``: what changes in an entry that was there. ``kept``: the
    variables that stay in it. ``refusal``: why the file is left as it is; ``is_file_at_fault``: by its content, so that
    a user may write the entry by hand. ``before``: the file's text that the plan is for. ``line``: what was done, once
    it is.
    """

    config: ClientConfig
    before: Optional[str]
    edit: FileEdit
    launch: Launch
    sentences: Sequence[str] = ()
    kept: Mapping[str, str] = made_by(dict)
    is_elsewhere: bool = False
    refusal: Optional[str] = None
    is_file_at_fault: bool = False
    line: str = ""

    @property
    def path(self) -> str:
        return str(self.config.path)


def plan_addition(config: ClientConfig, content: Result[Content, str], wanted: Wanted) -> EntryPlan:
    """Plan the change after which the client starts ``wanted`` under its name."""
    if isinstance(content, Err):
        placed = with_project(config, None, wanted)
        launch = wanted.new.launch if isinstance(placed, Err) else placed.value.launch
        return _refused(config, launch, content.error)
    path = (*config.client.table_in(content.value.data), wanted.name)
    raw = at(content.value.data, path)
    before = config.client.launch_of(raw)
    old = None if before is None else ClientEntry(wanted.name, before)
    placed = with_project(config, old, wanted)
    if isinstance(placed, Err):
        return EntryPlan(config, content.value.text, _no_edit(config), wanted.new.launch, refusal=placed.error)
    renewal = renewed(old, placed.value)
    unsafe = why_unsafe(renewal.launch, placed.value)
    if unsafe is not None:
        refusal = f"{quoted(renewal.launch.words)}: {unsafe}. {config.path} was left as it is."
        return EntryPlan(config, content.value.text, _no_edit(config), renewal.launch, refusal=refusal)
    members: Dict[str, Any] = raw if isinstance(raw, dict) else {}
    remote = [key for key in _REMOTE if key in members]
    gone = [(key,) for key in remote] + _variable_paths(config.client, members, renewal.dropped)
    text = _with_entry(config.client, content.value.text or "", path, renewal.launch, members, gone)
    if isinstance(text, Err):
        return _refused(config, renewal.launch, text.error)
    removed = {*renewal.launch.environ, *renewal.dropped}
    return EntryPlan(
        config,
        content.value.text,
        _edit(config, content.value.text, text.value),
        renewal.launch,
        [*renewal.sentences, *(f"Its {key} is no longer in it: {members[key]}" for key in remote)],
        {name: value for name, value in (before.environ if before else {}).items() if name not in removed},
        placed.value.is_elsewhere,
    )


def plan_removal(config: ClientConfig, content: Result[Content, str], name: str) -> EntryPlan:
    """Plan the change after which the file has no entry of ours with this name. Another program's entry stays."""
    nothing = Launch("", ())
    if isinstance(content, Err):
        return _refused(config, nothing, content.error)
    text = content.value.text or ""
    sentences: List[str] = []
    for table in config.client.tables:
        raw = at(content.value.data, (*table, name))
        launch = config.client.launch_of(raw)
        if launch is not None and ClientEntry(name, launch).is_ours:
            edited = config.client.form.without(text, (*table, name))
            if isinstance(edited, Err):
                return _refused(config, launch, edited.error)
            text = edited.value
        elif raw is not None:
            starts = "starts no program" if launch is None else f"starts {quoted_text(quoted(launch.words))}"
            sentences.append(f"{name} in {config.path} {starts}, which is not unity-bridge: it stays.")
    return EntryPlan(config, content.value.text, _edit(config, content.value.text, text), nothing, sentences)


def with_project(config: ClientConfig, old: Optional[ClientEntry], wanted: Wanted) -> Result[NewEntry, str]:
    """Return the new entry with the working directory's project, if the client would start the server elsewhere
    (SPEC §19.4). A project or a port that the entry in the file has already stays."""
    new = wanted.new
    if config.starts_in is StartsIn.PROJECT or new.is_elsewhere or new.project is not None:
        return Ok(new)
    keeps_port = old is not None and old.port is not None and new.port != ANY_PORT
    if old is not None and old.is_ours and (old.project is not None or keeps_port):
        return Ok(new)
    if wanted.here is None and not new.port:
        return Err(
            f"{config.client.title} starts servers {config.starts_in.value}, so the entry has to name the project: add "
            "--project PATH, or run this in the project's folder."
        )
    return Ok(new if wanted.here is None else new._replace(project=wanted.here))


def why_unsafe(launch: Launch, new: NewEntry) -> Optional[str]:
    """Why a shell on the way would change the entry's options; None if it does not."""
    if not new.is_elsewhere:
        return None
    unsafe = unsafe_option(new.program, launch.words[len(new.program) :])
    if unsafe is None:
        return None
    slashes = ", and slashes in a path of Windows" if "\\" in unsafe else ""
    return f"the far side's shell would read '{quoted_text(unsafe)}'; use letters, digits and _./:=@+- only{slashes}"


def snippet(client: Client, name: str, launch: Launch) -> str:
    """Return the part of the client's file that starts the server, as it would be in an otherwise empty file."""
    text = _with_entry(client, "", (*client.table, name), launch, {}, ())
    assert isinstance(text, Ok), text
    return text.value


def _with_entry(
    client: Client,
    text: str,
    path: Tuple[str, ...],
    launch: Launch,
    old: Mapping[str, Any],
    gone: Sequence[Tuple[str, ...]],
) -> Result[str, str]:
    """``old``: the entry's members until now. ``gone``: the places in it of what is no longer there."""
    preferences = client.preferences if path[:-1] == client.table else {}
    members = {**client.entry(launch), **{key: value for key, value in preferences.items() if key not in old}}
    # The variables apart: their table may contain the user's own.
    variables = members.pop(client.environment_key, {})
    edited: Result[str, str] = Ok(text)
    for inside in gone:
        if isinstance(edited, Ok):
            edited = client.form.without(edited.value, (*path, *inside))
    for table, values in ((path, members), ((*path, client.environment_key), variables)):
        if isinstance(edited, Ok) and values:
            edited = client.form.with_values(edited.value, table, values)
    return edited


def _variable_paths(client: Client, old: Mapping[str, Any], names: Sequence[str]) -> List[Tuple[str, ...]]:
    """Return the places of these variables in an entry; of their table, if nothing else is in it."""
    key = client.environment_key
    is_all = bool(names) and set(old.get(key, ())) == set(names)
    return [(key,)] if is_all else [(key, name) for name in names]


def _refused(config: ClientConfig, launch: Launch, error: str) -> EntryPlan:
    refusal = f"{config.path} {error}. It was left as it is."
    return EntryPlan(config, None, _no_edit(config), launch, refusal=refusal, is_file_at_fault=True)


def _no_edit(config: ClientConfig) -> FileEdit:
    return FileEdit(config.path, "", "")


def _edit(config: ClientConfig, before: Optional[str], after: str) -> FileEdit:
    if before is None and not after:
        return _no_edit(config)
    # The user's own files may hold tokens; clients create them with the same rights.
    return FileEdit(config.path, before, after, within=config.project, is_private=config.project is None)
