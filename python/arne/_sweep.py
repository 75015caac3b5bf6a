"""Sweeps: a run for many values of its parameters."""

from __future__ import annotations

import csv
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from . import _arne
from ._progress import Bar, Progress
from ._run import Workplace
from ._table import Table


class Executor(Protocol):
    """What computes rows elsewhere: concurrent.futures, mpi4py.futures, a Dask client."""

    def map(self, function: Any, /, *iterables: Any) -> Any:
        """The function of every item, as results or as futures."""


def _rows(chunk: tuple[str, int, int]) -> list[str]:
    """Lines of the table; runs in the executor's processes, which must see the files."""
    return _arne.sweep_rows(*chunk)


def _column(cells: list[str], name: str) -> np.ndarray[Any, Any]:
    """Numbers where all cells are; an empty one is a figure that a row has not."""
    if name != "status":
        try:
            return np.array([float(c) if c else np.nan for c in cells], dtype=np.float64)
        except ValueError:
            pass
    return np.array(cells, dtype=object)


def _table(lines: Iterable[str], names: list[str], units: list[str]) -> Table:
    header = ["row", *names, "status"]
    rows = list(csv.reader(lines))
    columns = [_column([r[i] for r in rows], name) for i, name in enumerate(header)]
    table = np.empty(len(rows), dtype=[(n, c.dtype) for n, c in zip(header, columns)]).view(Table)
    for name, column in zip(header, columns):
        table[name] = column
    table.units = dict(zip(header, ["", *units, ""]))
    return table


def _elsewhere(path: str, rows: int, executor: Executor, chunk: int) -> list[str]:
    chunks = [(path, start, min(start + chunk, rows)) for start in range(0, rows, chunk)]
    lines: list[str] = []
    for found in executor.map(_rows, chunks):
        lines += found.result() if hasattr(found, "result") else found
    return lines


def sweep(
    sweep: str | os.PathLike[str] | Mapping[str, Any],
    *,
    out: str | os.PathLike[str] | None = None,
    jobs: int = 0,
    resume: bool = False,
    retry: bool = False,
    executor: Executor | None = None,
    chunk: int = 16,
    progress: Progress = None,
) -> Table:
    """Runs a sweep, as `arne sweep` does, and returns its table.

    sweep     path of a sweep file, or a dict with its keys (docs/sweep.md)
    out       the folder of the sweep: table.csv, summary.json, report.html; None: a temporary one
    jobs      processes that compute; 0: one for each processor
    resume    go on with the sweep that was stopped, in OUT.incomplete
    retry     with resume: compute rows that failed again, also those of a complete sweep
    executor  instead of processes of Arne's: anything with map, such as
              mpi4py.futures.MPIPoolExecutor() or a Dask client. Its processes must see the files.
              No folder is written
    chunk     rows that the executor gets at once
    progress  True, False, or a function that is given a line of text; None: where somebody sees it

    The table is a structured array, (rows,): `row`, each parameter, each figure [table.units],
    `status` ("ok", or why the run failed). Figures that a row has not are nan.
    """
    place = Workplace(sweep, "sweep", out)
    try:
        path = os.path.abspath(place.file)
        rows, _, names, units = _arne.sweep_facts(path)
        if executor is not None:
            return _table(_elsewhere(path, rows, executor, max(1, chunk)), names, units)
        bar = Bar(progress)
        try:
            _arne.sweep(path, place.out, jobs, bar.tick, resume, retry)
        finally:
            bar.close()
        with open(Path(place.out) / "table.csv", encoding="utf-8", errors="replace") as file:
            next(file)
            return _table(file, names, units)
    except BaseException as failure:
        raise place.explained(failure) from None
    finally:
        place.discard()
