"""What ``client add`` and ``remove`` do to a client's file, as a value: planned, tried, written.

A plan comes from the file's content and what is wanted, and nothing else. A file that cannot be
parsed is never changed, and an existing entry keeps what the user added to it.
"""

from __future__ import annotations

from typing import Any, Collection, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple

from unity_bridge.base.frozen import changed, frozen, made_by
from unity_bridge.base.result import Err, Ok, Result
from unity_bridge.installation.client_configs import ClientConfig, Content
from unity_bridge.installation.clients.client import Client, Launch, StartsIn
from unity_bridge.installation.command_line import quoted
from unity_bridge.installation.entries import ANY_PORT, ClientEntry, NewEntry, renewed
from unity_bridge.installation.file_edit import FileEdit
from unity_bridge.installation.file_format import at
from unity_bridge.installation.remote_command import unsafe_option
from unity_bridge.text.foreign_text import quoted as quoted_text

# Keys of an entry for a remote server. Some clients prefer them to a command.
_REMOTE = ("url", "serverUrl", "httpUrl", "headers")


class Wanted(NamedTuple):
    """An entry's name and what it is to start. ``here``: the working directory's Unity project."""

    name: str
    new: NewEntry
    here: Optional[str] = None


@frozen
class EntryPlan:
    """The change of one client's file.

    ``verb``: what the file's name completes to what was done. ``unchanged``: what is said if there
    is nothing to do. ``launch``: what the entry starts afterwards. ``sentences``: what changes in
    an entry that was there. ``kept``: the variables that stay in it. ``refusal``: why the file is
    left as it is; ``is_file_at_fault``: by its content, so that a user may write the entry by hand.
    ``line``: what was done, once it is.
    """

    config: ClientConfig
    edit: FileEdit
    verb: str
    unchanged: str
    launch: Launch = Launch("", ())
    sentences: Sequence[str] = ()
    kept: Mapping[str, str] = made_by(dict)
    is_elsewhere: bool = False
    refusal: Optional[str] = None
    is_file_at_fault: bool = False
    line: str = ""

    def written(self, is_dry: bool) -> EntryPlan:
        """Write the file, and return the plan with its ``line``, or refused. ``is_dry``: only show the change."""
        if self.refusal is not None:
            return self
        if not self.edit.changes:
            return changed(self, line=self.unchanged)
        if is_dry:
            return changed(self, line=self.edit.diff().rstrip("\n"))
        outcome = self.edit.carried_out(self.verb)
        if isinstance(outcome, Err):
            return changed(self, refusal=f"{outcome.error}.")
        return changed(self, line=f"{outcome.value}.")


def plan_addition(config: ClientConfig, request: Wanted, content: Content) -> EntryPlan:
    """Plan the change after which the client starts ``request`` under its name."""
    name = request.name
    path = (*config.client.table_in(content.data), name)
    members = at(content.data, path)
    old = _entry(config.client, name, members)
    placed = _with_project(config, old, request)
    plan = EntryPlan(
        config,
        _edit(config, content.text, content.text or ""),
        f"Wrote {name} to",
        f"{name} is configured in {config.path} already.",
        request.new.launch,
    )
    if isinstance(placed, Err):
        return changed(plan, refusal=placed.error)
    launch, sentences, dropped = renewed(old, placed.value)
    plan = changed(plan, launch=launch, is_elsewhere=placed.value.is_elsewhere)
    if content.fault is not None:
        return _refused(plan, content.fault)
    unsafe = _why_unsafe(launch, placed.value)
    if unsafe is not None:
        return changed(plan, refusal=f"{unsafe}. {config.path} was left as it is.")
    if not isinstance(members, dict):
        members = {}
    remote = [key for key in _REMOTE if key in members]
    gone = [(key,) for key in remote] + _variable_paths(config.client, members, dropped)
    edited = _with_entry(config.client, content.text or "", path, launch, members, gone)
    if isinstance(edited, Err):
        return _refused(plan, edited.error)
    sentences += [f"Its {key} is no longer in it: {members[key]}" for key in remote]
    return changed(
        plan,
        edit=_edit(config, content.text, edited.value),
        sentences=sentences,
        kept=_kept(old, {*launch.environ, *dropped}),
    )


def plan_removal(config: ClientConfig, name: str, content: Content) -> EntryPlan:
    """Plan the removal of our entries with this name. Another program's entry stays."""
    after, sentences = content.text or "", []
    plan = EntryPlan(
        config,
        _edit(config, content.text, after),
        f"Removed {name} from",
        f"There is no {name} in {config.path}.",
    )
    if content.fault is not None:
        return _refused(plan, content.fault)
    for table in config.client.tables:
        members = at(content.data, (*table, name))
        entry = _entry(config.client, name, members)
        if entry is not None and entry.is_ours:
            edited = config.client.form.without(after, (*table, name))
            if isinstance(edited, Err):
                return _refused(plan, edited.error)
            after = edited.value
        elif members is not None:
            starts = "starts no program"
            if entry is not None:
                starts = f"starts {quoted_text(quoted(entry.words))}"
            begin = f"{name} in {config.path} {starts}"
            sentences.append(f"{begin}, which is not unity-bridge: it stays.")
    return changed(plan, edit=_edit(config, content.text, after), sentences=sentences)


def _with_project(
    config: ClientConfig,
    old: Optional[ClientEntry],
    request: Wanted,
) -> Result[NewEntry, str]:
    """Return the new entry with the working directory's project, if the client would start the
    server elsewhere (SPEC §19.4). A project or a port that the file's entry has already stays."""
    new = request.new
    if config.starts_in is StartsIn.PROJECT or new.is_elsewhere or new.project is not None:
        return Ok(new)
    keeps_port = old is not None and old.port is not None and new.port != ANY_PORT
    if old is not None and old.is_ours and (old.project is not None or keeps_port):
        return Ok(new)
    if request.here is not None:
        return Ok(new._replace(project=request.here))
    if new.port:
        return Ok(new)
    return Err(
        f"{config.client.title} starts servers {config.starts_in.value}, so the entry has to name "
        "the project: add --project PATH, or run this in the project's folder."
    )


def _why_unsafe(launch: Launch, new: NewEntry) -> Optional[str]:
    """Why a shell on the way would change the entry's options; None if it does not."""
    if not new.is_elsewhere:
        return None
    unsafe = unsafe_option(new.program, launch.words[len(new.program) :])
    if unsafe is None:
        return None
    slashes = ""
    if "\\" in unsafe:
        slashes = ", and slashes in a path of Windows"
    return (
        f"{quoted(launch.words)}: the far side's shell would read '{quoted_text(unsafe)}'; use "
        f"letters, digits and _./:=@+- only{slashes}"
    )


def snippet(client: Client, name: str, launch: Launch) -> str:
    """Return what an otherwise empty file of the client has to hold to start the server."""
    text = _with_entry(client, "", (*client.table, name), launch, {}, ())
    assert isinstance(text, Ok), text
    return text.value


def _entry(client: Client, name: str, members: Any) -> Optional[ClientEntry]:
    launch = client.launch_of(members)
    if launch is None:
        return None
    return ClientEntry(name, launch)


def _kept(old: Optional[ClientEntry], gone: Collection[str]) -> Dict[str, str]:
    if old is None:
        return {}
    return {name: value for name, value in old.launch.environ.items() if name not in gone}


def _with_entry(
    client: Client,
    text: str,
    path: Tuple[str, ...],
    launch: Launch,
    old: Mapping[str, Any],
    gone: Sequence[Tuple[str, ...]],
) -> Result[str, str]:
    """``old``: the entry's members until now. ``gone``: the places in it of those that go."""
    members = client.entry(launch)
    if path[:-1] == client.table:
        preferences = client.preferences.items()
        members.update((key, value) for key, value in preferences if key not in old)
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


def _variable_paths(
    client: Client,
    old: Mapping[str, Any],
    names: Sequence[str],
) -> List[Tuple[str, ...]]:
    """Return the places of these variables in an entry; of their table, if it has no other."""
    key = client.environment_key
    if names and set(old.get(key, ())) == set(names):
        return [(key,)]
    return [(key, name) for name in names]


def _refused(plan: EntryPlan, error: str) -> EntryPlan:
    refusal = f"{plan.config.path} {error}. It was left as it is."
    return changed(plan, refusal=refusal, is_file_at_fault=True)


def _edit(config: ClientConfig, before: Optional[str], after: str) -> FileEdit:
    # The user's own files may hold tokens; clients create them with the same rights.
    is_private = config.project is None
    return FileEdit(config.path, before, after, within=config.project, is_private=is_private)
