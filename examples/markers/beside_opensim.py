#!/usr/bin/env python3
"""A walk from markers to muscle forces beside OpenSim's curves, as a page.

    beside_opensim.py DATA OUT.html

DATA is a folder with OpenSim's walking subject (Gait10dof18musc, subject01): models/, data/ and
setup.json. Needs the program arne (in the path, or ARNE). Prints how far the activations of each
muscle are from OpenSim's.
"""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ARNE = os.environ.get("ARNE", "arne")
SCALED = "models/gait10dof18musc_subject01_v30000.osim"
ADJUSTED = "models/gait10dof18musc_subject01_ankle_spring_v30000.osim"
FEET = {"calcn_r": "", "calcn_l": "1_"}  # which columns of the force plates
SHOWN = (0.5, 1.26)  # s
MUSCLES = ("hamstrings", "bifemsh", "glut_max", "iliopsoas", "rect_fem", "vasti", "gastroc",
           "soleus", "tib_ant")
NAMES = [f"{muscle}_{side}" for side in "lr" for muscle in MUSCLES]
Columns = dict[str, list[float]]


def run(*words: object) -> None:
    subprocess.run([ARNE, *map(str, words)], check=True)


def columns(names: list[str], rows: list[list[float]]) -> Columns:
    return {name: [row[i] for row in rows] for i, name in enumerate(names)}


def read_csv(path: Path) -> Columns:
    names, *rows = csv.reader(path.open(encoding="utf-8"))
    return columns([n.split(" [")[0] for n in names], [[float(x) for x in row] for row in rows])


def read_sto(path: Path) -> Columns:
    names, *rows = (line.split() for line in path.read_text().split("endheader\n")[1].splitlines()
                    if line.strip())
    return columns(names, [[float(x) for x in row] for row in rows])


def at(t: float, time: list[float], x: list[float]) -> float:
    """Straight between the rows."""
    k = max(1, next((i for i, s in enumerate(time) if s >= t), len(time) - 1))
    part = (t - time[k - 1]) / (time[k] - time[k - 1])
    return x[k - 1] + part * (x[k] - x[k - 1])


def compute(data: Path, folder: Path) -> Columns:
    """From markers to coordinates with the scaled model, to muscles with the one whose masses were
    adjusted."""
    weights = json.loads((data / "setup.json").read_text())["ik"]["marker_weights"]
    one = '<IKMarkerTask name="{}"><apply>true</apply><weight>{}</weight></IKMarkerTask>'
    tasks = "".join(one.format(name, weight) for name, weight in weights.items())
    document = (
        f"<OpenSimDocument><IKTaskSet><objects>{tasks}</objects></IKTaskSet></OpenSimDocument>")
    (folder / "tasks.xml").write_text(document)
    markers, motion = data / "data/subject01_walk.trc", folder / "walk.mot"
    run("motion", "track", data / SCALED, markers, "--tasks", folder / "tasks.xml", "--quiet", "-o",
        motion)
    three = "{0}={1}ground_force_v,{1}ground_force_p,{1}ground_torque_"
    loads = [word for link, plate in FEET.items() for word in ("--load", three.format(link, plate))]
    forces = data / "data/subject01_walk_grf.mot"
    run("motion", "muscles", data / ADJUSTED, motion, "--forces", forces, *loads, "--opensim",
        "--quiet",
        "-o", folder / "muscles.csv")  # fmt: skip
    return read_csv(folder / "muscles.csv")


def curve(points: list[tuple[float, float]], top: float, style: str) -> str:
    scale = 200 / (SHOWN[1] - SHOWN[0])
    text = " ".join(f"{40 + scale * (t - SHOWN[0]):.1f},{110 - 90 * y / top:.1f}"
                    for t, y in points)
    return f'<polyline class="{style}" points="{text}"/>'


def plot(name: str, unit: str, least: float, *tables: tuple[Columns, str]) -> str:
    """OpenSim's curve below ours; the scale ends at least there."""
    rows = [[(t, y) for t, y in zip(x["time"], x[c]) if SHOWN[0] <= t <= SHOWN[1]]
            for x, c in tables]
    top = max(least, *(y for points in rows for _, y in points))
    text = (f'<text x="40" y="12">{name}</text><text class="y" x="36" '
            f'y="24">{top:.{0 if unit else 2}f} {unit}</text>')
    text += '<text class="y" x="36" y="114">0</text><path d="M40 15V110H240"/>'
    text += (f'<text x="40" y="124">{SHOWN[0]} s</text><text class="y" x="240" y="124">{SHOWN[1]} '
             f's</text>')
    return (f'<svg viewBox="0 0 250 '
            f'130">{text}{curve(rows[0], top, "theirs")}{curve(rows[1], top, "ours")}</svg>')


def page(ours: Columns, activation: Columns, force: Columns) -> str:
    def plots(kind: str, unit: str, least: float, theirs: Columns) -> str:
        return "\n".join(plot(n, unit, least, (theirs, n), (ours, f"{kind}.{n}")) for n in NAMES)

    return f"""<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>From markers to muscle forces, beside OpenSim</title>
<style>
body {{ font: 15px/1.4 sans-serif; max-width: 60rem; margin: 1rem auto; padding: 0 1rem }}
div {{ display: grid; grid-template-columns: repeat(auto-fill, minmax(15rem, 1fr)); gap: .5rem }}
svg {{ width: 100% }} text {{ font-size: 9px }} .y {{ text-anchor: end }} path {{ fill: none; stroke: #888 }}
polyline {{ fill: none; stroke-width: 1.5 }} .ours {{ stroke: #036 }}
.theirs {{ stroke: #c60; stroke-width: 3; opacity: .5 }}
</style>
<h1>From markers to muscle forces</h1>
<p>The legs of a walking person (Gait10dof18musc, subject01). Blue: Arne, from 31 markers and two force plates.
Orange: what OpenSim's static optimisation gives, from its own coordinates. OpenSim's model and curves: Ajay Seth and
others, CC BY 3.0 and Apache 2.0.</p>
<h2>Activation</h2><div>{plots("activation", "", 0.1, activation)}</div>
<h2>Force</h2><div>{plots("force", "N", 100, force)}</div>
</html>
"""


def main() -> None:
    data, out = Path(sys.argv[1]), Path(sys.argv[2])
    activation, force = (read_sto(data / f"data/so_{kind}.sto") for kind in ("activation", "force"))
    with tempfile.TemporaryDirectory() as folder:
        ours = compute(data, Path(folder))
    for name in NAMES:
        mine = ours[f"activation.{name}"]
        off = [at(t, ours["time"], mine) - a for t, a in zip(activation["time"], activation[name])]
        rms = (sum(x * x for x in off) / len(off)) ** 0.5
        print(f"{name}: rms {rms:.3f}, largest {max(abs(x) for x in off):.3f} of "
              f"{max(activation[name]):.2f}")
    out.write_text(page(ours, activation, force), encoding="utf-8")


if __name__ == "__main__":
    main()
