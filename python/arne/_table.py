"""Tables over time, as runs leave them."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from . import _arne


class Table(np.ndarray[Any, Any]):
    """A structured array, (rows,), with a field for every column: table["q.elbow"] is (rows,) of
    float64.

    units    {column: unit}, "" where a column has none; SI units and radians
    columns  the names, in order
    """

    units: dict[str, str]

    def __array_finalize__(self, obj: Any) -> None:
        self.units = getattr(obj, "units", {})

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns, in the order of the file."""
        return self.dtype.names or ()

    def group(self, name: str) -> np.ndarray[Any, np.dtype[np.float64]]:
        """All columns `name.…`, (rows, columns) [their unit]: group("q") is every position."""
        fields = [c for c in self.columns if c == name or c.startswith(name + ".")]
        if not fields:
            raise KeyError(f"there is no column {name}, nor {name}.…")
        return np.stack([np.asarray(self[c]) for c in fields], axis=-1)

    def to_pandas(self) -> Any:
        """The table as a pandas.DataFrame, one column for each field [its unit in
        df.attrs["units"]]."""
        import pandas

        frame = pandas.DataFrame({c: np.asarray(self[c]) for c in self.columns})
        frame.attrs["units"] = dict(self.units)
        return frame


    def __repr__(self) -> str:
        if not self.columns or self.ndim != 1:
            return super().__repr__()
        return (f"<arne.Table: {len(self)} rows of {len(self.columns)} columns: "
                f"{', '.join(self._headings(6))}>")

    def _headings(self, most: int) -> list[str]:
        """Columns with their units, the first of them."""
        named = [f"{c} [{self.units[c]}]" if self.units.get(c) else c for c in self.columns[:most]]
        return named + (["…"] if len(self.columns) > most else [])

    def _repr_html_(self) -> str:
        """A notebook shows the first and last rows."""
        import html

        if not self.columns or self.ndim != 1:
            return f"<pre>{html.escape(super().__repr__())}</pre>"
        shown = list(range(len(self))) if len(self) <= 10 else [
            *range(5), -1, *range(len(self) - 5, len(self))]
        columns = self.columns[:12]
        heads = "".join(f"<th>{html.escape(h)}</th>" for h in self._headings(12))
        rows = [["…"] * len(columns) if i < 0 else [f"{self[c][i]:.6g}" for c in columns]
                for i in shown]
        body = "".join(f"<tr>{''.join(f'<td>{x}</td>' for x in row)}</tr>" for row in rows)
        return (
            f"<table><thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table><p>{len(self)} "
            "rows</p>")


def read_table(path: str | os.PathLike[str]) -> Table:
    """A CSV file with a header `name [unit],...`, or OpenSim's .mot, .sto, .trc: (rows,) records,
    units brought to SI."""
    return table_of(*_arne.read_table(path))


def table_of(names: list[str], units: list[str], rows: Any) -> Table:
    """A table of columns, (rows,) records [units as given]: its names and units, and its rows."""
    kind = np.dtype([(name, np.float64) for name in names])
    table = np.ascontiguousarray(rows).view(kind).reshape(-1).view(Table)
    table.units = dict(zip(names, units))
    return table
