"""``unity-bridge demo``: server, simulated editor and a real MCP client session, shown step by step
(SPEC §13).

There are three processes, as in real use: this one is the client, with the MCP SDK's own client. It starts the bridge
as a client would, and a simulated editor, which connects to the bridge as Unity's plugin does.
"""

from __future__ import annotations

import asyncio
import os
from tempfile import TemporaryDirectory
from typing import Any, Optional

import click
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

from unity_bridge.launch import environment
from unity_bridge.scripting.output import note, put
from unity_bridge.simulator.process import SimulatorProcess
from unity_bridge.text.json_types import JsonDict
from unity_bridge.trust.state_folder import STATE_DIR_VARIABLE

_START_S = 30.0
_ASK_AGAIN_S = 0.05
_MOST_OF_THE_LOG = 2000
_SPEED = 1.5
_SCRIPT = "Assets/Items/Stack.cs"
_MISTAKE = "The name 'remander' does not exist in the current context"


def run() -> int:
    """Play the demo on this terminal; the exit status."""
    try:
        # A secret of its own, so that the demo needs nothing of the user's home.
        scratch = TemporaryDirectory(prefix="unity-bridge-demo-")
    except OSError as error:
        raise click.ClickException(
            f"The demo cannot make a temporary folder: {error.strerror}. Set TMPDIR to a folder that you can write to."
        ) from None
    try:
        with scratch as folder:
            os.environ[STATE_DIR_VARIABLE] = folder  # the editor's process inherits it
            asyncio.run(_Story(folder).play())
    except KeyboardInterrupt:
        note("\nInterrupted. The bridge and the simulated editor have ended.")
        return 130
    return 0


class _Story:
    """The demo's steps, in order, one method each."""

    def __init__(self, state_folder: str) -> None:
        self._state_folder = state_folder
        self._log = os.path.join(state_folder, "bridge.log")
        self._steps = 0
        self._client: Client
        self._editor: SimulatorProcess

    async def play(self) -> None:
        put(
            "This is an MCP client, unity-bridge, and a simulated Unity Editor. No Unity is needed."
        )
        program, *words = environment.isolated()
        command = StdioServerParameters(
            command=program,
            args=[*words, "--port", "0"],
            # In a Unity project it would be for that project's editor, and this one pretends to
            # have another open.
            cwd=os.path.abspath(os.sep),
            # Asked more often than usual, so that the progress can be watched.
            env={
                "PYTHONPATH": environment.module_path(),
                "UNITY_BRIDGE_JOB_POLL_INTERVAL_MS": "250",
                # The SDK's client passes no variable of ours on.
                STATE_DIR_VARIABLE: self._state_folder,
            },
        )
        self._step("The client starts the bridge, as its configuration says.")
        _say(">", "unity-bridge --port 0        (0: any free port; normally it is 8091)")
        with open(self._log, "w", encoding="utf-8") as errlog:
            async with Client(stdio_client(command, errlog=errlog)) as self._client:
                failure = await self._steps_in_order()
        if failure is not None:
            raise failure
        put("")
        put("Done: the client closed its end, and the bridge and the editor have ended.")
        put("Next: connect your own client and your own Unity project, as README.md shows.")

    async def _steps_in_order(self) -> Optional[click.ClickException]:
        """Return what went wrong: raised in here, it would become a traceback of the SDK's task
        group.
        """
        try:
            await self._greeting()
            port = await self._port()
            await self._without_unity(port)
            with SimulatorProcess(port, speed=_SPEED) as self._editor:
                await self._editor_connects()
                test = await self._tests_across_a_reload()
                await self._edit_with_a_mistake()
                await self._fix_and_test(test)
                await self._play()
                await self._command()
                await self._make()
                await self._cancel()
                self._reckoning()
        except click.ClickException as failed:
            return failed
        except TimeoutError as late:
            return click.ClickException(
                f"The demo stopped, because a step did not happen in time: {late}"
            )
        return None

    async def _greeting(self) -> None:
        tools = await self._client.list_tools()
        names = ", ".join(tool.name for tool in tools.tools)
        info = self._client.server_info
        name = f"{info.name} {info.version}" if info is not None else "unity-bridge"
        _show(f"{name} is there, with {len(tools.tools)} tools: {names}")

    async def _port(self) -> int:
        """Return the port on which the bridge waits for Unity, as soon as it has one."""
        for _ in range(round(_START_S / _ASK_AGAIN_S)):
            answer = await self._client.call_tool("get_editor_state", {"detail": True})
            port = (answer.structured_content or {}).get("port")
            if port:
                return int(port)
            await asyncio.sleep(_ASK_AGAIN_S)
        with open(self._log, encoding="utf-8", errors="replace") as log:
            raise click.ClickException(
                "the bridge did not start:\n" + log.read()[-_MOST_OF_THE_LOG:]
            )

    async def _without_unity(self, port: int) -> None:
        self._step("No editor has connected yet. The bridge says so at once; it does not hang.")
        state = await self._call("get_editor_state", detail=True)
        _show(
            f"server {state['server_state']}, editor {state['editor_state']}, listening on port {port}",
        )

    async def _editor_connects(self) -> None:
        self._step("The editor starts, and its plugin connects to the bridge.")
        await self._happens("connected")
        state = await self._call("get_editor_state")
        editor = state["editor"]
        _show(
            f"editor {state['editor_state']}: {editor['project_name']}, Unity {editor['unity_version']}",
        )

    async def _tests_across_a_reload(self) -> str:
        """Run all tests across a reload, and return the test that failed."""
        self._step(
            "Run all tests, in one call. The play-mode tests reload the domain: the connection is lost and returns."
        )
        status = await self._call_across_a_reload("run_tests", _progress_printer())
        _print_run(status)
        (failed,) = status["result"]["failed_tests"]
        _say(" ", click.style(failed["name"], fg="red"))
        _say(" ", f"  {_first_line(failed['message'])}")
        _say(" ", f"  {_first_line(failed['stack_trace'])}")
        return str(failed["name"])

    async def _print_the_reload(self) -> None:
        await self._happens("disconnected")
        _say("!", click.style("the editor reloads its domain: the connection is lost", fg="yellow"))
        await self._happens("connected")
        _say("!", click.style("the editor is back, and the job continues", fg="yellow"))

    async def _edit_with_a_mistake(self) -> None:
        self._step(
            "The agent edits a script and makes a mistake. Unity, without focus, imports nothing. compile does."
        )
        await asyncio.to_thread(self._editor.break_script, _SCRIPT, _MISTAKE)
        status = await self._call("compile")
        result = status["result"]
        _show(
            f"{status['state']} after {result['duration_ms'] / 1000:.1f} s, {result['error_count']} error:",
        )
        for error in result["errors"]:
            place = f"{error['file']}({error['line']},{error['column']})"
            _say(" ", click.style(f"{place}: error {error['code']}: {error['message']}", fg="red"))

    async def _fix_and_test(self, test: str) -> None:
        self._step(
            "The agent fixes it and runs what failed before. run_tests compiles first, in the same call."
        )
        await asyncio.to_thread(self._editor.edit, _SCRIPT, test, "passed")
        status = await self._call_across_a_reload("run_tests", _progress_printer(), filter="failed")
        _print_run(status)
        is_fresh = "they ran other code"
        if status["result"]["code_fresh"]:
            is_fresh = "the tests ran what is on disk"
        _say(
            " ",
            click.style(f"code_fresh: {status['result']['code_fresh']}: {is_fresh}", fg="green"),
        )

    async def _play(self) -> None:
        self._step(
            "Play, pause, step. The answer comes when the domain has reloaded and a frame has run."
        )
        entered = await self._call_across_a_reload("play_mode", action="enter")
        _show(f"frame {entered['result']['frame']} has run, and the game runs on")
        paused = await self._call("play_mode", action="pause")
        _show(f"paused at frame {paused['result']['frame']}")
        stepped = await self._call("play_mode", action="step", frames=10)
        _show(f"paused at frame {stepped['result']['frame']}")
        await self._inspect()
        await self._call("play_mode", action="exit")
        _show("edit mode again")

    async def _inspect(self) -> None:
        page = await self._call("inspect", what="hierarchy", query="t:PlayerMovement")
        path = page["items"][0]["path"]
        _show(path)
        answer = await self._call("inspect", what="object", path=path, query="PlayerMovement.speed")
        _show(f"PlayerMovement.speed is {answer['items'][0]['value']}")

    async def _command(self) -> None:
        self._step("Run a command: a method that the project has marked as one.")
        status = await self._call(
            "run_command", name="spawn_wave", arguments={"enemy": "knight", "size": 2}
        )
        value = status["result"]["value"]
        _show(f"{status['state']}: {value['spawned']} of {value['enemy']} came")

    async def _make(self) -> None:
        self._step(
            "Make a lamp post in one batch: all of it or nothing, and one Undo step. inspect shows it."
        )
        post: JsonDict = {
            "name": "create_object",
            "arguments": {"kind": "cylinder", "name": "Post"},
            "as": "post",
        }
        lamp = {"kind": "point_light", "parent": "$post", "name": "Lamp", "position": [0, 1, 0]}
        lit = {**lamp, "values": {"Light.intensity": 2}}
        await self._call(
            "run_command",
            name="batch",
            arguments={"steps": [post, {**post, "arguments": lit, "as": "lamp"}]},
        )
        page = await self._call("inspect", what="hierarchy", path="Main/Post")
        for item in page["items"]:
            _show(f"{item['path']}: {', '.join(item['components'])}")
        saved = await self._call("run_command", name="save_scene", arguments={})
        _show(f"written: {', '.join(saved['result']['value']['written'])}")

    async def _cancel(self) -> None:
        self._step("Start the tests again without waiting for them, and cancel them.")
        job = await self._call("run_tests", mode="edit", refresh=False, wait_ms=0)
        _show(f"{job['state']}: {job['job_id']}")
        await self._happens("test_finished", job_id=job["job_id"])
        answer = await self._call("cancel_job", job_id=job["job_id"])
        _show(answer["status"])
        status = await self._call("get_job_status", job_id=job["job_id"], wait_ms=10_000)
        _show(f"{status['state']}: only Unity says when a run has really stopped")

    def _reckoning(self) -> None:
        submitted = [event["job_id"] for event in self._editor.events("submit")]
        job_ids = [event["job_id"] for event in self._editor.events("job_started")]
        self._step("The editor's own record: nothing ran twice.")
        _say(
            " ",
            f"{len(submitted)} jobs submitted, {len(job_ids)} started, {len(set(job_ids))} of them different",
        )

    async def _call_across_a_reload(
        self, tool: str, on_progress: Any = None, **arguments: Any
    ) -> JsonDict:
        watcher = asyncio.create_task(self._print_the_reload())
        # Ctrl-C ends the editor too. If nothing waited for this task, asyncio would print its
        # TimeoutError.
        watcher.add_done_callback(lambda task: task.cancelled() or task.exception())
        answer = await self._call(tool, on_progress, **arguments)
        await watcher
        return answer

    async def _call(self, tool: str, on_progress: Any = None, **arguments: Any) -> JsonDict:
        _say(">", f"{tool}({', '.join(f'{name}={value}' for name, value in arguments.items())})")
        result = await self._client.call_tool(tool, arguments, progress_callback=on_progress)
        answer: JsonDict = result.structured_content or {}
        if result.is_error:
            raise click.ClickException(f"{tool} failed: {answer['error']['message']}")
        return answer

    async def _happens(self, kind: str, **values: Any) -> None:
        await asyncio.to_thread(self._editor.wait_for, kind, _START_S, **values)

    def _step(self, text: str) -> None:
        self._steps += 1
        put("")
        put(click.style(f"{self._steps}. {text}", bold=True))


def _say(mark: str, text: str) -> None:
    put(f"   {mark} {text}")


def _show(text: str) -> None:
    _say("<", text)


def _progress_printer() -> Any:
    """Return what prints what is new: each test, and each step once, although it is reported every
    second.
    """
    printed = ""

    async def print_news(completed: float, total: Optional[float], message: Optional[str]) -> None:
        nonlocal printed
        step = (message or "").split(",")[0]
        if total:
            _show(f"{completed:.0f}/{total:.0f}  {message or ''}")
        elif step != printed:
            printed = step
            _show(step)

    return print_news


def _print_run(status: JsonDict) -> None:
    summary = status["result"]["summary"]
    counts = f"{summary['passed']} passed, {summary['failed']} failed, {summary['skipped']} skipped"
    _show(f"{status['state']}: {counts}")


def _first_line(text: Optional[str]) -> str:
    if text and text.strip():
        return (text or "").strip().splitlines()[0]
    return ""
