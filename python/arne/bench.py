"""python -m arne.bench: what a call from Python costs, beside the library's own figures of the same
run.

Inverse dynamics of a robot (arm7 unless named): one state with `out` and without, many states in
both orders of memory, the steps of a quadruped that stands, and the import. Limits are those of the
project, on a machine that does nothing else.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from . import __version__, _arne, get_threads, load, set_threads

_IMPORT = "import time, numpy; t = time.perf_counter(); import arne; print(time.perf_counter() - t)"


def _best(call: Callable[[], object], repeats: int) -> float:
    """The least time [s] of some calls."""
    least = float("inf")
    for _ in range(repeats):
        start = time.perf_counter()
        call()
        least = min(least, time.perf_counter() - start)
    return least


def _one(robot: Any, repeats: int, calls: int = 5000) -> tuple[float, float, float]:
    """Seconds of the library's call, with `out`, and without."""
    q, qd, qdd = robot.random_configuration(seed=1), np.ones(robot.v_count), np.ones(robot.v_count)
    out, f = np.empty(robot.v_count), robot.inverse_dynamics

    def given() -> None:
        for _ in range(calls):
            f(q, qd, qdd, out=out)

    def made() -> None:
        for _ in range(calls):
            f(q, qd, qdd)

    best = [float("inf")] * 3
    for _ in range(repeats):  # in turn, so that all see the same machine
        best[0] = min(best[0], robot._bench(1, 1))
        best[1] = min(best[1], _best(given, 1) / calls)
        best[2] = min(best[2], _best(made, 1) / calls)
    return best[0], best[1], best[2]


def _many(robot: Any, count: int, repeats: int) -> tuple[float, float, float]:
    """Seconds for a state: of the library's batch, of component-major arrays, of C-ordered ones."""
    numbers = np.random.default_rng(1)
    rows = [robot.random_configuration(count, seed=1),
            *numbers.normal(size=(2, count, robot.v_count))]
    columns = [np.asfortranarray(x) for x in rows]
    out = np.empty((count, robot.v_count))
    across = np.asfortranarray(out)
    best = [float("inf")] * 3
    for _ in range(repeats):
        best[0] = min(best[0], robot._bench(count, 1))
        best[1] = min(best[1], _best(lambda: robot.inverse_dynamics(*columns, out=across), 1)
                      / count)
        best[2] = min(best[2], _best(lambda: robot.inverse_dynamics(*rows, out=out), 1) / count)
    return best[0], best[1], best[2]


def _standing() -> tuple[Any, Any]:
    """A simulation of a quadruped that stands on four feet, and the torques that hold it."""
    from . import Simulation

    robot = load("quadruped")
    q = np.zeros(robot.q_count)
    q[2], q[6] = 0.3, 1
    q[8::3], q[9::3] = -0.8, 1.6
    sim = Simulation(robot, ground="rigid", step=1e-3, q=q,
                     controller={"type": "pd", "kp": 60, "kd": 2}, friction="none")
    sim.step(n=1000)
    return sim, sim.tau


def _step(repeats: int, calls: int = 500) -> tuple[float, float]:
    """Seconds of a step of a standing quadruped: the library's call, and Python's."""
    sim, tau = _standing()
    state = sim.state

    def steps() -> None:
        for _ in range(calls):
            sim.step(tau)

    best = [float("inf")] * 2
    for _ in range(repeats):
        sim.state = state
        best[0] = min(best[0], _arne.simulation_bench(sim._held, tau, calls))
        sim.state = state
        best[1] = min(best[1], _best(steps, 1) / calls)
    return best[0], best[1]


def _worlds(model: str, count: int, threads: int, steps: int = 20) -> float:
    """Steps of a quadruped in a second, over all worlds."""
    from . import Simulations

    sim, _ = _standing()
    ground: dict[str, Any] = {"model": model}
    if model == "compliant":  # as stiff as Euler's steps of 1 ms bear
        ground |= {"stiffness": 3e5, "slip_velocity": 0.01}
    how: dict[str, Any] = {"integrator": {"method": "euler", "step": 1e-3}, "friction": "none"}
    worlds = Simulations(sim.robot, count, ground=ground, step=1e-3, q=sim.q, kp=60, kd=2,
                         threads=threads, **how)
    worlds.step(n=100)
    return count * steps / _best(lambda: worlds.step(n=steps), 5)


def _import(repeats: int) -> float:
    """Seconds that the import takes after NumPy's."""
    times = [
        float(subprocess.run([sys.executable, "-c", _IMPORT], capture_output=True, text=True,
                             check=True).stdout)
        for _ in range(repeats)
    ]
    return min(times)


def measure(name: str = "arm7", count: int = 100_000, repeats: int = 20) -> dict[str, float]:
    """All figures: seconds [s] for a call or a state, and parts [1] of the library's speed."""
    robot = load(name)
    c, given, made = _one(robot, repeats)
    batch, columns, rows = _many(robot, count, repeats)
    c_step, step = _step(repeats)
    cores = os.cpu_count() or 1
    return {
        "c_call": c,
        "call_out": given,
        "call": made,
        "c_batch": batch,
        "component_major": columns,
        "c_ordered": rows,
        "component_major_part": batch / columns,
        "c_ordered_part": batch / rows,
        "c_step": c_step,
        "step": step,
        "step_part": step / c_step,
        **{f"{model}_{n}": _worlds(model, 256, n) for model in ("rigid", "compliant")
           for n in (1, cores)},
        "import": _import(5),
    }


def main() -> int:
    """Prints the table."""
    parser = argparse.ArgumentParser(prog="python -m arne.bench", description=__doc__)
    parser.add_argument("robot", nargs="?", default="arm7",
                        help="a robot file, or the name of one that comes with Arne")
    parser.add_argument("--states", type=int, default=100_000, help="how many make a batch")
    parser.add_argument("--threads", type=int, default=0,
                        help="of batches; 0: one for each processor")
    parser.add_argument("--repeats", type=int, default=20, help="the best of so many")
    args = parser.parse_args()
    set_threads(args.threads)
    m = measure(args.robot, args.states, args.repeats)
    threads = get_threads() or os.cpu_count() or 1
    print(f"arne {__version__}, Python {sys.version.split()[0]}, NumPy {np.__version__}")
    print(f"inverse dynamics of {args.robot}\n")
    print(f"one state                    ns      limit")
    print(f"  C                    {1e9 * m['c_call']:8.0f}")
    print(f"  Python, out=         {1e9 * m['call_out']:8.0f}        500")
    print(f"  Python               {1e9 * m['call']:8.0f}        650")
    print(f"\n{args.states} states, {threads} threads   ns/state   of C   limit")
    print(f"  C batch              {1e9 * m['c_batch']:8.1f}")
    print(f"  component-major      {1e9 * m['component_major']:8.1f}  "
          f"{100 * m['component_major_part']:5.0f} %    85 %")
    print(f"  C-ordered            {1e9 * m['c_ordered']:8.1f}  {100 * m['c_ordered_part']:5.0f} % "
          "   75 %")
    cores = os.cpu_count() or 1
    print(f"\na quadruped on four feet     us   of C   limit")
    print(f"  C step               {1e6 * m['c_step']:8.2f}")
    print(f"  Python step          {1e6 * m['step']:8.2f}  {m['step_part']:5.2f}    1.3")
    print(f"\n256 worlds of it      steps/s, 1 thread   {cores} threads")
    for model in ("rigid", "compliant"):
        print(f"  {model:<20} {m[f'{model}_1']:14.0f} {m[f'{model}_{cores}']:11.0f}")
    print(f"\nimport after NumPy     {1e3 * m['import']:8.1f} ms      20 ms")
    return 0


if __name__ == "__main__":
    sys.exit(main())
