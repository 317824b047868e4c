"""Where this program is published: a git repository with a tag for each version.

Nobody owns the name ``unity-bridge`` on a package index yet. A command or entry that asked an index for it would run
the code of the first person who registers it. So everything that this program writes or prints names the repository and
the tag, or a path of this machine.
"""

from __future__ import annotations

from unity_bridge.version import __version__

REPOSITORY = "https://github.com/unity-bridge/unity-bridge"
TAG = f"v{__version__}"
# For pip, pipx and uv.
SOURCE = f"git+{REPOSITORY}@{TAG}"
