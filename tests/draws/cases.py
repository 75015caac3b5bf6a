#!/usr/bin/env python3
"""Single laws of simulations, each on a robot as small as it can be.

    cases.py RUN_SCENARIOS [NAME...]
"""
import array
import math
import sys

from drawing import Draw
from draws import Broken, Runner

REST = [0, 0, 0, 0, 0, 0, 1]
ROUND = {"ixx": 0.01, "iyy": 0.01, "izz": 0.01, "ixy": 0, "ixz": 0, "iyz": 0}


class Case:
    """A robot and a scenario as files."""

    def __init__(self, robot, scenario, gravity=(0, 0, -9.81)):
        self.robot = dict(robot, gravity=list(gravity))
        self.scenario, self.tables = dict(scenario, robot="robot.yaml"), {}

    write = Draw.write


def body(name, mass=1.0, com=(0, 0, 0), inertia=None):
    return {"name": name, "mass": mass, "com": list(com), "inertia": inertia or ROUND}


def ball(radius=0.1, mass=2.0):
    i = 0.4 * mass * radius ** 2
    return {"name": "ball", "base": "free",
            "contacts": [{"name": "b", "link": "ball", "sphere": radius}],
            "bodies": [body("ball", mass, inertia=dict(ROUND, ixx=i, iyy=i, izz=i))]}


def need(condition, text):
    if not condition:
        raise Broken(text)


def near(x, wanted, within, what):
    need(abs(x - wanted) <= within, f"{what} is {x:.9g}, not {wanted:.9g}")


class Laws:
    def __init__(self, program):
        self.runner = Runner(program)

    def run(self, case):
        outcome, text, residual, table = self.runner.run(case)
        need(outcome == "ok", f"{outcome}: {text}")
        self.residual, self.steps = residual, self.runner.steps
        return table

    def refused(self, case, words):
        outcome, text, _, _ = self.runner.run(case)
        need(outcome == "refused" and words in text, f"{outcome}: {text}; wanted '{words}'")

    def impacts(self, columns):
        numbers = array.array("d", (self.runner.folder / "out.impacts").read_bytes())
        return [numbers[i:i + columns] for i in range(0, len(numbers), columns)]

    # ---- contact

    def impacts_are_in_the_forces(self):
        """A ball bounces: every impulse is m (1 + e) v, and forces times time are all impulses."""
        for every in (0.001, 0.013):
            t = self.run(Case(ball(), {
                "duration": 1.5, "initial": {"q": [0, 0, 1.1] + REST[3:]},
                "record": {"every": every, "columns": ["q", "momentum", "contact"]},
                "surroundings": [{"type": "ground", "friction": 0.3, "restitution": 0.8}],
                "integrator": {"method": "euler", "step": 0.001}}))
            hits, speed, when = self.impacts(4), math.sqrt(2 * 9.81), math.sqrt(2 / 9.81)
            need(len(hits) == 2, f"{len(hits)} impacts")
            for k, hit in enumerate(hits):
                near(hit[0], when, 1e-5, "the time of an impact")
                near(hit[3], 2 * 1.8 * speed, 1e-4, "its impulse")
                speed *= 0.8
                when += 2 * speed / 9.81
            time, f, p = t.column("time"), t.column("contact.b.fz"), t.column("momentum.pz")
            total = sum(f[i] * (time[i] - time[i - 1]) for i in range(1, len(f)))
            near(total, p[-1] - p[0] + 2 * 9.81 * time[-1], 1e-9, "the sum of all impulses")

    def restitution_one_keeps_the_energy(self):
        for k in range(40):
            t = self.run(Case(ball(), {
                "duration": 3, "initial": {"q": [0, 0, 0.6] + REST[3:], "qd": [0.2, 0, 0, 0, 1, 0]},
                "record": {"every": 0.05, "columns": ["energy"]},
                "surroundings": [{"type": "ground", "friction": 0, "restitution": 1}],
                "integrator": {"method": "euler", "step": 0.0004 * 1.1 ** k}}))
            e = t.column("energy.total")
            near(e[-1], e[0], 1e-4 * e[0], f"the energy with steps of {0.0004 * 1.1 ** k:.3g} s")

    def what_no_force_acts_on_stays(self):
        """A free body on a base that is shaken, without gravity, beside limits that hold."""
        robot = {"base": "prescribed", "bodies": [body("cart"), body("thing"), body("lever")],
                 "joints": [{"name": "f", "kind": "free", "parent": "cart", "child": "thing"},
                            {"name": "j", "kind": "revolute", "parent": "cart", "child": "lever",
                             "axis": [0, 0, 1],
                             "limits": {"lower": -1, "upper": 1}}]}
        ends = []
        for every in (0.002, 0.25):
            t = self.run(Case(robot, {
                "duration": 1, "limits": "hold", "integrator": {"method": "euler", "step": 0.001},
                "initial": {"qd": {"f": [-0.6, 0.4, 0, 0, 0, -0.5]}},
                "base_motion": {"type": "sinusoid",
                                "harmonics": [
                                    {"frequency": 2, "amplitude": [0.3, -0.2, 0, 0, 0, 0.25]}]},
                "record": {"every": every, "columns": ["q", "momentum"]}}, (0, 0, 0)))
            x, y, turn = 0.3 * math.sin(2), -0.2 * math.sin(2), 0.25 * math.sin(2)
            q = [t.rows[-1][t.at[f"q.f.{k}"]] for k in range(3)]
            near(x + math.cos(turn) * q[0] - math.sin(turn) * q[1], 0, 2e-5, "x of the body")
            near(y + math.sin(turn) * q[0] + math.cos(turn) * q[1], 0, 2e-5, "y of the body")
            ends.append(q)
        near(ends[0][0], ends[1][0], 1e-12, "the end with other rows")

    def contacts_know_how_the_base_moves(self):
        """A foot on a slide under a base that goes up and down stays on the ground, and one that is
        dragged feels friction."""
        robot = {"base": "prescribed", "bodies": [body("cart"), body("leg")],
                 "contacts": [{"name": "foot", "link": "leg", "sphere": 0.05}],
                 "joints": [{"name": "j", "kind": "prismatic", "parent": "cart", "child": "leg",
                             "axis": [0, 0, 1]}]}
        t = self.run(Case(robot, {
            "duration": 1, "initial": {"q": [-0.45], "qd": [-0.3]},
            "base_motion": {"type": "sinusoid", "offset": [0, 0, 0.5, 0, 0, 0, 1],
                            "harmonics": [{"frequency": 3, "amplitude": [0.2, 0, 0.1, 0, 0, 0],
                                           "phase": [0.5, 0, 0, 0, 0, 0]}]},
            "surroundings": [{"type": "ground", "friction": 0.4}],
            "record": {"every": 0.05, "columns": ["q", "base", "contact"]}}))
        for i, time in enumerate(t.column("time")):
            near(t.column("q.j")[i] + t.column("base.z")[i], 0.05, 2e-5,
                 f"the height of the foot at {time:.3g} s")
        for i, time in list(enumerate(t.column("time")))[2:]:
            if abs(math.cos(3 * (time - 0.025) + 0.5)) > 0.3:
                f = [t.column(f"contact.foot.f{a}")[i] for a in "xz"]
                near(abs(f[0]), 0.4 * f[1], 1e-3, f"friction at {time:.3g} s")

    def errors(self, robot, scenario, names, steps):
        """How far the ends of runs with these steps are from that with the next one."""
        ends = []
        for h in steps:
            t = self.run(Case(robot, dict(scenario, integrator={"method": "euler", "step": h},
                                          record={"every": 0.05, "columns": ["q", "qd"]})))
            ends.append([t.rows[-1][t.at[n]] for n in names])
        return [max(abs(a - b) for a, b in zip(p, q)) for p, q in zip(ends, ends[1:])]

    def contact_is_of_second_order(self):
        """A rod that tips over its point, a leg that slides, and a disc that leans while it
        rolls."""
        ground = [{"type": "ground", "friction": 2}]
        rod = {"base": "free",
               "bodies": [body("rod", inertia=dict(ROUND, ixx=0.03, iyy=0.03, izz=0.001))],
               "contacts": [{"name": "a", "link": "rod", "point": [0, 0, -0.3]}]}
        far = self.errors(rod, {"duration": 0.25, "surroundings": ground,
                                "initial": {"q": [0, 0, 0.3 * math.cos(0.3), 0, math.sin(0.15), 0,
                                                  math.cos(0.15)]}},
                          ("q.base.0", "q.base.2", "qd.base.4"), (0.002, 0.001, 0.0005))
        near(far[0] / far[1], 4, 0.2, "the ratio of errors of the rod")
        disc = {"base": "free",
                "bodies": [body("disc", inertia=dict(ROUND, ixx=0.0225, iyy=0.0225, izz=0.045))],
                "contacts": [{"name": "rim", "link": "disc", "disc": 0.3}]}
        lean = math.pi / 2 - 0.3
        far = self.errors(disc, {"duration": 2, "surroundings": ground,
                                 "initial": {"q": [0, 0, 0.3 * math.sin(lean), math.sin(lean / 2),
                                                   0, 0, math.cos(lean / 2)],
                                             "qd": [0.9, 0, 0, 0, 0, -3]}},
                          ("q.base.0", "q.base.1", "q.base.2"), (0.001, 0.0005))
        need(far[0] < 1e-3, f"a leaning disc is off by {far[0]:.3g} m at 1 ms")

    def small_robots_have_small_tolerances(self):
        """A ball of a micrometre falls to the ground and stays there."""
        s = 1e-6
        t = self.run(Case(ball(s), {
            "duration": 1e-3, "initial": {"q": [0, 0, 1.5 * s] + REST[3:]},
            "record": {"every": 1e-5, "columns": ["q"]},
            "surroundings": [{"type": "ground", "friction": 0.3}],
            "integrator": {"method": "euler", "step": 1e-6}}))
        z, time = t.column("q.base.2"), t.column("time")
        near(z[20], 1.5 * s - 9.81 / 2 * time[20] ** 2, 1e-3 * s, "the height on the way")
        near(z[-1], s, 1e-3 * s, "the height at the end")

    def small_loops_are_closed_to_small_errors(self):
        """A parallelogram with sides of half a micrometre whose pin is open by 0.3 of them."""
        s = 5e-7
        for size in (s, 1.0):
            at = {"xyz": [size, 0, 0]}
            robot = {"bodies": [body("base"), body("a"), body("b"), body("c")],
                     "joints": [{"name": "ja", "kind": "revolute", "parent": "base", "child": "a",
                                 "active": True},
                                {"name": "jb", "kind": "revolute", "parent": "a", "child": "b",
                                 "origin": at, "passive": True},
                                {"name": "jc", "kind": "revolute", "parent": "base", "child": "c",
                                 "origin": at, "passive": True}],
                     "loops": [{"name": "pin", "kind": "revolute",
                                "predecessor": {"link": "b", "origin": at},
                                "successor": {"link": "c", "origin": at}}]}
            for b in robot["bodies"]:
                b["inertia"] = {k: v * size * size for k, v in b["inertia"].items()}
            case = {"duration": 1e-4, "integrator": {"method": "rk4", "step": 1e-5}}
            self.refused(Case(robot, dict(case, initial={"q": [0.5, -0.5, 0.8]}), (0, 0, 0)),
                         "is not assembled")
            self.run(Case(robot, dict(case, initial={"q": [0.5, -0.5, 0.5], "qd": {"ja": 1}}),
                          (0, 0, 0)))

    # ---- bases, water, loops

    def water_knows_how_the_base_moves(self):
        """A fish at rest in the world, on slides of a base that is shaken: nothing acts on it."""
        robot = {"base": "prescribed", "bodies": [body("cart"), body("fish")],
                 "joints": [{"name": "j", "kind": "prismatic", "parent": "cart", "child": "fish",
                             "axis": [1, 0, 0]}]}
        t = self.run(Case(robot, {
            "duration": 1, "initial": {"qd": [-0.6]},
            "base_motion": {"type": "sinusoid",
                            "harmonics": [{"frequency": 2, "amplitude": [0.3, 0, 0, 0, 0, 0]}]},
            "surroundings": [{"type": "added_mass", "frame": "fish", "mass": [3, 1, 1, 0, 0, 0]}]},
                          (0, 0, 0)))
        near(t.column("q.j")[-1], -0.3 * math.sin(2), 1e-8, "where the fish is")
        need(self.residual < 1e-6, f"the energy residual is {self.residual}")

    def loops_do_work_on_a_base_that_moves(self):
        robot = {"base": "prescribed",
                 "bodies": [body("cart"), body("a", com=[0.5, 0, 0]), body("b", com=[0, 0.2, 0])],
                 "joints": [{"name": "ja", "kind": "revolute", "parent": "cart", "child": "a",
                             "axis": [0, 0, 1], "active": True, "start": 0},
                            {"name": "jb", "kind": "revolute", "parent": "a", "child": "b",
                             "axis": [0, 0, 1], "passive": True,
                             "origin": {"xyz": [1, 0, 0]}, "start": 0}],
                 "loops": [{"name": "rod", "kind": "rod", "length": math.hypot(0.5, 0.4),
                            "predecessor": {"link": "cart", "origin": {"xyz": [0.5, 0.8, 0]}},
                            "successor": {"link": "b", "origin": {"xyz": [0, 0.4, 0]}}}]}
        self.run(Case(robot, {
            "duration": 1, "initial": {"q": [0]}, "friction": "none",
            "base_motion": {"type": "sinusoid",
                            "harmonics": [
                                {"frequency": 5, "amplitude": [0.2, 0.1, 0, 0, 0, 0.1]}]}},
                      (0, -9.81, 0)))
        need(self.residual < 1e-6, f"the energy residual is {self.residual}")

    def one_number_is_not_the_six_of_a_base(self):
        robot = {"base": "prescribed", "bodies": [body("cart"), body("a")],
                 "joints": [{"name": "j", "kind": "revolute", "parent": "cart", "child": "a"}]}
        for key in ("amplitude", "phase"):
            harmonic = dict({"frequency": 1, "amplitude": [0.1, 0, 0, 0, 0, 0]}, **{key: 0.1})
            self.refused(
                Case(robot,
                     {"duration": 1, "base_motion": {"type": "sinusoid", "harmonics": [harmonic]}}),
                         f"{key} is one number")

    def velocities_of_joints_beside_loops_are_kept(self):
        """A passive joint that no loop ties may start with any velocity."""
        robot = {"bodies": [body("base"), body("a"), body("b"), body("c"), body("free")],
                 "joints": [{"name": "ja", "kind": "revolute", "parent": "base", "child": "a",
                             "active": True, "start": 0.5},
                            {"name": "jb", "kind": "revolute", "parent": "a", "child": "b",
                             "origin": {"xyz": [1, 0, 0]}, "passive": True, "start": -0.5},
                            {"name": "jc", "kind": "revolute", "parent": "base", "child": "c",
                             "origin": {"xyz": [1, 0, 0]}, "passive": True, "start": 0.5},
                            {"name": "jd", "kind": "revolute", "parent": "c", "child": "free",
                             "axis": [1, 0, 0], "passive": True}],
                 "loops": [{"name": "pin", "kind": "revolute",
                            "predecessor": {"link": "b", "origin": {"xyz": [1, 0, 0]}},
                            "successor": {"link": "c", "origin": {"xyz": [1, 0, 0]}}}]}
        case = {"duration": 0.01, "initial": {"q": {"ja": 0.5}, "qd": {"ja": 0.4, "jd": 3}},
                "record": {"columns": ["qd"]}}
        t = self.run(Case(robot, case, (0, 0, 0)))
        near(t.column("qd.jd")[0], 3, 1e-12, "the velocity at the start")
        case["initial"]["qd"]["jc"] = 3
        self.refused(Case(robot, case, (0, 0, 0)), "opens the loops")

    # ---- drive: reference

    def flexible_links_bend_while_joints_follow(self):
        """A clamped beam under its weight on a joint that stands still sags as one on a fixed
        joint."""
        def arm(kind):
            return {"bodies": [{"name": "base"}, {"name": "beam", "flexible": {
                "length": 1, "axis": "x", "E": 7e10, "rectangle": [0.01, 0.01], "density": 2700,
                "segments": 4, "bends": "z", "damping": 0.1}}],
                "joints": [{"name": "root", "kind": kind, "parent": "base", "child": "beam",
                            "axis": [0, 1, 0]}]}
        same = {"duration": 0.5, "integrator": {"method": "dormand-prince"},
                "record": {"every": 0.05, "columns": ["q", "tau"]}}
        driven = self.run(
            Case(arm("revolute"),
                 dict(same, drive="reference",
                      reference={"type": "point_to_point", "to": {"root": 0}, "duration": 0.5})))
        clamped = self.run(Case(arm("fixed"), same))
        need(max(abs(x) for x in clamped.column("q.beam_1_y")) > 1e-4, "the beam does not sag")
        for n in clamped.names[1:]:
            far = max(abs(a - b) for a, b in zip(driven.column(n), clamped.column(n)))
            need(far < 1e-7, f"{n} differs by {far}")

    def torque_rates_are_those_of_the_motion(self):
        """With a thruster of 0 N as without; on a free base as the difference of torques nearby."""
        robot = {"bodies": [body("base"), body("a", com=[0.3, 0, 0]), body("b", com=[0.2, 0.1, 0])],
                 "joints": [{"name": "ja", "kind": "revolute", "parent": "base", "child": "a",
                             "axis": [0, 1, 0]},
                            {"name": "jb", "kind": "revolute", "parent": "a", "child": "b",
                             "axis": [1, 0, 0], "origin": {"xyz": [0.5, 0, 0]}}]}
        scenario = {"duration": 1, "drive": "reference",
                    "record": {"every": 0.1, "columns": ["tau", "tau_rate"]},
                    "reference": {"type": "sinusoid",
                                  "harmonics": [{"frequency": 5, "amplitude": [0.5, 0.4]}]}}
        plain = self.run(Case(robot, scenario))
        idle = self.run(
            Case(robot,
                 dict(scenario, surroundings=[{"type": "thruster", "frame": "b", "force": 0}])))
        size = max(abs(x) for x in plain.column("tau_rate.ja"))
        for n in ("tau_rate.ja", "tau_rate.jb"):
            far = max(abs(a - b) for a, b in zip(plain.column(n), idle.column(n)))
            need(far < 1e-6 * size, f"{n} differs by {far} with a thruster of 0 N")
        fine = dict(scenario, record={"every": 1e-3, "columns": ["tau", "tau_rate"]})
        flies = self.run(Case(dict(robot, base="free"), fine))
        tau, rate = flies.column("tau.ja"), flies.column("tau_rate.ja")
        size = max(abs(x) for x in rate)
        for i in range(1, len(tau) - 1):
            near(rate[i], (tau[i + 1] - tau[i - 1]) / 2e-3, 1e-4 * size,
                 "the torque rate on a free base")

    def the_reference_is_refused_by_name(self):
        robot = {"bodies": [body("base"), body("a")],
                 "joints": [{"name": "j", "kind": "revolute", "parent": "base", "child": "a"}]}
        scenario = {"duration": 0.1, "drive": "reference",
                    "reference": {"type": "point_to_point", "to": {"j": 0.1}, "duration": 0.1}}
        self.refused(Case(dict(robot, motors=[{"joint": "j", "inertia": 1e-3, "stiffness": 100}]),
                          scenario), "elastic joints")

    # ---- friction, integrators

    def joints_of_several_coordinates_stick(self):
        """A ball joint with dry friction that holds a pendulum, and one that brakes it, in few
        steps."""
        for friction in ("stick", {"type": "smooth", "velocity": 0.01}):
            robot = {"bodies": [body("base"), body("a", com=[0.05, 0, -0.3])],
                     "joints": [{"name": "j", "kind": "ball", "parent": "base", "child": "a",
                                 "friction": {"coulomb": 2.0}}]}
            t = self.run(
                Case(robot,
                     {"duration": 1, "friction": friction, "initial": {"qd": [1, 0.5, 2]},
                      "record": {"columns": ["qd"]}}))
            need(self.steps < 20000, f"{self.steps} steps")
            need(self.residual < 1e-6, f"the energy residual is {self.residual}")
            need(all(abs(x) < 0.01 for x in t.rows[-1][1:]), f"it ends at {t.rows[-1]}")

    def a_controller_that_knows_friction_breaks_loose(self):
        """Computed torque adds the friction of the velocity it sees, whose sign is rounding where a
        joint breaks loose."""
        robot = {"bodies": [body("base"), body("a", com=[0.1, 0, 0])],
                 "joints": [{"name": "j", "kind": "revolute", "parent": "base", "child": "a",
                             "friction": {"coulomb": 0.6}}]}
        self.run(
            Case(robot,
                 {"duration": 2,
                  "reference": {"type": "sinusoid",
                                "harmonics": [{"frequency": 3, "amplitude": [0.4]}]},
                              "controller": {"type": "computed_torque", "kp": 100, "kd": 20}}))
        need(self.steps < 20000, f"{self.steps} steps")

    def ida_rolls(self):
        """A cart on wheels that roll, by IDA as by Dormand-Prince."""
        wheel = dict(ROUND, ixx=0.001, iyy=0.002, izz=0.001)
        robot = {"bodies": [{"name": "ground"}, body("cart", 6, (0.05, 0, 0.1)),
                            body("left", 0.5, inertia=wheel), body("right", 0.5, inertia=wheel)],
                 "joints": [{"name": "move", "kind": "planar", "parent": "ground", "child": "cart",
                             "passive": True, "origin": {"xyz": [0, 0, 0.1]}}]
                 + [{"name": f"drive_{s}", "kind": "continuous", "parent": "cart", "child": s,
                     "axis": [0, 1, 0], "active": True,
                     "origin": {"xyz": [0, y, 0]}} for s, y in (("left", 0.2), ("right", -0.2))],
                 "loops": [{"name": f"rolls_{s}", "kind": "rolling", "axis": [0, 1, 0],
                            "radius": 0.1, "predecessor": "ground", "successor": s}
                           for s in ("left", "right")]}
        ends = []
        for method in ("dormand-prince", "ida"):
            t = self.run(
                Case(robot,
                     {"duration": 1, "initial": {"qd": {"drive_left": 3, "drive_right": 5}},
                      "integrator": {"method": method},
                                      "record": {"columns": ["q"]}}))
            ends.append(t.rows[-1])
        for a, b in zip(*ends):
            near(b, a, 1e-5, "where the cart ends by IDA")


HELPERS = {"run", "refused", "impacts", "errors"}


def main():
    laws, wrong = Laws(sys.argv[1]), 0
    for name in sys.argv[2:] or [n for n in vars(Laws)
                                 if not n.startswith("_") and n not in HELPERS]:
        try:
            getattr(laws, name)()
        except Broken as b:
            print(f"{name}: {b}")
            wrong += 1
    laws.runner.close()
    print(f"{wrong} laws are broken" if wrong else "all laws hold")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
