"""Robots made in Python."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

from ._document import to_yaml
from ._robot import Robot
from ._types import Base, Vector


class Builder:
    """A robot that is still being made: bodies, joints and the rest, with the keys of a YAML robot
    file.

        arm = arne.Builder("arm")
        arm.body("base").body("link", mass=2.0, com=(0.5, 0, 0), inertia=(0.01, 0.2, 0.2))
        arm.joint("shoulder", "base", "link", axis=(0, 1, 0))
        robot = arm.build()

    Every method returns the builder. What is given beside the named arguments are keys of the file,
    which docs/robot-file.md lists; `build` checks all of it. Units: kg, m, rad, kg m^2, N m, s.
    """

    def __init__(self, name: str = "robot", *, base: Base | None = None,
                 gravity: Vector | None = None) -> None:
        self._document: dict[str, Any] = {"name": name}
        if base is not None:
            self._document["base"] = base
        if gravity is not None:
            self._document["gravity"] = gravity

    def _add(self, section: str, entry: dict[str, Any]) -> Builder:
        self._document.setdefault(section,
                                  []).append({k: v for k, v in entry.items() if v is not None})
        return self

    def extends(self, path: str) -> Builder:
        """Starts from another robot file; a relative path is taken from the current folder."""
        self._document["extends"] = path
        return self

    def body(
        self,
        name: str,
        mass: float | None = None,
        com: Vector | None = None,
        inertia: Vector | None = None,
        **keys: Any,
    ) -> Builder:
        """A body: mass [kg], com (3,) [m], inertia (3,) or (6,) [kg m^2] xx, yy, zz, xy, xz, yz."""
        return self._add("bodies",
                         {"name": name, "mass": mass, "com": com, "inertia": inertia, **keys})

    def joint(
        self,
        name: str,
        parent: str,
        child: str,
        kind: str = "revolute",
        *,
        xyz: Vector | None = None,
        rpy: Vector | None = None,
        axis: Vector | None = None,
        **keys: Any,
    ) -> Builder:
        """A joint: its place xyz (3,) [m] and rpy (3,) [rad] in the parent, its axis (3,) [1]."""
        if xyz is not None or rpy is not None:
            origin = {"xyz": xyz, "rpy": rpy}
            keys["origin"] = {k: v for k, v in origin.items() if v is not None}
        return self._add(
            "joints",
            {"name": name, "kind": kind, "parent": parent, "child": child, "axis": axis, **keys}
        )

    def frame(self, name: str, link: str, *, xyz: Vector = (0.0, 0.0, 0.0),
              rpy: Vector = (0.0, 0.0, 0.0)) -> Builder:
        """A named frame on a link: xyz (3,) [m], rpy (3,) [rad]."""
        return self._add("frames", {"name": name, "link": link, "origin": {"xyz": xyz, "rpy": rpy}})

    def motor(self, joint: str, **keys: Any) -> Builder:
        """A motor that drives a joint: gear [1], inertia [kg m^2], stiffness [N m/rad], ..."""
        return self._add("motors", {"joint": joint, **keys})

    def spring(self, joint: str, stiffness: float, **keys: Any) -> Builder:
        """A spring on a joint: stiffness [N m/rad, N/m], damping [N m s/rad, N s/m], rest [rad,
        m]."""
        return self._add("elastic", {"joint": joint, "stiffness": stiffness, **keys})

    def loop(self, name: str, predecessor: str, successor: str, kind: str = "revolute",
             **keys: Any) -> Builder:
        """A joint that closes a loop between two links or frames."""
        return self._add(
            "loops",
            {"name": name, "kind": kind, "predecessor": predecessor, "successor": successor, **keys}
        )

    def section(self, name: str, content: Any) -> Builder:
        """Any other section of the file: dh, friction, rotors, parallel, scale, ..."""
        self._document[name] = content
        return self

    @property
    def document(self) -> dict[str, Any]:
        """What was added so far, as a robot file has it."""
        import copy

        return copy.deepcopy(self._document)

    def build(
        self,
        *,
        base: Base | None = None,
        friction: bool = True,
        rotor: bool = True,
        gravity: Vector | None = None,
        strict: bool = False,
    ) -> Robot:
        """Checks everything and makes the robot. May be called again, with other options or after
        adding more."""
        return Robot(
            "<builder>",
            base=base,
            friction=friction,
            rotor=rotor,
            gravity=gravity,
            strict=strict,
            text=to_yaml(self._document),
        )
