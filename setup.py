"""What unity-bridge needs. pip runs this file, and ``unity_bridge/launch/environment.py`` reads the
two lists.
"""

from __future__ import annotations

REQUIRED = [
    # The SDK has no release for older Pythons; there, everything but `demo` works, and serving does
    # without it (docs/adr/0022 says what it costs and why it stays).
    'mcp>=2.3,<3; python_version >= "3.10"',
    # Pinned: the listener is hardened by subclassing, which a new release could undo without a
    # word.
    "websocket-server==0.6.4",
    "wsproto>=1.2,<2",
    "h11>=0.14,<1",
    "dataclasses-json>=0.6.7,<0.7",
    "click>=8.1,<9",
    "psutil>=6,<8",
    "websocket-client>=1.8,<2",
    # The standard library reads TOML since Python 3.11.
    'tomli>=2.0.1,<3; python_version < "3.11"',
]

_TEST = [
    # Published schemas and results, against another implementation than the product's.
    "jsonschema>=4.17,<5",
    "pytest>=7.4,<10",
    "pytest-cov>=4.1,<8",
    "pytest-xdist>=3.5,<4",
    "hypothesis>=6.100,<7",
    "websockets>=13,<18",
    # The JUnit file against its schema.
    "xmlschema>=3.3,<5",
    "packaging>=22",
    # What the release is built with; newer Pythons bring none.
    "setuptools>=75,<90",
]

EXTRAS = {
    "test": _TEST,
    "dev": [
        *_TEST,
        'mypy>=1.15,<3; python_version >= "3.10"',
        'ruff>=0.12,<1; python_version >= "3.10"',
        'types-jsonschema>=4.17,<5; python_version >= "3.10"',
        'types-psutil>=6,<8; python_version >= "3.10"',
        'vulture>=2.14,<3; python_version >= "3.10"',
    ],
    # Apart: it brings two dozen packages of its own, which are not what it is to look at.
    "audit": ["pip-audit>=2.7,<3"],
    # For bin/lock alone.
    "lock": ["uv>=0.8,<1"],
}


REPOSITORY = "https://github.com/unity-bridge/unity-bridge"


def for_pypi(readme: str) -> str:
    """README.md with links that work where there is no repository around it."""
    import re

    raw = REPOSITORY.replace("github.com", "raw.githubusercontent.com")
    pictures = re.sub(r"(!\[[^\]]*\])\((?!https?:)([^)]+)\)", rf"\1({raw}/main/\2)", readme)
    return re.sub(
        r"(?<!!)(\[[^\]]*\])\((?!https?:|#)([^)]+)\)", rf"\1({REPOSITORY}/blob/main/\2)", pictures
    )


def _setup() -> None:
    # Not above: the launcher reads the lists at every start, also on a Python without setuptools.
    import runpy
    import shutil
    from pathlib import Path

    from setuptools import find_packages, setup
    from setuptools.command.build_py import build_py

    here = Path(__file__).resolve().parent

    class BuildWithConfiguration(build_py):
        """``conf/`` lies beside the package in a clone, and inside it once installed."""

        def run(self) -> None:
            super().run()
            if not getattr(self, "editable_mode", False):
                target = Path(self.build_lib) / "unity_bridge" / "conf"
                target.mkdir(parents=True, exist_ok=True)
                shutil.copy(str(here / "conf" / "unity-bridge.json"), str(target))

    setup(
        name="unity-bridge",
        version=runpy.run_path(str(here / "unity_bridge" / "version.py"))["__version__"],
        description="Lets MCP clients and scripts work with a running Unity Editor",
        long_description=for_pypi((here / "README.md").read_text(encoding="utf-8")),
        long_description_content_type="text/markdown",
        url=REPOSITORY,
        project_urls={
            "Changelog": f"{REPOSITORY}/blob/main/CHANGELOG.md",
            "Documentation": f"{REPOSITORY}/tree/main/docs",
            "Issues": f"{REPOSITORY}/issues",
        },
        license="MIT",
        license_files=["LICENSE"],
        author="unity-bridge contributors",
        keywords=["unity", "unity-editor", "mcp", "model-context-protocol", "websocket"],
        classifiers=[
            "Development Status :: 4 - Beta",
            "Environment :: Console",
            "Intended Audience :: Developers",
            "Operating System :: MacOS",
            "Operating System :: Microsoft :: Windows",
            "Operating System :: POSIX :: Linux",
            "Programming Language :: Python :: 3",
            "Programming Language :: Python :: 3 :: Only",
            "Programming Language :: Python :: 3.8",
            "Programming Language :: Python :: 3.9",
            "Programming Language :: Python :: 3.10",
            "Programming Language :: Python :: 3.11",
            "Programming Language :: Python :: 3.12",
            "Programming Language :: Python :: 3.13",
            "Topic :: Games/Entertainment",
            "Topic :: Software Development :: Testing",
            "Typing :: Typed",
        ],
        python_requires=">=3.8",
        packages=find_packages(include=["unity_bridge", "unity_bridge.*"]),
        package_data={
            "unity_bridge": [
                "py.typed",
                "installation/skills/*.md",
                "catalogue/*.json",
                "simulator/*.json",
                "simulator/pictures/*",
                "unity_package/*",
                "unity_package/**/*",
                "selftest/project/*",
                "selftest/project/**/*",
            ]
        },
        include_package_data=False,
        zip_safe=False,
        install_requires=REQUIRED,
        extras_require=EXTRAS,
        entry_points={"console_scripts": ["unity-bridge = unity_bridge.__main__:main"]},
        cmdclass={"build_py": BuildWithConfiguration},
    )


if __name__ == "__main__":
    _setup()
