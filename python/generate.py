"""Writes what mypy must know of the methods: arne/_results.py and the methods in arne/_arne.pyi.

    python3 generate.py [--check]

Names, shapes and units come from the catalogue, through the extension; nothing is typed here a
second time.
"""

from __future__ import annotations

import argparse
import sys
import textwrap
from pathlib import Path
from typing import Any

from arne import _arne

FOLDER = Path(__file__).parent / "arne"
MARK = "    # --- from the catalogue, by generate.py; do not edit below\n"


def shape(output: dict[str, Any]) -> str:
    """(..., V, V)."""
    return f"(..., {output['shape']})" if output["shape"] else "(...)"


def is_record(method: dict[str, Any]) -> bool:
    return method["record"] is not None


def wrapped(text: str, more: str = "") -> list[str]:
    """A text of a docstring within 100 columns; lines after the first are indented by more."""
    return textwrap.wrap(text, 100, initial_indent="    ", subsequent_indent="    " + more,
                         break_long_words=False, break_on_hyphens=False)


def record(method: dict[str, Any]) -> str:
    """The dataclass of a method that makes several arrays."""
    lines = ["", "", "@dataclass(frozen=True, eq=False)", f"class {method['record']}:"]
    lines += wrapped(f'"""The result of Robot.{method["name"]}: {method["text"]}.')
    lines.append("")
    for output in method["outputs"]:
        lines += wrapped(f"{output['name']}: {shape(output)} [{output['unit'] or '1'}] "
                         f"{output['text']}", "    ")
    lines.append('    """')
    lines.append("")
    for output in method["outputs"]:
        lines.append(f"    {output['name']}: {'Array' if output['shape'] else 'Scalar'}")
    return "\n".join(lines)


def results(methods: list[dict[str, Any]]) -> str:
    """The whole of _results.py."""
    records = [m for m in methods if is_record(m)]
    text = [
        '"""Results that have several parts, one class for each method. Written by generate.py '
        'from the',
        'catalogue."""',
        "",
        "from __future__ import annotations",
        "",
        "from dataclasses import dataclass",
        "from typing import Any",
        "",
        "from ._pose import Pose",
        "from ._types import Array, Scalar",
    ]
    text += [record(m) for m in records]
    text += ["", "", "__all__ = ["]
    text += [f'    "{m["record"]}",' for m in records]
    text += ["]", "", "CLASSES: dict[str, Any] = {", '    "pose": Pose,']
    text += [f'    "{m["name"]}": {m["record"]},' for m in records]
    text += ["}", ""]
    return "\n".join(text)


def returned(method: dict[str, Any]) -> str:
    if is_record(method):
        return f"_results.{method['record']}"
    only = method["outputs"][0]
    if only["name"] == "pose":
        return "Pose"
    return "Array" if only["shape"] else "Scalar"


def stub(method: dict[str, Any]) -> str:
    """The signature of a method, one argument a line."""
    lines = [f"    def {method['name']}(", "        self,"]
    starred = False
    for a in method["arguments"]:
        if a["keyword"] and not starred:
            lines.append("        *,")
            starred = True
        kind = returned(method) + " | None" if a["name"] == "out" else a["type"]
        if kind == "Array":
            kind = "ArrayLike" if a["required"] else "ArrayLike | None"
        kind = kind.replace("Array | None", "ArrayLike | None") if a["name"] != "out" else kind
        default = "" if a["required"] else f" = {a['preset']}".replace("'", '"')
        lines.append(f"        {a['name']}: {kind}{default},")
    lines.append(f"    ) -> {returned(method)}: ...")
    return "\n".join(lines)


def stubs(methods: list[dict[str, Any]]) -> str:
    """_arne.pyi with its methods anew."""
    head = (FOLDER / "_arne.pyi").read_text().split(MARK)[0]
    return head + MARK + "\n".join(stub(m) for m in methods) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true",
                        help="only tell whether the files are as they would be written")
    check = parser.parse_args().check
    methods = _arne.methods()
    stale = 0
    written = (("_results.py", results(methods)), ("_arne.pyi", stubs(methods)))
    for name, text in written:
        path = FOLDER / name
        if path.exists() and path.read_text() == text:
            continue
        stale += 1
        if check:
            print(f"{path}: not as the catalogue has it; run generate.py", file=sys.stderr)
        else:
            path.write_text(text)
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
