"""The pretend project's scenes and assets, as data: what ``inspect`` shows."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import Any, Mapping, Tuple


@dataclass(frozen=True)
class Component:
    """``fields``: by name, ``(type, value)`` with the value as JSON. A ``type`` of "" is a missing script."""

    type: str
    fields: Mapping[str, Tuple[str, Any]] = field(default_factory=dict)
    enabled: bool = True


@dataclass(frozen=True)
class GameObject:
    """An object of a scene, with what is below it."""

    name: str
    components: Tuple[Component, ...] = ()
    children: Tuple[GameObject, ...] = ()
    active: bool = True
    tag: str = "Untagged"


@dataclass(frozen=True)
class Scene:
    """A scene of the project; ``is_in_build`` lists it there, ``is_open`` has it in the Hierarchy window."""

    file: str
    roots: Tuple[GameObject, ...] = ()
    is_open: bool = True
    is_in_build: bool = True

    @property
    def name(self) -> str:
        return self.file.rsplit("/", 1)[-1].rsplit(".", 1)[0]


@dataclass(frozen=True)
class Asset:
    """A file of the project that Unity has imported."""

    path: str
    type: str
    fields: Mapping[str, Tuple[str, Any]] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return self.path.rsplit("/", 1)[-1].rsplit(".", 1)[0]


@dataclass(frozen=True)
class World:
    """``kept``: what lives in the scene DontDestroyOnLoad while the game plays. ``selection``: names of objects."""

    scenes: Tuple[Scene, ...] = ()
    kept: Tuple[GameObject, ...] = ()
    assets: Tuple[Asset, ...] = ()
    selection: Tuple[str, ...] = ()


def guid_of(path: str) -> str:
    """The GUID that Unity gave a file; here it follows from its path."""
    return hashlib.sha256(path.encode()).hexdigest()[:32]


def placed(x: float, y: float, z: float, kind: str = "Transform") -> Component:
    """A transform."""
    return Component(
        kind,
        {
            "m_LocalRotation": ("Quaternion", {"x": 0, "y": 0, "z": 0, "w": 1}),
            "m_LocalPosition": ("Vector3", {"x": x, "y": y, "z": z}),
            "m_LocalScale": ("Vector3", {"x": 1, "y": 1, "z": 1}),
        },
    )


def default_world() -> World:
    """The scenes of the small game."""
    return World(
        scenes=(_courtyard(), Scene("Assets/Scenes/Cellar.unity", is_open=False)),
        kept=(GameObject("Music", (placed(0, 0, 0), Component("AudioSource"))),),
        assets=(
            Asset("Assets/Items/Lantern.asset", "Keep.Items.Item", {"price": ("int", 12), "weight": ("float", 0.45)}),
            Asset("Assets/Items/Torch.asset", "Keep.Items.Item", {"price": ("int", 3), "weight": ("float", 0.3)}),
            Asset("Assets/Materials/Stone.mat", "Material"),
            Asset("Assets/Player/PlayerMovement.cs", "MonoScript"),
            Asset("Assets/Prefabs/Lantern.prefab", "GameObject"),
            Asset("Assets/Scenes/Cellar.unity", "SceneAsset"),
            Asset("Assets/Scenes/Courtyard.unity", "SceneAsset"),
        ),
        selection=("Player",),
    )


def _courtyard() -> Scene:
    lantern = Component("Light", {"m_Intensity": ("float", 1.2), "m_Range": ("float", 6.5)})
    movement = Component(
        "Keep.PlayerMovement",
        {
            "m_Script": (
                "MonoScript",
                {"type": "MonoScript", "name": "PlayerMovement", "path": "Assets/Player/PlayerMovement.cs"},
            ),
            "speed": ("float", 4.2),
            "coyoteTime": ("float", 0.1),
            "carries": (
                "Item",
                {"type": "Keep.Items.Item", "name": "Lantern", "path": "Assets/Items/Lantern.asset"},
            ),
            "steps": ("Vector3[]", []),
        },
    )
    return Scene(
        "Assets/Scenes/Courtyard.unity",
        (
            GameObject("Main Camera", (placed(0, 1.7, -10), Component("Camera")), tag="MainCamera"),
            GameObject("Player", (placed(0.1, 0, 2.5), movement), (GameObject("Hand", (placed(0.3, 1.1, 0),)),)),
            GameObject(
                "Lanterns",
                (placed(0, 0, 0),),
                tuple(GameObject("Lantern", (placed(4.0 * n, 2.2, 0), lantern), active=n != 1) for n in range(3)),
            ),
            GameObject("Old Gate", (placed(9, 0, 0), Component(""))),
        ),
    )
