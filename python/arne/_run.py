"""What a simulation or a search leaves: a folder, seen as an object."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
import weakref
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from . import _arne
from ._document import key_paths, to_yaml
from ._errors import Error, Interrupted
from ._page import in_frame, open_page
from ._robot import Robot, find_robot
from ._table import Table, read_table

# Keys of files whose values name other files.
_PATHS = {"robot", "file", "table", "reference", "extends", "normal", "recording", "recordings",
          "data", "terrain", "run", "csv",
          "parameters"}


class Run:
    """A run: its table over time, its summary, its page.

    path      the folder: result.csv, summary.json, inputs/ and, once it is asked for, report.html
    complete  whether it came to its end
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        """Opens the folder of a run."""
        self.path = Path(path)
        if not (self.path / "summary.json").exists():
            raise Error("FILE", "this is not the folder of a run: it has no summary.json",
                        str(self.path))

    @cached_property
    def table(self) -> Table:
        """The results over time: a structured array, (rows,), with columns such as "time" [s],
        "q.elbow" [rad]."""
        return read_table(self.path / "result.csv")

    @cached_property
    def summary(self) -> dict[str, Any]:
        """What the run says about itself, with the keys of summary.json; SI units and radians."""
        with open(self.path / "summary.json", encoding="utf-8") as file:
            found: dict[str, Any] = json.load(file)
        found.pop("files", None)
        return found

    @property
    def complete(self) -> bool:
        """Whether the run came to its end."""
        return bool(self.summary.get("complete", True))

    @property
    def figures(self) -> dict[str, float]:
        """The figures that the file asks for, {name: value} [the unit that the file says]."""
        return {f["name"]: f["value"] for f in self.summary.get("figures", [])}

    def to_pandas(self) -> Any:
        """The table as a pandas.DataFrame, (rows, columns) [units in df.attrs["units"]]."""
        return self.table.to_pandas()

    @property
    def page(self) -> Path:
        """The page of the run, report.html; made where it is not there yet."""
        page = self.path / "report.html"
        if not page.exists():
            _arne.write_report(self.path)
        return page

    def show(self) -> Path:
        """Opens the page in a browser, where there is a display, and returns where it is."""
        open_page(self.page)
        return self.page.resolve()

    def plot(self, *columns: str) -> Any:
        """A matplotlib figure over time [s]: one plot for each name, of a column or of a group such
        as "q" or "tau".

        Without names: all groups.
        """
        from matplotlib import pyplot

        table = self.table
        groups = columns or tuple(
            dict.fromkeys(c.split(".")[0] for c in table.columns if c != "time"))
        figure, axes = pyplot.subplots(
            len(groups), 1, sharex=True, squeeze=False, figsize=(9, 2.2 * len(groups)),
            layout="constrained"
        )
        for axis, group in zip(axes[:, 0], groups):
            fields = [c for c in table.columns if c == group or c.startswith(group + ".")]
            if not fields:
                raise KeyError(f"there is no column {group}, nor {group}.…")
            for c in fields:
                axis.plot(table["time"], table[c], label=c[len(group) + 1 :] or c)
            # A group may have columns of several units: positions of sliding joints are in m.
            units = dict.fromkeys(u for c in fields if (u := table.units.get(c, "")))
            axis.set_ylabel(f"{group} [{', '.join(units)}]" if units else group)
            if len(fields) > 1:
                width = 1 + (len(fields) - 1) // 8
                axis.legend(loc="upper left", bbox_to_anchor=(1.01, 1.0), borderaxespad=0.0,
                            fontsize="small", ncols=width)
        axes[-1, 0].set_xlabel("time [s]")
        return figure

    def __repr__(self) -> str:
        title = self.summary.get("title", "")
        rows = self.table.shape[0]
        end = "" if self.complete else ", not complete"
        return f"<arne.Run '{title}': {rows} rows of {len(self.table.columns)} columns{end}>"

    def _repr_html_(self) -> str:
        """A notebook shows the page."""
        return in_frame(self.page.read_text(encoding="utf-8"))


AnyRun = TypeVar("AnyRun", bound=Run)


def _tied(value: Any, folder: Path, key: str = "") -> Any:
    """The document with paths that hold wherever it is written; robots of its own become files
    beside it."""
    if key == "robot" and isinstance(value, (Robot, Mapping)):
        place = folder / "robot.yaml"
        if isinstance(value, Robot):
            value.save(place)
        else:
            place.write_text(to_yaml(_tied(value, folder)), encoding="utf-8")
        return str(place)
    if isinstance(value, Mapping):
        return {str(k): _tied(v, folder, str(k)) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [_tied(v, folder, key) for v in value]
    if isinstance(value, np.ndarray):
        return value.tolist()
    if key in _PATHS and isinstance(value, (str, os.PathLike)):
        said = os.fspath(value)
        if key == "robot":
            said = find_robot(said)
        return os.path.abspath(said) if os.path.exists(said) else said
    return value


class Workplace:
    """Where a document becomes a file, and where a run goes: temporary unless the caller names a
    folder."""

    def __init__(self, source: Any, name: str, out: str | os.PathLike[str] | None) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="arne-"))
        self.named = out is not None
        self.out = Path(out) if out is not None else self._folder / "run"
        self._name = name
        self._texts: dict[str, str] = {}  # what was written, for messages about its keys
        self._made = isinstance(source, Mapping)
        if self._made:
            inputs = self._folder / "inputs"
            inputs.mkdir()
            self.file = inputs / f"{name}.yaml"
            try:
                self.file.write_text(to_yaml(_tied(source, inputs)), encoding="utf-8")
                written = ((str(f), f.read_text(encoding="utf-8")) for f in inputs.iterdir())
                # not of a Robot
                self._texts = {f: text for f, text in written if text.startswith("{")}
            except BaseException:
                self.discard()
                raise
        else:
            self.file = Path(os.fspath(source))

    def discard(self) -> None:
        """Removes what is temporary."""
        shutil.rmtree(self._folder, ignore_errors=True)

    def explained(self, error: BaseException) -> BaseException:
        """The error with the place that the caller knows."""
        if not self._made or not isinstance(error, Error):
            return error
        for file, text in self._texts.items():
            within = "robot" if file != str(self.file) else ""
            error = error.by_key(file, key_paths(text, within), within or self._name)
        return error

    def keep(self, run: AnyRun) -> AnyRun:
        """The run; where its folder was not named, the folder goes when the run is forgotten."""
        if self.named:
            self.discard()
        else:
            weakref.finalize(run, shutil.rmtree, self._folder, True)
        return run

    def finish(self, error: BaseException | None) -> Run:
        """The run that was made, or the error with what there is as error.run."""
        left = Path(str(self.out) + ".incomplete")
        place = left if error is not None or not self.out.exists() else self.out
        try:
            run = Run(place)
        except Error:
            self.discard()
            if error is None:
                raise
            raise self.explained(error) from None
        self.keep(run)
        if error is None:
            return run
        if isinstance(error, KeyboardInterrupt):
            raise Interrupted(run) from None
        error = self.explained(error)
        error.run = run  # type: ignore[attr-defined]
        raise error
