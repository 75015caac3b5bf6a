"""How far a run is: a line in a terminal, a bar in a notebook, or a function of the caller's."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, Union

Progress = Union[bool, None, Callable[[str], object]]
WIDTH = 40


def _in_notebook() -> bool:
    """Whether a Jupyter kernel runs this."""
    module = sys.modules.get("IPython")
    shell = module.get_ipython() if module is not None else None
    return shell is not None and type(shell).__name__ == "ZMQInteractiveShell"


def _words(state: Any) -> tuple[float | None, str]:
    """The part that is done (None: not known), and a line of text."""
    if isinstance(state, str):
        return None, state
    if isinstance(state, tuple):
        iteration, phase, objective, violation, dual = state
        what = "feasibility" if phase == 1 else "iteration"
        return (None, f"{what} {iteration:4d}   objective {objective:<12.6g} violation "
                f"{violation:<9.2e} optimality {dual:<9.2e}")
    filled = int(state * WIDTH)
    return state, f"[{'#' * filled}{' ' * (WIDTH - filled)}] {int(100 * state):3d} %"


class Bar:
    """Shows how far a run is. None: where somebody sees it; True: always; a function is given the
    line of text."""

    def __init__(self, progress: Progress) -> None:
        self._function = progress if callable(progress) else None
        self._notebook = self._function is None and progress is not False and _in_notebook()
        shown = progress is True or (progress is None and sys.stderr is not None
                                     and sys.stderr.isatty())
        self._terminal = self._function is None and not self._notebook and shown
        self._handle: Any = None
        self._drawn = ""

    @property
    def tick(self) -> Callable[[Any], object] | None:
        """What the run calls ten times a second; None where nobody looks."""
        return self._tick if self._function or self._notebook or self._terminal else None

    def _tick(self, state: Any) -> None:
        part, line = _words(state)
        if line == self._drawn:
            return
        self._drawn = line
        if self._function:
            self._function(line)
        elif self._notebook:
            self._show(part, line)
        else:
            sys.stderr.write("\r" + line)
            sys.stderr.flush()

    def _show(self, part: float | None, line: str) -> None:
        """A bar of the notebook's own, drawn over itself."""
        from IPython import display

        value = "" if part is None else f' value="{part:.3f}"'
        text = f"{100 * part:.0f} %" if part is not None else line
        html = display.HTML(f'<progress max="1"{value} style="width: 20em"></progress> '
                            f'<code>{text}</code>')
        if self._handle is None:
            self._handle = display.display(html, display_id=True)
        else:
            self._handle.update(html)

    def close(self) -> None:
        """Takes the line away."""
        if self._terminal and self._drawn:
            sys.stderr.write("\r" + " " * len(self._drawn) + "\r")
            sys.stderr.flush()
        if self._notebook and self._handle is not None:
            from IPython import display

            self._handle.update(display.HTML(""))
