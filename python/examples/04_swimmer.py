"""An eel swims: examples/swimmer, run and drawn from Python.

    python 04_swimmer.py SCENARIO
"""

from __future__ import annotations

import sys

import arne


def main() -> None:
    run = arne.simulate(sys.argv[1] if len(sys.argv) > 1 else "examples/swimmer/scenario.yaml")
    print(run.summary["title"])
    for figure in run.summary["figures"]:
        print(f"  {figure['name']:36s} {figure['value']:12.6g} {figure['unit']}")


if __name__ == "__main__":
    main()
