"""Random robots and scenarios over the features of scenario files.

A Draw is made from a seed and a set of features. The same seed in another World (turned, moved, of
other units) is the same mechanics
there: every number that has a dimension goes through World.of, every place of the world through
    World.place.
"""
import json
import math
import random

import geometry as g

# Features that exclude each other are of one group; the first of a group is what a draw has without
# any.
GROUPS = {
    "base": ["fixed base", "prescribed base", "free base"],
    "integrator": ["dormand-prince", "euler", "rk4", "cvode", "ida"],
    "friction": ["no friction", "friction that sticks", "smooth friction"],
    "contact": ["no ground", "rigid ground", "compliant ground"],
    "control": ["no controller", "pd", "pd with a sample time", "computed torque",
                "drive: reference"],
}
SINGLE = ["ball joint", "universal joint", "planar joint", "helical joint", "mimic joint", "motor",
          "elastic joint", "spring",
          "flexible link", "loop", "limits: hold", "drag", "tether", "push", "propeller",
          "thruster", "wing", "buoyancy",
          "added mass"]
FEATURES = [f for group in GROUPS.values() for f in group[1:]] + SINGLE
# What is fixed to the world, so that a robot that moves on its own is not the same.
ANCHORED = {"rigid ground", "compliant ground", "drag", "tether", "added mass"}


def group_of(feature):
    return next((name for name, members in GROUPS.items() if feature in members), None)


class World:
    """Where and in which units: mass, length and time are multiplied by `units`, places are moved
    by `at`."""

    def __init__(self, units=(1, 1, 1), at=g.NOWHERE):
        self.units, self.at = units, at

    def of(self, x, mass, length, time):
        f = self.units[0] ** mass * self.units[1] ** length * self.units[2] ** time
        return [v * f for v in x] if isinstance(x, list) else x * f

    def length(self, x):
        return self.of(x, 0, 1, 0)

    def point(self, p):
        return g.add(g.apply(self.at[0], self.length(p)), self.at[1])

    def vector(self, v, mass, length, time):
        return g.apply(self.at[0], self.of(v, mass, length, time))

    def pose(self, X):
        return g.compose(self.at, (X[0], self.length(X[1])))


def origin(X):
    return {"xyz": X[1], "matrix": [x for row in X[0] for x in row]}


class Draw:
    def __init__(self, seed, features, world=None):
        self.r = random.Random(seed)
        self.features, self.w = set(features), world or World()
        self.robot = {"name": "drawn", "bodies": [], "joints": []}
        self.scenario = {"robot": "robot.yaml"}
        self.q, self.qd, self.placed, self.driven = {}, {}, {}, []
        self.tables = {}
        self.base = next((f.split()[0] for f in self.features if f in GROUPS["base"]), "fixed")
        self.make_robot()
        self.make_scenario()

    def has(self, feature):
        return feature in self.features

    # ---- the robot

    def body(self, name, **more):
        r, w = self.r, self.w
        R, m = g.rotation(r), r.uniform(0.5, 2)
        a = [r.uniform(0.5, 1) for _ in range(3)]
        I = g.multiply(
            g.multiply(R, [[0.02 * a[0], 0, 0], [0, 0.02 * a[1], 0], [0, 0, 0.02 * a[2]]]),
            g.transpose(R))
        of = {"ixx": I[0][0], "iyy": I[1][1], "izz": I[2][2], "ixy": I[0][1], "ixz": I[0][2],
              "iyz": I[1][2]}
        b = {"name": name, "mass": w.of(m, 1, 0, 0),
             "com": w.length([r.uniform(-0.1, 0.1) for _ in range(3)]),
             "inertia": {k: w.of(v, 1, 2, 0) for k, v in of.items()}}
        b.update(more)
        self.robot["bodies"].append(b)
        self.weight = getattr(self, "weight", 0) + m

    def joint(self, name, kind, parent, child, X=None, **more):
        r, w = self.r, self.w
        X = X or (g.rotation(r), [r.uniform(-0.3, 0.3) for _ in range(3)])
        axis = more.pop("axis", None) or g.direction(r)
        start = more.pop("q", r.uniform(-0.6, 0.6))
        speed = more.pop("qd", r.uniform(-1, 1))
        moved = g.NOWHERE
        slides = kind == "prismatic"
        if kind in ("revolute", "continuous", "helical"):
            moved = (g.turn(axis, start), [0.0, 0.0, 0.0])
        j = {"name": name, "kind": kind, "parent": parent, "child": child, "axis": axis}
        if kind == "helical":
            j["pitch"] = w.length(0.05)
            moved = (moved[0], g.scale(axis, 0.05 * start))
        if slides:
            start *= 0.2
            moved = (g.IDENTITY, g.scale(axis, start))
        here = (X[0], w.length(X[1]))
        j["origin"] = origin(g.compose(w.at, here)
                             if parent == "l0" and self.base == "fixed" else here)
        j.update(more)
        self.robot["joints"].append(j)
        self.placed[child] = g.compose(g.compose(self.placed[parent], X), moved)
        if kind in ("ball", "planar", "universal"):
            count = {"ball": 3, "planar": 3, "universal": 2}[kind]
            rates = [r.uniform(-1, 1) for _ in range(count)]
            if kind == "planar":
                rates[:2] = w.of(rates[:2], 0, 1, 0)
            self.qd[name] = [w.of(x, 0, 0, -1) for x in rates]
        else:
            self.q[name] = w.length(start) if slides else start
            self.qd[name] = w.of(speed, 0, 1 if slides else 0, -1)
            if not more.get("mimic") and not more.get("passive"):
                self.driven.append((name, slides))
        return j

    def torque(self, x, slides=False, time=-2):
        return self.w.of(x, 1, 1 if slides and time == -2 else 0 if slides else 2, time)

    def friction(self, j, slides):
        j["friction"] = {"viscous": self.w.of(0.1, 1, 0 if slides else 2, -1)}
        if self.has("friction that sticks") or self.has("smooth friction"):
            j["friction"]["coulomb"] = self.w.of(self.r.uniform(0.05, 0.6), 1, 1 if slides else 2,
                                                 -2)

    def slider(self):
        """The width of smooth friction is one number for angles and lengths, which have no common
        unit."""
        return "revolute" if self.has("smooth friction") else "prismatic"

    def make_robot(self):
        r, w = self.r, self.w
        self.body("l0")
        self.placed["l0"] = g.NOWHERE
        last = "l0"
        # with fewer joints it could not give way
        leg = self.base != "free" and self.has("rigid ground")
        for i in range(1, 4 if leg else 2 + r.randrange(3)):
            j = self.joint(f"j{i}", r.choice(["revolute", "revolute", self.slider()]), last,
                           f"l{i}")
            self.body(f"l{i}")
            if r.random() < 0.5 or not self.has("no friction"):
                self.friction(j, j["kind"] == "prismatic")
            last = f"l{i}"
        first = self.robot["joints"][0]
        self.last = last
        for kind in ("ball", "universal", "planar", "helical"):
            if self.has(f"{kind} joint"):
                j = self.joint(f"j_{kind}", kind, last, f"{kind}_link", q=0.2)
                self.body(f"{kind}_link")
                if kind != "planar":
                    self.friction(j, False)
        if self.has("mimic joint"):
            slides = first["kind"] == "prismatic"
            self.joint("copy", "revolute", "l0", "copy_link",
                       q=-0.5 * self.q["j1"] if not slides else 0.1,
                       mimic={"joint": "j1", "ratio": -0.5 if not slides else w.of(-0.5, 0, -1, 0),
                              "offset": 0.1})
            del self.q["copy"], self.qd["copy"]
            self.body("copy_link")
        if self.has("motor") or self.has("elastic joint"):
            self.make_motors(first)
        if self.has("spring"):
            self.joint("sprung", "revolute", last, "sprung_link", passive=True)
            self.body("sprung_link")
            self.robot.setdefault("elastic", []).append(
                {"joint": "sprung", "stiffness": self.torque(8.0),
                 "damping": self.torque(0.1, time=-1), "rest": 0.1})
        if self.has("flexible link"):
            self.make_beam(last)
        if self.has("propeller"):
            self.joint("prop", "continuous", "l0", "prop_link", q=0.0, qd=20.0)
            self.body("prop_link")
        if self.has("loop"):
            self.make_loop()
        if self.has("limits: hold"):
            slides = first["kind"] == "prismatic"
            start = self.q["j1"]
            reach = w.length(0.02) if slides else 0.1
            first["limits"] = {"lower": start - reach, "upper": start + reach}
        if self.has("rigid ground") or self.has("compliant ground"):
            self.robot["contacts"] = [{"name": "foot", "link": last, "sphere": w.length(0.05)}]
        self.robot["gravity"] = w.vector([0, 0, -9.81], 0, 1, -2)
        self.robot["base"] = self.base

    def on_root(self, axis):
        """An axis of the root link, which does not turn with the world where it is fixed."""
        return g.apply(self.w.at[0], axis) if self.base == "fixed" else axis

    def make_motors(self, first):
        slides = first["kind"] == "prismatic"
        m = {"joint": "j1", "link": "l0", "gear": self.w.of(20.0, 0, -1 if slides else 0, 0),
             "axis": self.on_root([0.0, 0.0, 1.0]), "inertia": self.w.of(2e-4, 1, 2, 0),
             "transverse": self.w.of(1e-4, 1, 2, 0),
             "mass": self.w.of(0.1, 1, 0, 0),
             "position": self.w.at[1] if self.base == "fixed" else [0.0, 0.0, 0.0]}
        if self.has("elastic joint"):
            m["stiffness"] = self.w.of(300.0, 1, 0 if slides else 2, -2)
            m["damping"] = self.w.of(1.0, 1, 0 if slides else 2, -1)
        self.robot["motors"] = [m]

    def make_beam(self, last):
        w = self.w
        E = w.of(7e8, 1, -1, -2)
        self.robot["bodies"].append({"name": "beam", "flexible": {
            "length": w.length(0.4), "axis": "x", "E": E, "rectangle": w.length([0.02, 0.02]),
            "segments": 2, "bends": "y",
            "density": w.of(2700.0, 1, -3, 0), "damping": 0.01}})
        self.placed["beam"] = g.compose(self.placed[last], (g.IDENTITY, [0.1, 0.0, 0.0]))
        self.joint("clamp", "fixed", last, "beam", X=(g.IDENTITY, [0.1, 0.0, 0.0]), q=0.0)
        self.driven = [d for d in self.driven if d[0] != "clamp"]
        del self.q["clamp"], self.qd["clamp"]

    def make_loop(self):
        """A four-bar in a plane of its own, assembled."""
        w, ground, crank, coupler, rocker = self.w, 0.4, 0.15, 0.35, 0.3
        X = (g.rotation(self.r), [0.1, 0.2, -0.1])
        a = self.r.uniform(0.5, 1.2)
        tip = [crank * math.cos(a), crank * math.sin(a)]
        d = [ground - tip[0], -tip[1]]
        far = math.hypot(*d)
        inner = math.acos((far ** 2 + coupler ** 2 - rocker ** 2) / (2 * far * coupler))
        b = math.atan2(d[1], d[0]) + inner
        pin = [tip[0] + coupler * math.cos(b), tip[1] + coupler * math.sin(b)]
        c = math.atan2(pin[1], pin[0] - ground)
        z = [0.0, 0.0, 1.0]
        self.joint("crank", "revolute", "l0", "crank_link", X=X, axis=z, q=a, active=True, start=a)
        self.body("crank_link")
        self.joint("coupler", "revolute", "crank_link", "coupler_link",
                   X=(g.IDENTITY, [crank, 0, 0]), axis=z, q=b - a,
                   passive=True, start=b - a)
        self.body("coupler_link")
        at_rocker = g.compose(X, (g.IDENTITY, [ground, 0, 0]))
        self.joint("rocker", "revolute", "l0", "rocker_link", X=at_rocker, axis=z, q=c,
                   passive=True, start=c)
        self.body("rocker_link")
        for name in ("coupler", "rocker"):
            del self.q[name], self.qd[name]
        for j in self.robot["joints"]:
            if j["kind"] != "fixed" and "passive" not in j and "mimic" not in j:
                j["active"] = True
        self.robot["loops"] = [{"name": "pin", "kind": "revolute",
                                "predecessor": {"link": "coupler_link",
                                                "origin": {"xyz": w.length([coupler, 0, 0])}},
                                "successor": {"link": "rocker_link",
                                              "origin": {"xyz": w.length([rocker, 0, 0])}}}]

    # ---- the scenario

    def make_scenario(self):
        r, w, s = self.r, self.w, self.scenario
        s["duration"] = w.of(0.2, 0, 0, 1)
        s["initial"] = {"q": dict(self.q), "qd": dict(self.qd)}
        start = w.pose((g.rotation(r), [r.uniform(-1, 1) for _ in range(3)]))
        pose = start[1] + g.quaternion(start[0])
        if self.base == "free":
            s["initial"]["q"]["base"] = pose
            rates = [r.uniform(-0.5, 0.5) for _ in range(6)]
            s["initial"]["qd"]["base"] = [w.of(x, 0, 1 if k < 3 else 0, -1)
                                          for k, x in enumerate(rates)]
        if self.base == "prescribed":
            a = [r.uniform(-0.05, 0.05) for _ in range(6)]
            a[:3] = w.vector(a[:3], 0, 1, 0)
            s["base_motion"] = {"type": "sinusoid", "offset": pose,
                                "harmonics": [{"frequency": w.of(8.0, 0, 0, -1), "amplitude": a}]}
        self.start = g.NOWHERE if self.base == "fixed" else (start[0], start[1])
        self.make_control()
        self.make_surroundings()
        self.make_integrator()
        if self.has("limits: hold"):
            s["limits"] = "hold"
        if self.has("smooth friction"):
            s["friction"] = {"type": "smooth", "velocity": w.of(0.05, 0, 0, -1)}
        if self.has("friction that sticks"):
            s["friction"] = "stick"
        s["record"] = {"every": w.of(0.01, 0, 0, 1), "columns": self.columns()}

    def columns(self):
        some = ["q", "qd", "qdd", "tau", "energy", "momentum", "base"]
        return some + ["contact"] if "contacts" in self.robot else some

    def make_control(self):
        r, w, s = self.r, self.w, self.scenario
        driven = [d for d in self.driven if d[0] != "prop"]
        amplitude = {n: (w.length(0.05) if sl else 0.3) * r.uniform(0.5, 1) for n, sl in driven}
        phase = {n: r.uniform(0, 6) for n, _ in driven}
        reference = {"type": "sinusoid", "limits": False,
                     "harmonics": [{"frequency": w.of(9.0, 0, 0, -1), "amplitude": amplitude,
                                    "phase": phase}]}
        kp = {n: w.of(20.0, 1, 0 if sl else 2, -2) for n, sl in driven}
        kd = {n: w.of(0.4, 1, 0 if sl else 2, -1) for n, sl in driven}
        if self.has("drive: reference"):
            s["drive"], s["reference"] = "reference", reference
        if self.has("pd") or self.has("pd with a sample time"):
            s["reference"], s["controller"] = reference, {"type": "pd", "kp": kp, "kd": kd}
            if self.has("pd with a sample time"):
                s["controller"]["sample_time"] = w.of(0.004, 0, 0, 1)
        if self.has("computed torque"):
            s["reference"] = reference
            s["controller"] = {"type": "computed_torque", "kp": w.of(100.0, 0, 0, -2),
                               "kd": w.of(20.0, 0, 0, -1)}

    def make_surroundings(self):
        w, s, r = self.w, self.scenario, self.r
        links = []
        force, torque = (1, 1, -2), (1, 2, -2)
        here = g.compose(self.start,
                         (self.placed[self.last][0], w.length(self.placed[self.last][1]))) \
            if self.base != "fixed" else w.pose(self.placed[self.last])
        if self.has("drag"):
            links.append({"type": "drag", "frame": self.last,
                          "linear": w.of([2.0, 1.0, 3.0], 1, 0, -1)
                          + w.of([0.02, 0.01, 0.03], 1, 2, -1),
                          "quadratic": w.of([2.0, 1.0, 3.0], 1, -1, 0)
                          + w.of([0.01, 0.02, 0.03], 1, 2, 0)})
        if self.has("tether"):
            away = g.apply(self.w.at[0], w.length([0.2, -0.4, 0.7]))
            links.append({"type": "tether", "frame": self.last, "point": w.length([0.05, 0.02, 0]),
                          "anchor": g.add(here[1], away), "stiffness": w.of(30.0, 1, 0, -2),
                          "damping": w.of(1.0, 1, 0, -1), "length": w.length(0.5)})
        if self.has("push"):
            rows = [["time", "fx", "fy", "fz", "mx", "my", "mz"]]
            for t in (0, 0.1, 0.2):
                f = w.vector([r.uniform(-3, 3) for _ in range(3)], *force)
                rows.append([w.of(t, 0, 0, 1)] + f
                            + w.vector([r.uniform(-0.3, 0.3) for _ in range(3)], *torque))
            self.tables["push.csv"] = "\n".join(
                ",".join(x if isinstance(x, str) else repr(x) for x in row) for row in rows)
            links.append({"type": "push", "frame": self.last, "table": "push.csv", "axes": "world"})
        if self.has("propeller"):
            links.append({"type": "propeller", "frame": "prop_link", "thrust": w.of(0.01, 1, 1, 0),
                          "torque": w.of(2e-4, 1, 2, 0),
                          "hand": "left"})
        if self.has("thruster"):
            links.append({"type": "thruster", "frame": self.last, "force": w.of(3.0, *force),
                          "axis": [0.3, 0.5, 0.8],
                          "point": w.length([0.1, 0, 0.05])})
        if self.has("wing"):
            links.append({"type": "wing", "frame": self.last, "area": w.of(0.2, 0, 2, 0),
                          "point": w.length([0.1, 0, 0]),
                          "density": w.of(1.2, 1, -3, 0),
                          "wind": w.vector([2.0, 1.0, -1.0], 0, 1, -1)})
        if self.has("buoyancy"):
            links.append({"type": "buoyancy", "frame": self.last, "volume": w.of(5e-4, 0, 3, 0),
                          "point": w.length([0.02, 0, 0.01]),
                          "density": w.of(1000.0, 1, -3, 0)})
        if self.has("added mass"):
            links.append({"type": "added_mass", "frame": self.last,
                          "mass": w.of([0.4, 0.8, 0.6], 1, 0, 0)
                          + w.of([0.002, 0.004, 0.003], 1, 2, 0)})
        if "contacts" in self.robot:
            self.make_ground(links, here)
        if links:
            s["surroundings"] = links

    def make_ground(self, links, here):
        w = self.w
        down = g.apply(w.at[0], [0.0, 0.0, -1.0])
        point = g.add(here[1], g.scale(down, w.length(0.052)))
        # A leg on a base that gives no way may jam where friction is high.
        ground = {"type": "ground", "friction": 0.5 if self.base == "free" else 0.1, "point": point,
                  "normal": g.scale(down, -1)}
        if self.has("compliant ground"):
            ground.update(model="compliant", stiffness=w.of(2e4, 1, -0.5, -2),
                          dissipation=w.of(0.5, 0, -1, 1),
                          slip_velocity=w.of(0.05, 0, 1, -1))
        else:
            ground["restitution"] = self.r.choice([0, 0.4])
        links.append(ground)

    def make_integrator(self):
        w = self.w
        method = next((f for f in self.features if f in GROUPS["integrator"]), None)
        rigid = self.has("rigid ground") or self.has("limits: hold")
        if method is None:
            method = "euler" if rigid else "dormand-prince"
        if method in ("euler", "rk4"):
            self.scenario["integrator"] = {"method": method, "step": w.of(0.0005, 0, 0, 1)}
        elif not rigid or method != "dormand-prince":
            tight = 1e-10 if method == "dormand-prince" else 1e-9
            self.scenario["integrator"] = {"method": method, "relative": tight, "absolute": tight}

    # ---- as files

    def write(self, folder):
        for name, text in self.tables.items():
            (folder / name).write_text(text)
        (folder / "robot.yaml").write_text(json.dumps(self.robot))
        (folder / "scenario.yaml").write_text(json.dumps(self.scenario))
        return folder / "scenario.yaml"
