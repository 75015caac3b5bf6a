"""How things fail.

    BaseException
     ├─ Error              what the library could not do, and where
     ├─ UserWarning
     │   └─ FlawWarning    something in a file that is imperfect but usable; by kind:
     │       ├─ ContactWarning  shapes that cannot touch
     │       ├─ DegreesWarning  an angle that may be in degrees
     │       ├─ InertiaWarning  masses and inertias that no body has
     │       ├─ LimitWarning    limits that cannot be meant
     │       ├─ LostWarning     what a format cannot hold
     │       ├─ MeshWarning     meshes and other looks
     │       └─ UnknownWarning  what Arne does not know, and ignores
     └─ KeyboardInterrupt
         └─ Interrupted    Ctrl-C while something ran, and what was done until then

Arguments of a wrong type or shape are a TypeError or a ValueError whose text starts with the
argument's name.
"""

from __future__ import annotations

import os
import re
import sys
import warnings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ._run import Run

    Told = tuple[str, str, int, str]  # kind, file, line, text

_NAMED = re.compile(r"\b(joint|link|body|frame|motor|loop|spring) '([^']*)'")


class Error(Exception):
    """What the library could not do.

    code    one word: FILE, SYNTAX, VALUE, MODEL, SINGULAR, NOT_CONVERGED, ...
    text    what is wrong, in one line
    file    "" where there is none
    line    0 where there is none
    column  0 where there is none
    mistakes  all mistakes of a file, as texts `file:line:column: ...`, or `initial.q: ...` of a
              dict; () where there is none of a file. str(error) shows all of them
    run     what a run has left that ended on its way, a Run; else None
    """

    mistakes: tuple[str, ...] = ()
    run: Run | None = None

    def __init__(self, code: str, text: str, file: str = "", line: int = 0,
                 column: int = 0) -> None:
        super().__init__(code, text, file, line, column)
        self.code = code
        self.text = text
        self.file = file
        self.line = line
        self.column = column

    def __str__(self) -> str:
        if len(self.mistakes) > 1:
            return f"{len(self.mistakes)} mistakes\n" + "\n".join(
                f"  {text}" for text in self.mistakes)
        place = f"{self.file}:{self.line}: " if self.line else f"{self.file}: " if self.file else ""
        return place + self.text

    def by_key(self, file: str, keys: list[str], whole: str) -> Error:
        """The same of a file that was a dict: its lines become the paths of keys, such as
        initial.q. `whole` names the dict."""

        def told(text: str, line: int) -> str:
            key = keys[line - 1] if 0 < line <= len(keys) else ""
            head = text.partition(": ")[0]
            if key and " " not in head and text != head and (key == head
                                                             or key.startswith(
                                                                 (f"{head}.", f"{head}["))):
                text = text[len(head) + 2 :]
            return f"{key or whole}: {text}"

        def replaced(text: str) -> str:
            parts = re.match(re.escape(file) + r":(\d+):(?:\d+:)? (.*)", text, re.DOTALL)
            if parts:
                return told(parts[2], int(parts[1]))
            return whole + text if text.startswith(": ") else text.replace(file, whole)

        own = self.file == file
        text = told(self.text, self.line) if own else replaced(self.text)
        place = ("", 0, 0) if own else (self.file, self.line, self.column)
        again = Error(self.code, text, *place)
        again.mistakes = tuple(replaced(said) for said in self.mistakes)
        again.run = self.run
        return again

    def _named(self, *kinds: str) -> str | None:
        for kind, name in _NAMED.findall(self.text):
            if kind in kinds:
                return str(name)
        return None

    @property
    def joint(self) -> str | None:
        """The joint that the text names, or None."""
        return self._named("joint")

    @property
    def link(self) -> str | None:
        """The link (or frame) that the text names, or None."""
        return self._named("link", "body", "frame")


class FlawWarning(UserWarning):
    """Something in a file that is imperfect but usable: what `arne check` would say."""


class ContactWarning(FlawWarning):
    """Shapes of a robot cannot touch the ground: meshes that are not found, mostly."""


class DegreesWarning(FlawWarning):
    """An angle is so large that it may be in degrees."""


class InertiaWarning(FlawWarning):
    """A mass or inertia that no rigid body has."""


class LimitWarning(FlawWarning):
    """Limits that cannot be meant, or are not kept."""


class LostWarning(FlawWarning):
    """What a format of robot files cannot hold."""


class MeshWarning(FlawWarning):
    """A mesh or another look of a link cannot be shown."""


class UnknownWarning(FlawWarning):
    """Something in a file that Arne does not know, and ignores."""


_KINDS = {
    "contact": ContactWarning,
    "degrees": DegreesWarning,
    "inertia": InertiaWarning,
    "limit": LimitWarning,
    "lost": LostWarning,
    "mesh": MeshWarning,
    "negative": InertiaWarning,
    "scale": InertiaWarning,
    "triangle": InertiaWarning,
    "unknown": UnknownWarning,
    "visual": MeshWarning,
}
_NAMES_AND_NUMBERS = re.compile(r"'[^']*'|[-+]?\.?[0-9][-+0-9.e]*")


def _caller() -> int:
    """How far above this one is the first function that is not Arne's."""
    own, level, frame = os.path.dirname(__file__), 1, sys._getframe(1)
    while frame.f_back is not None and os.path.dirname(frame.f_code.co_filename) == own:
        level, frame = level + 1, frame.f_back
    return level


def tell(found: list[Told], touches: bool) -> None:
    """Warnings of the library as Python's. Three or more that differ in names and numbers only
    become one."""
    groups: dict[tuple[str, str, str], list[Told]] = {}
    for kind, file, line, text in found:
        if kind == "contact" and not touches:
            continue
        groups.setdefault((kind, file, _NAMES_AND_NUMBERS.sub("", text)),
                          []).append((kind, file, line, text))
    level = _caller()
    for alike in groups.values():
        for kind, file, line, text in alike if len(alike) < 3 else alike[:1]:
            more = f"; likewise {len(alike) - 1} more" if len(alike) > 2 else ""
            place = f"{file}:{line}: " if line > 0 else ""
            warnings.warn(f"{place}{text}{more} [{kind}]", _KINDS.get(kind, FlawWarning), level)


class Interrupted(KeyboardInterrupt):
    """Ctrl-C during a run: `run` is what was done, a Run that is not complete."""

    def __init__(self, run: Run) -> None:
        super().__init__(f"{run.path}: what there is, marked as not complete")
        self.run = run
