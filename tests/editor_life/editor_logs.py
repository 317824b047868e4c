"""Beginnings and ends of editors' logs, made of lines that were seen in public, and the states that
they show.

A line has the place where it was seen. Paths, names and numbers are made up. The order within a log is that of the
source of its decisive line; the lines around it are those that stand in most logs.
"""

from __future__ import annotations

from typing import Dict, Mapping, NamedTuple, Optional, Tuple

_GAME_CI = "https://github.com/game-ci/unity-test-runner/issues/73"
_AGONES = "https://github.com/agones-dev/agones/issues/3926"
_PORTALS = "https://github.com/SebLague/Portals/issues/11"
_UPM = "https://github.com/Unity-Technologies/ml-agents/issues/6045"
_INVALID = "https://github.com/microsoft/MSBuildForUnity/issues/143"
_GATEWAY = "https://github.com/oculus-samples/Unity-StarterSamples/issues/1"
_MANUAL_UPM = "https://docs.unity3d.com/2019.4/Documentation/Manual/upm-errors.html"
_SHADER = "https://github.com/NaClYen/blog/issues/16"
_INOTIFY = (
    "https://github.com/dotnet/vscode-csharp/issues/3284 (Mono's words, of which Unity's are)"
)
_INOTIFY_NET = (
    "https://github.com/sourcegit-scm/sourcegit/issues/411 (.NET's words, of Unity's helpers)"
)
_ILPP = "public notes on GitHub of an editor on Ubuntu 22.04 that hung at the initial refresh (/tmp/ilpp.sock)"
_ILPP_BUSY = "public notes on GitHub of a batch build under load, whose retries passed"
_ILPP_GRPC = (
    "a public build script on GitHub that looks for this line next to the one about the connection"
)
_UPM_IPC = "public notes on GitHub of batch starts with a cut PATH, with the line about the local server process next"
_INSTANCE = "https://github.com/consulo/consulo-unity3d/issues/21"
_DEVHOME = "https://github.com/microsoft/devhome/issues/1918"
_BEE = "https://github.com/game-ci/docker/issues/212"
_CRASH_WINDOWS = "https://github.com/realgamessoftware/dear-imgui-unity/issues/18"
_SYSTEM = "the words of the operating system for ENOSPC"
_FIELD = "real logs of 2022.3 and 6000.1 that a reader of logs was tried with"
_WEAVER = "https://github.com/FirstGearGames/FishNet/issues/951"
_BACKEND = "https://github.com/firebase/quickstart-unity/issues/1228"
_ANALYZER = "https://github.com/MirrorNetworking/Mirror/issues/4117 (its shape, of other tools)"
_PLAYER = "https://github.com/Neogoma/stardust-SDK/issues/65"
_OURS = "tests/projects/editor_logs/README.md"

# name -> the line, and where it was seen. {project}: the project's path.
LINES: Mapping[str, Tuple[str, str]] = {
    "built": ("Built from '2022.3/staging' branch; Version is '2022.3.10f1'", _GAME_CI),
    "arguments": ("COMMAND LINE ARGUMENTS:", _PORTALS),
    "opened": ("Successfully changed project path to: {project}", _PORTALS),
    "engine": ("Initialize engine version: 2022.3.10f1 (ff3792e53c62)", _GAME_CI),
    "resolved": ("[Package Manager] Done resolving packages in 0.57s seconds", _PORTALS),
    "registering": ("[Package Manager] Registering 37 packages:", _PORTALS),
    "refresh": ("Application.AssetDatabase Initial Refresh Start", _ILPP),
    "importing": ("Start importing Assets/Terrain.fbx using Guid(0f) Importer(-1,0)", _GAME_CI),
    "bee": (
        'Starting: /u/bee_backend --ipc --dagfile="Library/Bee/1900b0aE.dag" ScriptAssemblies',
        _BEE,
    ),
    "csc": (
        "[ 85/171    2s] Csc Library/Bee/artifacts/1900b0aE.dag/Assembly-CSharp.dll (+2 others)",
        _BEE,
    ),
    "error": (
        "Assets/A.cs(12,5): error CS0103: The name 'x' does not exist in the current context",
        _OURS,
    ),
    "failed": ("*** Tundra build failed (3.79 seconds), 27 items updated, 328 evaluated", _OURS),
    "success": ("*** Tundra build success (0.68 seconds), 3 items updated, 297 evaluated", _BEE),
    "reload": (
        "Begin MonoManager ReloadAssembly",
        "https://github.com/suriyun-production/mmorpg-kit-docs/issues/1282",
    ),
    "reloaded": (
        "- Completed reload, in  0.429 seconds",
        "https://github.com/suriyun-production/mmorpg-kit-docs/issues/1282",
    ),
    "loaded": ("[Project] Loading completed in 12.325 seconds", _GAME_CI),
    "no licence": ("No valid Unity Editor license found. Please activate your license.", _DEVHOME),
    "channel": (
        "IPC channel to LicensingClient doesn't exist; failed to send LicenseClient request",
        _AGONES,
    ),
    "licensed": ("Licenses updated successfully in LicenseUpdated callback", _AGONES),
    "instance": (
        "It looks like another Unity instance is running with this project open.",
        _INSTANCE,
    ),
    "instances": ("Multiple Unity instances cannot open the same project.", _INSTANCE),
    "ipc stream": (
        '[Package Manager] Could not connect to IPC stream "Upm-5340" after 30.0 seconds.',
        _UPM_IPC,
    ),
    "upm": (
        "[Package Manager] Failed to start the Unity Package Manager local server process. Make sure ...",
        _UPM,
    ),
    "invalid": ("An error occurred while resolving packages:", _INVALID),
    "dependencies": ("  Project has invalid dependencies:", _INVALID),
    "not found": (
        "    com.microsoft.msbuildforunity: Package [...@0.9.1] cannot be found",
        _INVALID,
    ),
    "gateway": (
        "com.meta.xr.sdk.core: Request [GET https://...] failed with status code [502]",
        _GATEWAY,
    ),
    "no json": (
        "Failed to resolve packages: The file [/p/Packages/manifest.json] is not valid JSON:",
        _MANUAL_UPM,
    ),
    "ilpp": (
        "Connectivity with IL Post Processor runner cannot be established yet. Retrying.",
        _ILPP,
    ),
    "ilpp busy": (
        "Connectivity with IL Post Processor runner cannot be established yet. Retrying.",
        _ILPP_BUSY,
    ),
    "ilpp file": (
        "System.InvalidOperationException: Can't find file /tmp/ilpp.sock-3f627ccefaf5",
        _ILPP,
    ),
    "ilpp call": ("Error when executing service method 'PostProcessAssembly'.", _ILPP_GRPC),
    "shader": (
        "Failed to get socket connection from UnityShaderCompiler.exe shader compiler!",
        _SHADER,
    ),
    "inotify": (
        "IOException: The configured user limit (128) on the number of inotify instances has been",
        _INOTIFY,
    ),
    "inotify net": (
        "System.IO.IOException: The configured user limit (128) on the number of inotify instances has been reached, "
        "or the per-process limit on the number of open file descriptors has been reached.",
        _INOTIFY_NET,
    ),
    "watches": (
        "inotify_add_watch() failed: No space left on device",
        "inotify(7): ENOSPC is the limit of watches",
    ),
    "disk": ("IOException: No space left on device", _SYSTEM),
    "signal": ("Caught fatal signal - signo:11 code:1 errno:0 addr:(nil)", _GAME_CI),
    "crash": ("Crash!!!", _CRASH_WINDOWS),
    "left": ("[ScriptCompilation] Requested script compilation because: Exiting safe mode", _FIELD),
    "domain": ("Mono: successfully reloaded assembly", _FIELD),
    "weaver": (
        "Studio.Weaver.PostProcessorHook: (0,0): error Rpc Begin must stand in a class",
        _FIELD,
    ),
    "thrown": (
        "Studio.Weaver.Hook: ILPostProcessor has thrown an exception: System.Exception: no",
        _WEAVER,
    ),
    "backend": ("Internal build system error. Backend exited with code 2.", _BACKEND),
    "stdin": ("tundra: error: Unexpected stdin", _BACKEND),
    "analyzer": ("Assets/A.cs(3,9): error AsyncUsage1234: The task is not awaited", _ANALYZER),
    "no code": ("Assets/A.cs(3,9): error: The file is not UTF-8", _ANALYZER),
    "player": (
        'Starting: /u/bee_backend --dagfile="Library/Bee/Player1900b0aP.dag" Player',
        _PLAYER,
    ),
    "fatal": (
        "Fatal Error! It looks like another Unity instance is running with this project open.",
        _FIELD,
    ),
    "end 1": (
        "Exiting without the bug reporter. Application will terminate with return code 1",
        _UPM_IPC,
    ),
    "end 0": (
        "Exiting without the bug reporter. Application will terminate with return code 0",
        _UPM_IPC,
    ),
}


class Step(NamedTuple):
    """``lines``: names in ``LINES``, written now. ``after_s``: how much time passes before that. ``ended``: the exit
    status of the process, which ends after them. ``state`` and ``is_final``: what they show."""

    lines: str
    state: str
    is_final: bool = False
    after_s: float = 0.0
    ended: Optional[int] = None


_START = "built, arguments, opened"

LOGS: Dict[str, Tuple[Step, ...]] = {
    "an ordinary start": (
        Step(f"{_START}, engine, resolved, registering", "starting"),
        Step("bee, csc", "compiling"),
        Step("success, reload, reloaded, loaded", "starting"),
    ),
    "a long import": (
        Step(f"{_START}, refresh, importing", "starting"),
        Step("", "starting", after_s=3600),
    ),
    "compile errors: safe mode": (
        Step(f"{_START}, bee, csc, error, failed", "safe_mode"),
        Step("", "safe_mode", after_s=4.9),
        Step("", "safe_mode", True, after_s=0.1),
    ),
    "safe mode, and a person presses Ignore": (
        Step(f"{_START}, bee, csc, error, failed", "safe_mode"),
        Step("left", "starting", after_s=60),
        Step("bee, csc, error", "compiling"),
        Step("failed, reload, domain, loaded", "starting"),
        Step("", "starting", after_s=60),
    ),
    "a preference switches safe mode off": (
        Step(f"{_START}, reload, domain, bee, csc, error, failed", "safe_mode"),
        Step("reload, domain, reloaded, loaded", "starting", after_s=4),
        Step("", "starting", after_s=60),
    ),
    "the errors are repaired in safe mode": (
        Step(f"{_START}, bee, csc, error, failed", "safe_mode"),
        Step("", "safe_mode", True, after_s=30),
        Step("bee, csc", "compiling"),
        Step("success, left, bee, csc, success, domain, loaded", "starting"),
    ),
    "other errors in safe mode": (
        Step(f"{_START}, bee, csc, error, failed", "safe_mode"),
        Step("", "safe_mode", True, after_s=30),
        Step("bee, csc, no code", "compiling"),
        Step("failed", "safe_mode"),
        Step("", "safe_mode", True, after_s=5),
    ),
    "nothing to compile at the start, and a failure later": (
        Step(f"{_START}, engine, reload, domain, reloaded, loaded", "starting"),
        Step("bee, csc, error", "compiling", after_s=600),
        Step("failed", "starting"),
        Step("", "starting", after_s=60),
    ),
    "a player that does not compile": (
        Step(f"{_START}, bee, csc, success, reloaded, loaded", "starting"),
        Step("player, csc, error, failed", "starting", after_s=60),
    ),
    "an error of a post-processor": (
        Step(f"{_START}, bee, csc, weaver, failed", "safe_mode"),
        Step("", "safe_mode", True, after_s=5),
    ),
    "an exception of a post-processor": (
        Step(f"{_START}, bee, csc, thrown", "safe_mode"),
        Step("", "safe_mode", True, after_s=5),
    ),
    "a failure without an error": (
        Step(f"{_START}, bee, csc, failed", "safe_mode"),
        Step("", "safe_mode", True, after_s=5),
    ),
    "the build system ends": (
        Step(f"{_START}, bee, csc, backend, stdin", "safe_mode"),
        Step("", "safe_mode", True, after_s=5),
    ),
    "errors of an analyzer in batch mode": (
        Step(f"{_START}, bee, csc, analyzer, failed, end 1", "ended", True, ended=1),
    ),
    "another instance, batch mode on Windows": (
        Step(
            f"{_START}, instance, instances, fatal, instances, crash",
            "another_instance",
            True,
            ended=1,
        ),
    ),
    "no licence, batch mode on Windows": (
        Step("built, no licence, crash", "licence", True, ended=1),
    ),
    "a full disk that a person has cleared": (
        Step(f"{_START}, disk", "starting"),
        Step("bee, csc, success, reloaded, loaded", "starting", after_s=60),
        Step("end 0", "starting", after_s=60, ended=0),
        Step("", "ended", True, after_s=15),
    ),
    "compile errors in batch mode": (
        Step(f"{_START}, bee, csc, error, failed, end 1", "ended", True, ended=1),
    ),
    "no licence, a window": (Step("built, no licence", "licence", True),),
    "no licence, batch mode": (Step("built, no licence, end 1", "licence", True, ended=198),),
    "a licensing client that comes late": (
        Step("built, channel", "licence"),
        Step("licensed, opened", "starting", after_s=60),
    ),
    "a licensing client that never comes": (
        Step("built, channel, end 1", "licence", True, ended=199),
    ),
    "another instance": (Step(f"{_START}, instance, instances", "another_instance", True),),
    "the package manager's server cannot be started": (
        Step(f"{_START}, ipc stream", "helper_failed"),
        Step("upm", "helper_failed", True),
    ),
    "the package manager's server, batch mode": (
        Step(f"{_START}, ipc stream, upm, end 1", "helper_failed", True, ended=1),
    ),
    "a package manager that comes late": (
        Step(f"{_START}, ipc stream", "helper_failed"),
        Step("resolved, registering, bee, success", "starting", after_s=20),
    ),
    "the post-processor never comes": (
        Step(f"{_START}, refresh, bee, ilpp, ilpp file", "helper_failed"),
        Step("ilpp, ilpp file", "helper_failed", after_s=170),
        Step("ilpp, ilpp file", "helper_failed", True, after_s=130),
    ),
    "the post-processor fails, and the editor is closed": (
        Step(f"{_START}, bee, ilpp, ilpp call, end 0", "helper_failed", True, after_s=0, ended=1),
    ),
    "the post-processor comes late": (
        Step(f"{_START}, bee, ilpp busy, ilpp busy", "helper_failed"),
        Step("success, reload, reloaded, loaded", "starting", after_s=170),
    ),
    "the post-processor is late, and the scripts do not compile": (
        Step(f"{_START}, bee, ilpp busy", "helper_failed"),
        Step("csc, error, failed", "safe_mode"),
        Step("", "safe_mode", True, after_s=5),
    ),
    "the shader compiler is late": (
        Step(f"{_START}, shader", "helper_failed"),
        Step("bee, success", "starting", after_s=5),
    ),
    "the limit of inotify instances": (
        Step(f"{_START}, refresh, inotify, ilpp", "watch_limit"),
        Step("ilpp", "watch_limit", True, after_s=300),
    ),
    "the limit of inotify instances, reported by a helper": (
        Step(f"{_START}, refresh, ilpp", "helper_failed"),
        Step("inotify net, ilpp", "watch_limit"),
    ),
    "the limit of inotify watches is no full disk": (Step(f"{_START}, watches", "watch_limit"),),
    "the limit of inotify, and the editor gets over it": (
        Step(f"{_START}, inotify", "watch_limit"),
        Step("reload, reloaded", "starting", after_s=10),
    ),
    "a package that cannot be found": (
        Step(f"{_START}, invalid, dependencies, not found", "package_errors", True),
        # A person answers the dialog with Continue.
        Step("bee, success, reloaded", "starting", after_s=60),
    ),
    "a registry that does not answer": (
        Step(f"{_START}, invalid, gateway, end 1", "package_errors", True, ended=1),
    ),
    "a manifest that is no JSON": (Step(f"{_START}, no json", "package_errors", True),),
    "a full disk": (Step(f"{_START}, disk, end 1", "ended", True, ended=1),),
    "a crash on Linux": (Step(f"{_START}, importing, signal", "ended", True, ended=139),),
    "a crash on Windows": (Step(f"{_START}, importing, crash", "ended", True, ended=-1073741819),),
    "a crash in a helper's absence": (Step(f"{_START}, ilpp, signal", "ended", True, ended=139),),
    "a restart of the editor itself": (
        Step(f"{_START}, end 0", "starting", ended=0),
        Step("", "starting", after_s=14),
        Step("", "ended", True, after_s=1),
    ),
}
