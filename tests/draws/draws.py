#!/usr/bin/env python3
"""Random robots and scenarios: what must not change does not, and what must hold holds.

    draws.py RUN_SCENARIOS [--draws N] [--first SEED] [--table FILE] [--renew] [--verbose]

The first draws are all pairs of features: each runs or is refused by name, as the table in FILE
says (--renew writes it). Later ones have three to six features. Every draw is run; energy and
momentum are balanced from the rows of its result alone; and it is run again in one other way: in a
world that is turned and moved, in other units, with other names in another order, with other rows
and columns, on a base that moves at constant speed, or with half the step; and in a locale with a
decimal comma, where the machine has one. ARNE_LONG multiplies the number of draws by a hundred.
"""
import argparse
import array
import copy
import itertools
import json
import math
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

import geometry as g
from drawing import ANCHORED, FEATURES, Draw, World, group_of

UNITS = {"": (0, 0, 0), "rad": (0, 0, 0), "m": (0, 1, 0), "s": (0, 0, 1), "rad/s": (0, 0, -1),
         "m/s": (0, 1, -1),
         "rad/s^2": (0, 0, -2), "m/s^2": (0, 1, -2), "N": (1, 1, -2), "N m": (1, 2, -2),
         "J": (1, 2, -2), "N s": (1, 1, -1),
         "N m s": (1, 2, -1)}


class Table:
    def __init__(self, columns, rows):
        self.names = [c[:c.rindex(" [")] for c in columns]
        self.units = [c[c.rindex(" [") + 2:-1] for c in columns]
        self.rows = rows
        self.at = {n: i for i, n in enumerate(self.names)}

    def column(self, name):
        return [row[self.at[name]] for row in self.rows]

    def vectors(self, names):
        return [[row[self.at[n]] for n in names] for row in self.rows]


class Runner:
    """The program that runs scenarios, in a folder of its own."""

    def __init__(self, program, environment=None):
        self.folder = pathlib.Path(
            tempfile.mkdtemp(dir="/dev/shm" if os.path.isdir("/dev/shm") else None))
        env = dict(os.environ, **(environment or {}))
        self.process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        text=True, env=env)

    def close(self):
        self.process.stdin.close()
        self.process.wait()
        shutil.rmtree(self.folder)

    def run(self, draw):
        """(outcome, text, energy residual, table)"""
        scenario, out = draw.write(self.folder), self.folder / "out"
        self.process.stdin.write(f"{scenario}\t{out}\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline().rstrip("\n").split("\t")
        if answer[0] != "ok":
            return (answer[0] or "crashed"), answer[-1], 0, None
        numbers, self.steps = array.array("d", out.read_bytes()), int(answer[2])
        n = len(answer) - 3
        return "ok", "", float.fromhex(answer[1]), Table(
            answer[3:], [list(numbers[i:i + n]) for i in range(0, len(numbers), n)])


class Broken(Exception):
    pass


# ---- how near two results must be

def tolerance(draw):
    """Relative: events and impacts are found to about 1e-6 of a step, and what follows them differs
    by that."""
    rigid = draw.has("rigid ground") or draw.has("limits: hold")
    if rigid and (draw.has("friction that sticks")
                  or draw.has("limits: hold") and draw.has("rigid ground")):
        return 2e-2
    if rigid or draw.has("friction that sticks"):
        return 2e-4
    if draw.has("compliant ground") or draw.has("cvode") or draw.has("ida"):
        return 1e-4
    return 1e-6


def compare(what, draw, a, b, kinds=("q", "qd", "energy"), tol=None):
    """Columns of the same names; each kind against its largest number."""
    tol = tol or tolerance(draw)
    for kind in kinds:
        names = [n for n in a.names if n.split(".")[0] == kind and n in b.at]
        size = max((abs(x) for n in names for x in a.column(n)), default=0)
        for n in names:
            far = max(abs(x - y) for x, y in zip(a.column(n), b.column(n)))
            if not far <= tol * max(size, 1e-3):
                raise Broken(f"{what}: {n} differs by {far:.3g} of {size:.3g}")


# ---- balances from the rows alone

def integral(times, values):
    """Simpson's rule over rows of equal distance; the last one by the trapezium where their number
    is even."""
    h, n = times[1] - times[0], len(values) - 1
    even = n - n % 2
    total = sum(values[i] + 4 * values[i + 1] + values[i + 2] for i in range(0, even, 2)) * h / 3
    return total + (h * (values[-1] + values[-2]) / 2 if n % 2 else 0)


def masses(draw):
    total = sum(b.get("mass", 0) for b in draw.robot["bodies"])
    for b in draw.robot["bodies"]:
        f = b.get("flexible")
        if f:
            total += f["density"] * f["length"] * f["rectangle"][0] * f["rectangle"][1]
    return total + sum(m.get("mass", 0) for m in draw.robot.get("motors", []))


def check_momentum(draw, t):
    """A free robot that touches rigid ground or nothing: dp/dt = m g + f of the contact, its mean
    since the row before."""
    links = [s["type"] for s in draw.scenario.get("surroundings", [])]
    if draw.base != "free" or any(s != "ground" for s in links) or draw.has("compliant ground"):
        return
    m, gravity, time = masses(draw), draw.robot["gravity"], t.column("time")
    for k, axis in enumerate("xyz"):
        p = t.column(f"momentum.p{axis}")
        f = t.column(f"contact.foot.f{axis}") if "contacts" in draw.robot else [0] * len(p)
        for i in range(1, len(p)):
            off = p[i] - p[i - 1] - (m * gravity[k] + f[i]) * (time[i] - time[i - 1])
            if not abs(off) <= 1e-3 * m * 9.81 * time[-1]: # steps of 0.5 ms
                raise Broken(f"momentum {axis} is off by {off:.3g} N s in row {i}")


def check_energy(draw, t):
    """E changes by the work of torques, friction and dampers on joints of one coordinate, where
    nothing else acts."""
    odd = {"flexible link", "ball joint", "universal joint", "planar joint", "prescribed base",
           "rigid ground", "limits: hold",
           "friction that sticks", "elastic joint", "mimic joint", "euler", "pd with a sample time"}
    if draw.scenario.get("surroundings") or draw.features & odd:
        return
    power = [0.0] * len(t.rows)
    width = draw.scenario["friction"]["velocity"] if draw.has("smooth friction") else None
    damping = {s["joint"]: s["damping"] for s in draw.robot.get("elastic", [])}
    for j in draw.robot["joints"]:
        if f"qd.{j['name']}" not in t.at:
            continue
        f = j.get("friction", {})
        viscous = f.get("viscous", 0) + damping.get(j["name"], 0)
        for i, (v,
                tau) in enumerate(zip(t.column(f"qd.{j['name']}"), t.column(f"tau.{j['name']}"))):
            dry = f.get("coulomb", 0) * (math.tanh(v / width)
                                         if width and not draw.has("drive: reference")
                                         else (v > 0) - (v < 0))
            power[i] += (tau - viscous * v - dry) * v
    work, energy = integral(t.column("time"), power), t.column("energy.total")
    size = max(max(t.column("energy.kinetic")), abs(work))
    if not abs(energy[-1] - energy[0] - work) <= 0.03 * size:
        raise Broken(f"energy changes by {energy[-1] - energy[0]:.4g} J, the work is {work:.4g} J")


def check_residual(draw, residual):
    """The program's own account of all work."""
    fixed = draw.scenario.get("integrator", {}).get("method", "euler")
    rough = draw.has("rigid ground") or draw.has("limits: hold") or draw.has(
        "friction that sticks") and fixed == "rk4"
    allowed = 0.2 if fixed == "euler" else 0.05 if rough else 1e-3
    if not residual <= allowed:
        raise Broken(f"the energy residual is {residual:.3g}")


# ---- the same in another way

def turned(run, draw, t, r):
    at = (g.rotation(r), [r.uniform(-3, 3) for _ in range(3)])
    u = run(Draw(draw.seed, draw.features, World(at=at)))
    compare("turned", draw, t, u, ("qd", "thetad"))
    energy = t.column("energy.kinetic")
    compare_column("turned", draw, "energy.kinetic", energy, u.column("energy.kinetic"),
                   max(energy))
    for n in t.names:
        if n.startswith("q.") and not n.startswith("q.base."):
            compare_column("turned", draw, n, t.column(n), u.column(n), 1)
    triples = [["momentum.px", "momentum.py", "momentum.pz"],
               ["momentum.lx", "momentum.ly", "momentum.lz"]]
    if "contacts" in draw.robot and draw.has("compliant ground"):
        triples.append([f"contact.foot.f{a}" for a in "xyz"])
    for names in triples:
        want = [g.apply(at[0], v) for v in t.vectors(names)]
        size = max(max(abs(x) for x in v) for v in want)
        for v, w in zip(want, u.vectors(names)):
            if not max(abs(x - y) for x, y in zip(v, w)) <= 10 * tolerance(draw) * max(size, 1e-2):
                raise Broken(f"turned: {names[0]} is {w}, not {v}")
    want = [g.add(g.apply(at[0], v), at[1]) for v in t.vectors(["com.x", "com.y", "com.z"])]
    for v, w in zip(want, u.vectors(["com.x", "com.y", "com.z"])):
        if not max(abs(x - y) for x, y in zip(v, w)) <= 10 * tolerance(draw):
            raise Broken(f"turned: the centre of mass is at {w}, not at {v}")


def compare_column(what, draw, name, a, b, size):
    far = max(abs(x - y) for x, y in zip(a, b))
    if not far <= tolerance(draw) * size:
        raise Broken(f"{what}: {name} differs by {far:.3g}")


def in_units(run, draw, t, r):
    solver = draw.has("cvode") or draw.has("ida")  # absolute tolerances, also of velocities
    units = tuple(10 ** r.uniform(-1 if solver else -3, 1 if solver else 3) for _ in range(3))
    u = run(Draw(draw.seed, draw.features, World(units=units)))
    back = copy.copy(u)
    factor = [1 / math.prod(f ** p for f, p in zip(units, UNITS[x])) for x in u.units]
    back.rows = [[x * f for x, f in zip(row, factor)] for row in u.rows]
    # Absolute tolerances are in the units of the file.
    loose = draw.scenario.get("integrator", {}).get("method") not in ("euler", "rk4")
    # What is slow or near for a robot of this size is not the same part of one of another size.
    rigid = draw.has("rigid ground") or draw.has("limits: hold")
    compare(f"in units of {units}", draw, t, back, tol=max(0.05, 10 * tolerance(draw))
            if rigid else max(25 * tolerance(draw), 1e-3 if loose else 0))


def renamed(run, draw, t, r):
    other = Draw(draw.seed, draw.features)
    names = [b["name"] for b in other.robot["bodies"]] + [j["name"] for j in other.robot["joints"]]
    new = {n: f"{n}-{r.choice('qxz')}é" for n in names}
    text = json.dumps([other.robot, other.scenario])
    for n in sorted(names, key=len, reverse=True):
        text = text.replace(f'"{n}"', json.dumps(new[n]))
    other.robot, other.scenario = json.loads(text)
    for key in ("bodies", "joints", "motors", "elastic"):
        r.shuffle(other.robot.get(key, []))
    u = run(other)
    old = {v: k for k, v in new.items()}
    for i, n in enumerate(u.names):
        part = n.split(".")
        u.names[i] = ".".join([part[0]] + [old.get(x, x) for x in part[1:]])
    u.at = {n: i for i, n in enumerate(u.names)}
    missing = [n for n in t.names if n not in u.at and "beam" not in n]
    if missing:
        raise Broken(f"renamed: no column {missing[0]}")
    compare("renamed", draw, t, u)


def other_rows(run, draw, t, r):
    other = Draw(draw.seed, draw.features)
    other.scenario["record"] = {"every": 0.04, "columns": ["q", "qd", "energy"]}
    u = run(other)
    rows = Table([f"{n} [{x}]" for n, x in zip(t.names, t.units)], t.rows[::4])
    compare("with other rows", draw, rows, u)


def on_a_train(run, draw, t, r):
    """A base that moves at constant speed, in place of one that stands."""
    if draw.base != "fixed" or draw.features & ANCHORED:
        return other_rows(run, draw, t, r)
    speed = [r.uniform(-3, 3) for _ in range(3)]
    other = Draw(draw.seed, draw.features)
    other.robot["base"] = "prescribed"
    end = [0.25 * v for v in speed]
    other.scenario["base_motion"] = {"type": "waypoints", "times": [0, 0.25],
                                     "interpolation": "linear",
                                     "points": [[0, 0, 0, 0, 0, 0, 1], end + [0, 0, 0, 1]]}
    for s in other.scenario.get("surroundings", []):
        if s["type"] == "wing":
            s["wind"] = g.add(s["wind"], speed)
    compare("at constant speed", draw, t, run(other), ("q", "qd"))


def halved(run, draw, t, r):
    """Steps of half and a quarter the length: the error falls as the order says."""
    method = draw.scenario.get("integrator", {}).get("method", "")
    stiff = draw.has("smooth friction") or draw.has("pd with a sample time")
    if method not in ("euler", "rk4") or tolerance(draw) > 1e-5 or stiff:
        return other_rows(run, draw, t, r)
    results = []
    for part in (4, 2, 1):
        other = Draw(draw.seed, draw.features)
        other.scenario["integrator"]["step"] *= part
        results.append(run(other))
    names = [n for n in t.names if n.startswith("qd.")]
    def apart(a, b):
        return max(abs(x - y) for n in names for x, y in zip(a.column(n)[-3:], b.column(n)[-3:]))
    first, second = apart(results[0], results[1]), apart(results[1], results[2])
    size = max(abs(x) for n in names for x in t.column(n))
    order = 4 if method == "rk4" else 1
    if second > 1e-8 * size and not first / second > 2 ** (order - 1):
        raise Broken(f"halved steps: errors of {first:.3g} and {second:.3g}, order {order}")


CHANGES = [turned, in_units, renamed, other_rows, on_a_train, halved]


# ---- draws

def all_pairs():
    return [p for p in itertools.combinations(FEATURES, 2)
            if group_of(p[0]) is None or group_of(p[0]) != group_of(p[1])]


def some_features(r):
    chosen = {}
    for f in r.sample(FEATURES, r.randint(3, 6)):
        chosen.setdefault(group_of(f) or f, f)
    return tuple(chosen.values())


def jams(draw, outcome, table):
    """A leg that cannot give way between rigid ground and a base that moves: no force is large
    enough."""
    if draw.base == "free" or not draw.has("rigid ground"):
        return False
    forces = [abs(x) for a in "xyz" for x in table.column(f"contact.foot.f{a}")] if table else []
    return outcome == "failed" or outcome == "ok" and max(forces) > 1000 * draw.weight * 9.81


class Draws:
    def __init__(self, program):
        self.runner, self.refused, self.passed, self.broken = Runner(program), {}, set(), []
        comma = "de_DE.utf8" in subprocess.run(["locale", "-a"], stdout=subprocess.PIPE, text=True,
                                               check=False).stdout.split()
        self.other = Runner(program, {"LC_ALL": "de_DE.UTF-8"} if comma else None)

    def close(self):
        self.runner.close()
        self.other.close()

    def again(self, draw):
        outcome, text, _, table = self.other.run(draw)
        if outcome != "ok":
            raise Broken(f"{outcome} in the other way: {text}")
        return table

    def one(self, seed, features, change):
        draw = Draw(seed, features)
        draw.seed = seed
        outcome, text, residual, table = self.runner.run(draw)
        # What follows a reference must determine all other joints: known when the loops are closed.
        if outcome == "refused" or outcome == "failed" and "are fewer than the mobility" in text:
            self.refused[frozenset(features)] = text
            return "refused"
        if jams(draw, outcome, table):
            return "jammed"
        try:
            if outcome != "ok":
                raise Broken(f"{outcome}: {text}")
            check_residual(draw, residual)
            check_momentum(draw, table)
            check_energy(draw, table)
            change(self.again, draw, table, random.Random(seed))
        except Broken as b:
            self.broken.append((seed, features, change.__name__, str(b)))
            return "broken"
        self.passed.add(frozenset(features))
        return "passed"


def print_table(draws, pairs):
    """The pairs that are refused; all others run."""
    lines = ["# Features of scenarios that do not go together", "",
             "Of the features below, all pairs run but those in the table: these are refused, with "
             "this message. `tests/draws/draws.py` draws",
             "robots and scenarios at random, runs every pair, and writes this page.", "",
             ", ".join(f"`{f}`" for f in FEATURES) + ".", "",
             "| feature | with | message |", "|---|---|---|"]
    for a, b in pairs:
        text = draws.refused.get(frozenset((a, b)))
        if text:
            lines.append(f"| {a} | {b} | {text} |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--draws", type=int, default=2500)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--table")
    parser.add_argument("--renew", action="store_true")
    parser.add_argument("--verbose", action="store_true")
    given = parser.parse_args()
    count = given.draws * (100 if os.environ.get("ARNE_LONG") else 1)
    draws, pairs, outcomes = Draws(given.program), all_pairs(), {}
    for seed in range(given.first, given.first + count, int(os.environ.get("ARNE_TEST_PART", "1"))):
        r = random.Random(seed)
        features = pairs[seed] if seed < len(pairs) else some_features(r)
        change = CHANGES[seed % len(CHANGES)] if seed >= len(pairs) else r.choice(CHANGES)
        outcome = draws.one(seed, features, change)
        outcomes[outcome] = outcomes.get(outcome, 0) + 1
        if given.verbose:
            print(seed, outcome, ", ".join(sorted(features)), change.__name__)
    draws.close()
    print(f"{count} draws: " + ", ".join(f"{n} {o}" for o, n in sorted(outcomes.items())))
    bad = len(draws.broken)
    for seed, features, change, text in draws.broken[:40]:
        print(f"draw {seed} ({', '.join(sorted(features))}; {change}): {text}")
    whole = given.first == 0 and count >= len(pairs) and "ARNE_TEST_PART" not in os.environ
    if given.table and whole and not bad:
        text, path = print_table(draws, pairs), pathlib.Path(given.table)
        if given.renew:
            path.write_text(text)
        elif any("SUNDIALS" in t for t in draws.refused.values()):
            print("without SUNDIALS the table of pairs is another one")
        elif not path.exists() or text != path.read_text():
            print(f"{given.table} has another table of pairs: --renew writes it")
            bad += 1
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
