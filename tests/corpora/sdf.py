#!/usr/bin/env python3
"""SDF files of public models: poses, inertias, axes and limits as libsdformat resolves them, mass
matrices and gravity.

The references have other conventions where their README says so. Without the corpus: skipped (77).
"""

import csv
import json
import math
import os
import re
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

ARNE = os.environ["ARNE"]


def arne(*words, **environment):
    """What a command prints as JSON; None where it fails."""
    ran = subprocess.run([ARNE, *words, "--json", "--quiet"], capture_output=True, text=True,
                         check=False,
                         env={**os.environ, **environment})  # fmt: skip
    return json.loads(ran.stdout) if ran.returncode == 0 else None


# ---- poses as (rotation, position)


def rotation(q):
    # libsdformat leaves them as they are written
    w, x, y, z = (each / math.hypot(*q) for each in q)
    return [[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]]  # fmt: skip


def product(a, b):
    return [[sum(x * y for x, y in zip(row, column)) for column in zip(*b)] for row in a]


def turn(R, v):
    return [sum(x * y for x, y in zip(row, v)) for row in R]


def pose(said):
    return rotation(said["q_wxyz"]), said["p"]


def after(a, b):
    return product(a[0], b[0]), [x + y for x, y in zip(turn(a[0], b[1]), a[1])]


def inverse(a):
    back = [list(row) for row in zip(*a[0])]
    return back, [-x for x in turn(back, a[1])]


def quaternion(R):
    """x, y, z, w."""
    w = math.sqrt(max(0, 1 + R[0][0] + R[1][1] + R[2][2])) / 2
    x, y, z = (math.sqrt(max(0, 1 + 2 * R[i][i] - R[0][0] - R[1][1] - R[2][2])) / 2
               for i in range(3))
    return [math.copysign(x, R[2][1] - R[1][2]), math.copysign(y, R[0][2] - R[2][0]),
            math.copysign(z, R[1][0] - R[0][1]), w]  # fmt: skip


def flat(value):
    return [y for x in value for y in flat(x)] if isinstance(value, (list, tuple)) else [value]


def apart(a, b):
    """The largest difference, in units of the largest number beyond 1."""
    a, b = flat(a), flat(b)
    scale = max([1, *map(abs, b)])
    return max((abs(x - y) for x, y in zip(a, b)),
               default=0) / scale if len(a) == len(b) else math.inf


# ---- one model


class Model:
    """A model of a file: the robot that Arne makes of it, beside its reference."""

    def __init__(self, path, reference, several, environment):
        self.reference = reference
        self.name = [str(path), *([f"model:={reference['model']}"] if several else [])]
        self.environment = environment
        self.robot = arne("info", *self.name, **environment)
        if self.robot is None:
            return
        self.poses = {x["name"]: pose(x["pose_in_model"]) for x in reference["links"]}
        self.world = pose(reference["pose_in_world"])
        self.joints = {j["name"]: j for j in self.robot["joints"]}
        self.base = next((j["child"] for j in self.robot["joints"] if j["parent"] is None), None)

    def problems(self):
        if self.robot is None:
            yield "cannot be read"
            return
        yield from self.links()
        yield from self.frames()
        yield from self.axes()

    def links(self):
        ours = {x["name"]: x for x in self.robot["links"]}
        for link in self.reference["links"]:
            mine, I = ours.get(link["name"]), link["inertia_com_linkaxes"]
            if mine is None:
                yield f"link {link['name']} is missing"
                continue
            wanted = [link["mass"], *link["com"], I[0][0], I[1][1], I[2][2], I[0][1], I[0][2],
                      I[1][2]]
            error = apart([mine["mass"], *mine["com"], *mine["inertia"]], wanted)
            if error > 1e-12:
                yield f"inertia of {link['name']}: {error:.1e}"

    def follows(self, link):
        """Whether a joint on the way to a link follows another: at q = 0 it is elsewhere."""
        joint = next((j for j in self.robot["joints"] if j["child"] == link), None)
        return joint is not None and joint["parent"] is not None and (
            joint["mimic"] is not None or self.follows(joint["parent"]))  # fmt: skip

    def frames(self):
        shown = arne("compute", "pose", *self.name, **self.environment)
        if shown is None:
            yield "has no poses"
            return
        # libsdformat prints the pose of an include that it merges with six digits, and reads it
        # again.
        merged = 'merge="true"' in Path(self.name[0]).read_text(encoding="utf-8")
        at = self.world if self.base is None else inverse(self.poses[self.base])
        for link, its in self.poses.items():
            mine = shown[0]["frames"][link]
            wanted = after(at, its)
            error = max(apart(mine["p"], wanted[1]), apart(mine["R"], wanted[0]))
            if error > (1e-6 if merged else 1e-12) and not self.follows(link):
                yield f"pose of {link}: {error:.1e}"

    def axes(self):
        for joint in self.reference["joints"]:
            for key, end in (("axis", ""), ("axis2", "_2")):
                mine, theirs = self.joints.get(joint["name"] + end), joint.get(key)
                if mine is None or theirs is None or not any(mine["axis"]):
                    continue
                # The links of universal joints have a body between them, whose axes are the
                # joint's.
                name = "xyz_in_joint" if joint.get("axis2") and key == "axis" else "xyz_in_child"
                error = apart(mine["axis"], theirs[name])
                if error > 1e-12:
                    yield f"{key} of {joint['name']}: {error:.1e}"
                for side in ("lower", "upper"):
                    wanted = theirs[side] if abs(float(theirs[side])) < 1e16 else None
                    if mine[side] != wanted and not mine["mimic"]:
                        yield f"{side} of {joint['name']}: {mine[side]}, not {wanted}"

    def dynamics(self, wanted):
        """The mass matrix and gravity of the states of a reference, which moves mimic joints by
        themselves."""
        if any(j["mimic"] for j in self.robot["joints"]):
            text = Path(self.name[0]).read_text(encoding="utf-8")
            alone = Path(self.name[0]).with_suffix(".alone.sdf")
            alone.write_text(re.sub(r"<mimic.*?</mimic>", "", text, flags=re.S), encoding="utf-8")
            yield from Model(alone, self.reference, len(self.name) > 1,
                             self.environment).dynamics(wanted)
            return
        names = [d.replace("#0", "").replace("#1", "_2") for d in wanted["dofs"]]
        for state in wanted["states"]:
            value = dict(zip(names, state["q"]))
            if self.base:
                at = after(self.world, self.poses[self.base])
                value.update(zip((f"base.{i}" for i in range(7)), [*at[1], *quaternion(at[0])]))
                names_all = [f"base.{i}" for i in (3, 4, 5, 0, 1, 2)] + names
            else:
                names_all = names
            missing = [name for name in self.robot["q"] if name not in value]
            if missing:
                yield f"other coordinates: {missing}, not {names}"
                return
            q = ",".join(repr(value[name]) for name in self.robot["q"])
            how = [*self.name, "--q", q, "--no-friction"]
            M = arne("compute", "mass-matrix", *how, **self.environment)
            g = arne("compute", "gravity", *how, "--gravity", "0,0,-9.81", **self.environment)
            order = [names_all.index(name) for name in self.robot["v"]]
            error = apart(M[0]["M"], [[state["M"][i][j] for j in order] for i in order])
            if error > 1e-10:
                yield f"mass matrix: {error:.1e}"
            error = apart(g[0]["tau"],
                          [state.get("gravity_torque_with_link_flags", state["gravity_torque"])[i]
                           for i in order])
            springs = {s["joint"] for s in self.robot["springs"]}
            if error > 1e-10 and not springs:
                yield f"gravity: {error:.1e}"


def cases(corpus, work):
    inputs = work / "sdf_inputs"
    environment = {
        "GZ_SIM_RESOURCE_PATH": f"{inputs}/gazebo_models:{inputs}/sdformat_test/integration/model"}
    with open(corpus / "cases.tsv", encoding="utf-8") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            path, ref = inputs / row["file"], work / "refs" / row["ref"]
            if not ref.exists():
                continue
            if row["kind"] == "invalid":
                read = arne("info", str(path), **environment)
                yield row["file"], ["is not refused"] if read else []
                continue
            models = json.loads(ref.read_text(encoding="utf-8"))["models"]
            for reference in models:
                model = Model(path, reference, len(models) > 1, environment)
                problems = list(model.problems())
                dyn = work / "dyn" / row["dyn"]
                if row["dyn"] != "-" and dyn.exists() and model.robot:
                    problems += model.dynamics(json.loads(dyn.read_text(encoding="utf-8")))
                yield f"{row['file']} {reference['model']}", problems


def main():
    reference = os.environ.get("ARNE_REFERENCE")
    corpus = Path(reference or "nowhere") / "../corpus/sdf"
    if not corpus.exists():
        print("skipped: there is no corpus beside ARNE_REFERENCE")
        return 77
    wrong = count = 0
    with tempfile.TemporaryDirectory() as place:
        work = Path(place).resolve()
        for archive in corpus.glob("*.tar.xz"):
            with tarfile.open(archive) as tar:
                tar.extractall(work)
        for name, problems in cases(corpus, work):
            count += 1
            wrong += bool(problems)
            if problems:
                print(f"{name}: {'; '.join(problems[:6])}")
    print(f"{count - wrong} of {count} as libsdformat has them")
    return 1 if wrong or count < 80 else 0


if __name__ == "__main__":
    sys.exit(main())
