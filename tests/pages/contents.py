#!/usr/bin/env python3
"""What pages and plots show is what was recorded and what the robot is.

    contents.py ARNE ROBOTS

Runs are simulated; numbers of their pages are compared with result.csv, with what arne compute says
of the same states, with summary.json and with arne info. Plots are read back from the drawing, by
the labels of their own axes.
"""
import base64
import csv
import json
import math
import os
import re
import struct
import subprocess
import sys
import tempfile

ARNE, ROBOTS = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
flaws = []

MIXED = """name: mixed
bodies:
  - {name: base}
  - {name: a, mass: 2, com: [0.1, 0, 0.2], inertia: [0.1, 0.1, 0.05]}
  - {name: b, mass: 1, com: [0, 0, 0.1], inertia: [0.05, 0.05, 0.01]}
  - {name: c, mass: 1, com: [0, 0.1, 0], inertia: [0.05, 0.05, 0.02]}
  - {name: d, mass: 0.5, com: [0, 0, 0.1], inertia: [0.02, 0.02, 0.02]}
  - {name: e, mass: 0.25, com: [0, 0.02, 0.1], inertia: [0.02, 0.02, 0.01]}
joints:
  - {name: one, parent: base, child: a, kind: revolute, axis: [0, 1, 0], rotor_inertia: 0.01,
     limits: {lower: -2, upper: 3, velocity: 9, effort: 500}, friction: {viscous: 0.5, coulomb: [0.2, 0.4]}}
  - {name: two, parent: a, child: b, kind: prismatic, axis: [0.6, 0, 0.8],
     origin: {xyz: [0, 0, 0.4], rpy: [0.3, 0.1, 0]}, limits: {lower: -0.5, upper: 0.75, velocity: 2, effort: 300}}
  - {name: three, parent: b, child: c, kind: ball, origin: {xyz: [0.1, 0, 0.2]}}
  - {name: four, parent: c, child: d, kind: universal, origin: {xyz: [0, 0.2, 0]}}
  - {name: five, parent: d, child: e, kind: helical, pitch: 0.05, axis: [0, 0, 1], origin: {xyz: [0, 0.1, 0.1]}}
frames: [{name: tip, link: e, origin: {xyz: [0, 0, 0.3]}}]
"""

def scenario(robot, more):
    return f"robot: {robot}\nduration: 0.4\nrecord: {{every: 0.01}}\n{more}"


RUNS = {
    "arm": (f"{ROBOTS}/planar_2r.yaml", "tip", """initial: {q: [0.3, 0.2]}
controller: {type: pd, kp: 20, kd: 2}
reference: {type: waypoints, times: [0, 0.4], points: [[0, 0], [1, -1]]}
"""),
    "mixed": ("mixed.yaml", "tip", """initial:
  q: [0.3, 0.1, 0.5, 0.5, 0.5, 0.5, 0.2, 0.1, 0.4]
  qd: [1, 0.2, 0.3, 0.1, 0, 0.4, 0.2, 1]
"""),
    "loop": (f"{ROBOTS}/four_bar.yaml", None, "initial: {q: [0.5]}\n"),
    "floating": (f"{ROBOTS}/quadruped.yaml", None, "base: free\n"),
}


def flaw(run, text):
    flaws.append(f"{run}: {text}")


def arne(*words):
    said = subprocess.run([ARNE, *words], capture_output=True, text=True)
    if said.returncode:
        raise SystemExit(f"arne {' '.join(words)}: {said.stderr}")
    return said.stdout


def table(text):
    rows = list(csv.reader(text.splitlines()))
    names = [re.sub(r" \[.*", "", n) for n in rows[0]]
    units = [m.group(1) if (m := re.search(r"\[(.*)\]", n)) else "" for n in rows[0]]
    columns = {n: [float(r[i]) for r in rows[1:]] for i, n in enumerate(names)}
    return columns, dict(zip(names, units))


def floats(text):
    raw = base64.b64decode(text)
    return struct.unpack(f"<{len(raw) // 4}f", raw)


def near(a, b, size=1.0):
    return abs(a - b) <= 2e-6 * max(size, abs(b))


# ---- rotations, by quaternions x, y, z, w

def turn(p, q):
    a, b = p, q
    return [a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1],
            a[3] * b[1] - a[0] * b[2] + a[1] * b[3] + a[2] * b[0],
            a[3] * b[2] + a[0] * b[1] - a[1] * b[0] + a[2] * b[3],
            a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2]]


def moved(pose, point):
    x = turn(turn(pose[3:], [*point, 0]), [-pose[3], -pose[4], -pose[5], pose[6]])
    return [pose[i] + x[i] for i in range(3)]


def same_turn(a, b):
    return abs(sum(x * y for x, y in zip(a, b))) > 1 - 1e-6


# ---- the data of a page

def check_columns(run, data, result, units):
    kinds = {"q": "q.", "qd": "qd.", "qdd": "qdd.", "tau": "tau.", "tau_rate": "tau_rate."}
    columns = [floats(c) for c in data["columns"]]
    shown = 0
    for plot in data["plots"]:
        if list(columns[plot["x"]]) != [struct.unpack("<f", struct.pack("<f", t))[0]
                                        for t in result["time"]]:
            flaw(run, f"plot {plot['title']}: other times")
        for line in plot["lines"]:
            name = kinds.get(plot["kind"], "") + line["name"]
            if plot["kind"] == "wrench":
                check_wrench(run, plot, line, columns[line["column"]], result)
            if plot["kind"] not in kinds or line["reference"]:
                continue
            if name not in result:
                flaw(run, f"there is no column {name}")
                continue
            shown += 1
            size = max(map(abs, result[name]))
            if not all(near(a, b, size) for a, b in zip(columns[line["column"]], result[name])):
                flaw(run, f"plot {plot['title']}: {line['name']} is another column")
            if units[name] and f"[{units[name]}]" not in plot["yLabel"]:
                flaw(run, f"plot {plot['title']}: {line['name']} has the unit {units[name]}, not "
                          f"{plot['yLabel']}")
    varying = [n for n in result
               if n.startswith(("q.", "qd.", "tau.")) and max(result[n]) - min(result[n]) > 1e-6]
    if shown < len(varying):
        flaw(run, f"{shown} columns of {len(varying)} are shown")


def check_wrench(run, plot, line, shown, result):
    if plot["title"].startswith("Magnitude"):
        letter = "f" if "[N]" in plot["yLabel"] else "m"
        parts = [result[f"wrench.{line['name']}.{letter}{x}"] for x in "xyz"]
        wanted = [math.sqrt(sum(v * v for v in row)) for row in zip(*parts)]
    else:
        wanted = result[f"wrench.{plot['title']}.{line['name']}"]
    if not all(near(a, b, max(map(abs, wanted))) for a, b in zip(shown, wanted)):
        flaw(run, f"{plot['title']}, {plot['yLabel']}: {line['name']} is another one")


def check_limits(run, data, joints, limits):
    by_name = {j["name"]: j for j in joints}
    for joint in data["robots"][0]["joints"]:
        info = by_name[joint["name"]]
        for key in ("kind", "lower", "upper", "effort", "passive"):
            if joint.get(key) != info[key] and not (joint.get(key) is None and info[key] is None):
                flaw(run, f"joint {joint['name']}: {key} is {joint.get(key)}, not {info[key]}")
        if (joint["q"], joint["v"]) != (info["q_start"], info["v_start"]):
            flaw(run, f"joint {joint['name']}: its coordinates are others")
    for plot in data["plots"]:
        for line in plot["lines"]:
            wanted = limits.get(f"{plot['kind']}.{line['name']}", [None, None])
            if not line["reference"] and [line["low"], line["high"]] != wanted:
                flaw(run, f"plot {plot['title']}: limits of {line['name']} are {line['low']}, "
                          f"{line['high']}, not {wanted}")


def check_motion(run, data, dir, robot, result):
    page, motion = data["robots"][0], data["motions"][0]
    poses, coms, times = floats(motion["poses"]), floats(motion["coms"]), floats(motion["times"])
    bodies = len(page["bodies"])
    if len(poses) != 7 * bodies * len(times) or len(times) != len(result["time"]):
        flaw(run, "the motion has another number of poses")
        return
    words = ["--states", f"{dir}/result.csv"]
    frames, _ = table(arne("compute", "pose", robot, *words))
    centre, _ = table(arne("compute", "com", robot, *words))
    for row in range(len(times)):
        for frame in page["frames"]:
            at = 7 * (row * bodies + frame["body"])
            body = poses[at:at + 7]
            place = moved(body, frame["at"][:3])
            way = turn(body[3:], frame["at"][3:])
            for i, x in enumerate("xyz"):
                if not near(place[i], frames[f"{frame['name']}.p.{x}"][row]):
                    return flaw(run, f"frame {frame['name']} is elsewhere in row {row}")
            if not same_turn(way, [frames[f"{frame['name']}.quaternion.{x}"][row] for x in "xyzw"]):
                return flaw(run, f"frame {frame['name']} is turned in row {row}")
        for i, x in enumerate("xyz"):
            if not near(coms[3 * row + i], centre[f"com.{x}"][row]):
                return flaw(run, f"the centre of mass is elsewhere in row {row}")


def check_traces(run, data, result):
    for trace in data["traces"]:
        name = "tau." + trace["name"]
        if trace["group"] != "Torques" or name not in result:
            continue
        values = floats(trace["values"])
        size = max(map(abs, result[name])) + 1e-9
        for row, wanted in enumerate(result[name][::trace["every"]]):
            v = values[3 * row:3 * row + 3]
            if abs(math.sqrt(sum(x * x for x in v)) - abs(wanted)) > 1e-5 * size:
                return flaw(run, f"the arrow of {name} has another length in row {row}")


# ---- drawings

def ticks(svg, along):
    """Places and values of the labels of an axis."""
    out = []
    for x, y, anchor, text in re.findall(
            r'<text x="([-\d.]+)" y="([-\d.]+)" text-anchor="(\w+)">([^<]*)</text>', svg):
        value = re.sub("\u2212", "-", text)
        if anchor != ("middle" if along else "end") or not re.fullmatch(r"-?[\d.]+", value):
            continue
        out.append((float(x) if along else float(y) - 4, float(value)))
    return out


def check_drawing(run, path, data, result):
    svg = open(path).read()
    title = re.search(r'aria-label="([^"]*)"', svg).group(1)
    plot = data["plots"][int(os.path.basename(path)[:2]) - 1]
    if plot["title"] != title:
        return flaw(run, f"{path} is {title}, not {plot['title']}")
    x, y = ticks(svg, True), ticks(svg, False)
    kinds = {"q": "q.", "qd": "qd.", "tau": "tau."}
    if plot["kind"] not in kinds or len(x) < 2 or len(y) < 2:
        return
    def value(t, place):
        (a, u), (b, v) = t[0], t[-1]
        return u + (place - a) * (v - u) / (b - a)
    names = [l["name"] for l in plot["lines"] if not l["reference"]]
    drawn = re.findall(r'<path class="l c\d+" d="M([^"]*)"/>',
                       re.sub(r"<g class=\"k\".*?</g>", "", svg))
    if len(drawn) != len(names):
        return flaw(run, f"{title}: {len(drawn)} lines for {len(names)} columns")
    legend = re.findall(r'<g class="k"><title>([^<]*)</title>', svg)
    if [n for n in legend if n in names] != names:
        flaw(run, f"{title}: the legend is {legend}, not {names}")
    height = abs(value(y, 0) - value(y, 1))
    for name, line in zip(names, drawn):
        numbers = list(map(float, re.findall(r"-?[\d.]+", line)))
        points = [(value(x, a), value(y, b)) for a, b in zip(numbers[::2], numbers[1::2])]
        column = result[kinds[plot["kind"]] + name]
        for t, wanted in zip(result["time"], column):  # on the line, within a pixel
            i = max(1, next((k for k, p in enumerate(points) if p[0] >= t), len(points) - 1))
            (a, u), (b, v) = points[i - 1], points[i]
            if abs(u + (v - u) * (t - a) / (b - a or 1) - wanted) > height:
                return flaw(run, f"{title}: {name} is not at {wanted} when t = {t}")


# ---- the texts of a page

def check_texts(run, page, summary, info):
    rows = dict(re.findall(r"<tr><th>([^<]*)</th><td[^>]*>([^<]*)", page))
    for key, value in summary.items():
        shown = rows.get(key.replace("_", " "))
        if not isinstance(value, float) or shown is None:
            continue
        sup = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹−", "-0123456789-")
        text = re.sub(r"×10([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)",
                      lambda m: "e" + m.group(1), shown).strip().translate(sup)
        if abs(float(text) - value) > 1e-4 * abs(value):
            flaw(run, f"{key} is {shown}, not {value}")
    for joint in info["joints"]:
        if joint["kind"] == "free":
            continue
        row = re.search(rf"<tr><th>{joint['name']}</th>(.*?)</tr>", page)
        if not row:
            flaw(run, f"joint {joint['name']} is in no table")
            continue
        cells = [re.sub(r"<[^>]*>", "", c).strip()
                 for c in re.findall(r"<td[^>]*>(.*?)</td>", row.group(1))]
        if cells[:3] != [joint["kind"], joint["parent"], joint["child"]]:
            flaw(run, f"joint {joint['name']}: the table says {cells[:3]}")
        link = next(l for l in info["links"] if l["name"] == joint["child"])
        numbers = " ".join(cells[3:]).translate(str.maketrans("−", "-")).split()
        for key, wanted in (("effort", joint["effort"]), ("velocity", joint["velocity"]),
                            ("mass", link["mass"]),
                            ("viscous", joint["viscous"]), ("rotor", joint["rotor_inertia"]),
                            ("upper", joint["upper"])):
            if wanted and not any(abs(float(n) - wanted) <= 5e-4 * wanted
                                  for n
                                  in re.findall(r"-?\d+(?:\.\d+)?(?:e-?\d+)?", " ".join(numbers))):
                flaw(run, f"joint {joint['name']}: {key} {wanted} is not in its row: {numbers}")


def check(run, robot, frame, more):
    dir = f"run_{run}"
    with open(f"{run}.scenario.yaml", "w") as f:
        f.write(scenario(robot, more))
    arne("simulate", f"{run}.scenario.yaml", "--quiet", "-o", dir)
    return check_folder(run, robot, frame, ["--base", "free"] if "base: free" in more else [])


def check_folder(run, robot, frame, base):
    dir = f"run_{run}"
    arne("report", dir, "--plots")
    page = open(f"{dir}/report.html").read()
    result, units = table(open(f"{dir}/result.csv").read())
    info = json.loads(arne("info", robot, "--json", *base))
    summary = json.load(open(f"{dir}/summary.json"))
    check_texts(run, page, summary, info)
    block = re.search(r'<script type="application/json" id="arne-data">(.*?)</script>', page, re.S)
    if not block:
        return False  # a build without the viewer
    data = json.loads(block.group(1))
    check_columns(run, data, result, units)
    check_limits(run, data, info["joints"], summary.get("limits", {}))
    if not base:
        check_motion(run, data, dir, robot, result)
    check_traces(run, data, result)
    for name in sorted(os.listdir(f"{dir}/plots")):
        if name.endswith(".svg"):
            check_drawing(run, f"{dir}/plots/{name}", data, result)
    if frame and frame not in [f["name"] for f in data["robots"][0]["frames"]]:
        flaw(run, f"frame {frame} is missing")
    return True


def crafted():
    """A run of numbers of our own, with forces in joints and limits on one side."""
    names = ["time [s]"] + [f"{k}.joint{j} [{u}]"
                            for k, u in (("q", "rad"), ("qd", "rad/s"), ("tau", "N m"),
                                                              ("tau_rate", "N m/s"))
                            for j in (1, 2)]
    names += [f"wrench.joint{j}.{a}{x} [{'N' if a == 'f' else 'N m'}]" for j in (1, 2)
              for a in "fm" for x in "xyz"]
    os.makedirs("run_crafted/inputs")
    with open("run_crafted/result.csv", "w") as f:
        f.write(",".join(names) + "\n")
        for i in range(60):
            row = [i / 20] + [(1 + k) * math.sin(0.1 * i * (1 + k / 5) + k)
                              for k in range(len(names) - 1)]
            f.write(",".join(map(repr, row)) + "\n")
    with open(f"{ROBOTS}/planar_2r.yaml") as f, open("run_crafted/inputs/robot.yaml", "w") as out:
        out.write(f.read())
    limits = {"tau.joint1": [-4.5, 6], "q.joint2": [None, 2.5], "qd.joint1": [-3, None]}
    with open("run_crafted/summary.json", "w") as f:
        json.dump({"robot": "inputs/robot.yaml", "title": "By hand", "rms_error": 0.0123456,
                   "limits": limits}, f)
    return check_folder("crafted", f"{ROBOTS}/planar_2r.yaml", "tip", [])


BEAM = """name: beam
bodies:
  - {name: base}
  - {name: a, mass: 2, com: [0.2, 0, 0], inertia: [0.01, 0.1, 0.1]}
  - {name: b, mass: 1, com: [0.3, 0, 0], inertia: [0.01, 0.1, 0.1]}
joints:
  - {name: one, parent: base, child: a, kind: revolute, axis: [0, 1, 0]}
  - {name: two, parent: a, child: b, kind: revolute, axis: [0, 1, 0], origin: {xyz: [0.5, 0, 0]}}
elastic: [{joint: one, stiffness: 900}, {joint: two, stiffness: 400}]
"""


def modes():
    """The page of natural frequencies has those that arne compute gives."""
    with open("beam.yaml", "w") as f:
        f.write(BEAM)
    arne("view", "beam.yaml", "--modes", "-o", "modes.html")
    page = re.sub(r"<[^>]*>", " ", open("modes.html").read())
    found = [float(x) for x in re.findall(r"\d+\.\d+", page)]
    rows, _ = table(arne("compute", "modes", "beam.yaml"))
    wanted = [v for name in rows if name.startswith("frequency") for v in rows[name]]
    for frequency in wanted:
        if not any(abs(x - frequency) < 5e-3 * frequency for x in found):
            flaw("modes", f"{frequency} Hz is not on the page")
    if len(wanted) != 2 or "modes  2" not in re.sub(r"\s+", "  ", page):
        flaw("modes", f"{len(wanted)} frequencies, and not two modes on the page")


ROD = """bodies:
  - {name: base}
  - {name: arm, flexible: {length: 0.5, round: 0.01, E: 1e5, density: 1000, modes: {bend_z: 2}, points: 3}}
joints: [{name: root, kind: fixed, parent: base, child: arm}]
"""


def rod():
    """A rod by strain modes is drawn as round pieces between its slices, which bend with it."""
    with open("rod.yaml", "w") as f:
        f.write(ROD)
    arne("view", "rod.yaml", "-o", "rod.html")
    robot = json.loads(re.search(r'type="application/json"[^>]*>(.*?)</script>',
                                 open("rod.html").read(), re.DOTALL).group(1))["robots"][0]
    pieces = [s for s in robot["solids"] if s["kind"] == "rod"]
    slices = [i for i, b in enumerate(robot["bodies"]) if b["kind"] == "free"]
    if [s["body"] for s in pieces] != slices or any(
            s["other"] != robot["bodies"][s["body"]]["parent"] for s in pieces):
        flaw("rod", f"pieces {[(s['other'], s['body']) for s in pieces]} of slices {slices}")
    if len(slices) < 3 or any(abs(s["size"][0] - 0.01) > 1e-6 for s in pieces):
        flaw("rod", f"radii {[s['size'][0] for s in pieces]}")
    if any(s["kind"] == "box" for s in robot["solids"]):
        flaw("rod", "a straight box")


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    with open("mixed.yaml", "w") as f:
        f.write(MIXED)
    whole = [check(run, *words) for run, words in RUNS.items()] + [crafted()]
    modes()
    rod()
for text in flaws:
    print(text)
print(f"{len(whole)} pages, {'with' if all(whole) else 'without'} their data: {len(flaws)} flaws")
sys.exit(bool(flaws))
