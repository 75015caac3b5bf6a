"""How things fail.

    BaseException
     ├─ Error              what the library could not do, and where
     ├─ UserWarning
     │   └─ FlawWarning    something in a file that is imperfect but usable
     └─ KeyboardInterrupt
         └─ Interrupted    Ctrl-C while something ran, and what was done until then

Arguments of a wrong type or shape are a TypeError or a ValueError whose text starts with the argument's name.
"""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ._run import Run

_NAMED = re.compile(r"\b(joint|link|body|frame|motor|loop|spring) '([^']*)'")


class Error(Exception):
    """What the library could not do.

    code    one word: FILE, SYNTAX, VALUE, MODEL, SINGULAR, NOT_CONVERGED, ...
    text    what is wrong, in one line
    file    "" where there is none
    line    0 where there is none
    column  0 where there is none
    mistakes  all mistakes of a file, as texts `file:line:column: ...`; () where there is one
    run     what a run has left that ended on its way, a Run; else None
    """

    mistakes: tuple[str, ...] = ()
    run: Run | None = None

    def __init__(self, code: str, text: str, file: str = "", line: int = 0, column: int = 0) -> None:
        super().__init__(code, text, file, line, column)
        self.code = code
        self.text = text
        self.file = file
        self.line = line
        self.column = column

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}: " if self.line else f"{self.file}: " if self.file else ""
        return place + self.text

    def elsewhere(self, file: str, name: str) -> Error:
        """The same of a file that the user knows by another name."""
        again = Error(self.code, self.text.replace(file, name), self.file.replace(file, name), self.line, self.column)
        again.mistakes = tuple(text.replace(file, name) for text in self.mistakes)
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


class Interrupted(KeyboardInterrupt):
    """Ctrl-C during a run: `run` is what was done, a Run that is not complete."""

    def __init__(self, run: Run) -> None:
        super().__init__(f"{run.path}: what there is, marked as not complete")
        self.run = run
