#!/usr/bin/env python3
"""How sweeps scale: the figures of docs/sweep.md.

    bench/sweeps.py ARNE [RANKS [ROUNDS]]

ARNE is the program, RANKS the largest number of ranks (the machine's processors unless told),
ROUNDS how often all is measured (3). Runs the robustness example, a second of it. First rows a
second of 1, 2, 4, ... ranks, with as many rows for each rank, of one rank with that many processes,
and of that many programs that know nothing of each other, which is what the machine can give. Then
the processor time of a row, which depends less on what else the machine does.
"""

import os
import pathlib
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
ROWS = 200  # for each rank
ENV = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
           OMPI_MCA_btl_vader_single_copy_mechanism="none")


class Bench:
    """The program, and a folder for what it leaves."""

    def __init__(self, arne, folder):
        self.arne, self.folder, self.runs = arne, pathlib.Path(folder), 0

    def sweep(self, rows):
        """A sweep file with so many rows."""
        path = self.folder / f"rows{rows}.yaml"
        text = (ROOT / "examples/robustness/sweep.yaml").read_text(encoding="utf-8")
        text = re.sub(r"^samples:.*", f"samples: {rows}", text, flags=re.M)
        if not path.exists():  # another run may be reading it
            path.write_text(text.replace("run: ../", f"run: {ROOT}/examples/"), encoding="utf-8")
        return path

    def command(self, rows, ranks=None, jobs=1, mpi="openmpi"):
        self.runs += 1
        many = {"openmpi": ["--oversubscribe", "--bind-to", "none"], "mpich": []}[mpi]
        launcher = [f"mpirun.{mpi}", *many, "-n", str(ranks)] if ranks else []
        return [*launcher, self.arne, "sweep", str(self.sweep(rows)), "-o",
                str(self.folder / f"run{self.runs}"), "-j", str(jobs)]

    def start(self, *args, **kinds):
        return subprocess.Popen(self.command(*args, **kinds), env=ENV, text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)

    def rate(self, process):
        found = re.search(r"\(([\d.e+]+) rows/s\)", process.communicate()[0])
        return float(found.group(1)) if found else float("nan")

    def processor(self, *args, **kinds):
        """Seconds of processor time of a sweep, with all its processes."""
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.start(*args, **kinds).communicate()
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def print_rates(bench, most, rounds):
    """Medians of rounds that take turns, since a machine is faster in one minute than in the
    next."""
    ways = {"one process": lambda: bench.rate(bench.start(ROWS))}
    ranks = 1
    while ranks <= most:
        ways[f"{ranks} rank{'s' * (ranks > 1)}"] = lambda n=ranks: bench.rate(
            bench.start(ROWS * n, ranks=n))
        ranks *= 2
    ways[f"one rank, {most} processes"] = lambda: bench.rate(bench.start(ROWS * most, jobs=most))
    ways[f"{most} independent programs"] = lambda: sum(bench.rate(p)
                                                       for p
                                                       in [bench.start(ROWS) for _ in range(most)])
    rates = {name: [] for name in ways}
    for _ in range(rounds):
        for name, way in ways.items():
            rates[name].append(way())
    one = statistics.median(rates["1 rank"])
    for name, found in rates.items():
        middle = statistics.median(found)
        print(f"{name:28} {middle:8.4g} rows/s ({min(found):.4g} to {max(found):.4g}), "
              f"{middle / one:6.2f} times one rank", flush=True)


def print_processor_time(bench, most):
    """Of a row, in medians; where it does not grow with the ranks, they do not hinder each
    other."""
    ways = {"1 rank, Open MPI": {"ranks": 1}, "2 ranks, Open MPI": {"ranks": 2},
            f"{most} ranks, Open MPI": {"ranks": most},
            "2 ranks, MPICH": {"ranks": 2, "mpi": "mpich"}, "1 rank, 2 processes": {"jobs": 2}}
    for name, kinds in ways.items():
        if "ranks" in kinds and not shutil.which(f"mpirun.{kinds.get('mpi', 'openmpi')}"):
            continue
        each = 30 * kinds.get("ranks", kinds.get("jobs", 1))
        few = statistics.median(bench.processor(each, **kinds) for _ in range(3))
        many = statistics.median(bench.processor(6 * each, **kinds) for _ in range(3))
        row = (many - few) / (5 * each)
        print(f"{name:28} {1000 * row:8.2f} ms of processor time a row, {few - each * row:.2f} s "
              f"to start", flush=True)


def main():
    if len(sys.argv) not in (2, 3, 4):
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(os.path.abspath(sys.argv[1]), folder)
        most = int(sys.argv[2]) if len(sys.argv) > 2 else os.cpu_count() or 1
        print_rates(bench, most, int(sys.argv[3]) if len(sys.argv) > 3 else 3)
        print_processor_time(bench, most)


if __name__ == "__main__":
    main()
