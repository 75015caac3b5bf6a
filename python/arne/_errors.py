"""How things fail.

    Exception
     ├─ Error              what the library could not do, and where
     └─ UserWarning
         └─ FlawWarning    something in a file that is imperfect but usable

Arguments of a wrong type or shape are a TypeError or a ValueError whose text starts with the argument's name.
"""

from __future__ import annotations

import re

_NAMED = re.compile(r"\b(joint|link|body|frame|motor|loop|spring) '([^']*)'")


class Error(Exception):
    """What the library could not do.

    code    one word: FILE, SYNTAX, VALUE, MODEL, SINGULAR, NOT_CONVERGED, ...
    text    what is wrong, in one line
    file    "" where there is none
    line    0 where there is none
    column  0 where there is none
    """

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
