"""The numbered examples print what their C twins print; the notebook and the README run from top to
bottom."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import arne

SOURCE = Path(os.environ.get("ARNE_SOURCE", "/nowhere"))
EXAMPLES = SOURCE / "python/examples"
PROGRAMS = Path(os.environ.get("ARNE_PROGRAMS", "/nowhere"))
pytestmark = pytest.mark.skipif(not EXAMPLES.exists(), reason="no examples here")
PACKAGE = str(Path(arne.__file__).parent.parent)


def printed(*command: str, folder: Path) -> list[str]:
    environment = {**os.environ, "PYTHONPATH": PACKAGE}
    run = subprocess.run(command, cwd=folder, capture_output=True, text=True, env=environment)
    assert run.returncode == 0, run.stderr
    return run.stdout.splitlines()


def python(name: str, *args: str, folder: Path) -> list[str]:
    return printed(sys.executable, str(EXAMPLES / name), *args, folder=folder)


TWINS = [
    ("01_stanford_torque_rate.py", "stanford_torque_rate", "stanford.yaml", "0.024022"),
    ("02_five_bar.py", "five_bar", "five_bar.yaml", "0.7124 m^2"),
    ("03_gough_stewart.py", "gough_stewart", "gough_stewart.yaml", "-25.75 N to 104.23 N"),
]


@pytest.mark.parametrize(("script", "program", "robot", "known"), TWINS)
def test_twins(script: str, program: str, robot: str, known: str, tmp_path: Path) -> None:
    lines = python(script, folder=tmp_path)
    assert known in "\n".join(lines)
    assert python(script, str(SOURCE / "robots" / robot), folder=tmp_path) == lines
    if not (PROGRAMS / "examples" / program).exists():
        pytest.skip("no programs of the examples here to compare with")
    twin = printed(str(PROGRAMS / "examples" / program), str(SOURCE / "robots" / robot),
                   str(tmp_path), folder=tmp_path)
    assert twin[: len(lines)] == lines


def test_mpc_arm(tmp_path: Path) -> None:
    lines = python("06_mpc_arm.py", "run", folder=tmp_path)
    found = re.search(r"rms ([0-9.]+) mm, at most ([0-9.]+) mm", lines[1])
    assert found and float(found[1]) < 2 and float(found[2]) < 10
    assert lines[2].endswith("True")
    assert (tmp_path / "run" / "report.html").exists()


def test_swimmer(tmp_path: Path) -> None:
    scenario = str(SOURCE / "examples/swimmer/scenario.yaml")
    lines = python("04_swimmer.py", scenario, folder=tmp_path)
    assert "1.29662 m" in lines[1]
    if (PROGRAMS / "arne").exists():
        said = printed(str(PROGRAMS / "arne"), "simulate", scenario, "--out", str(tmp_path / "run"),
                       folder=tmp_path)
        assert {line.split("  published")[0].rstrip()
                for line in said} >= {line.rstrip() for line in lines}


def test_least_time(tmp_path: Path) -> None:
    problem = str(SOURCE / "examples/two_link_min_time/problem.yaml")
    try:
        lines = python("05_two_link_min_time.py", problem, folder=tmp_path)
    except AssertionError as e:
        if "UNSUPPORTED" in str(e) or "libarne_ipopt" in str(e):
            pytest.skip("no Ipopt here")
        raise
    times = [float(re.findall(r"[\d.]+(?= s)", line)[0]) for line in lines]
    assert times[0] == pytest.approx(0.392036, rel=1e-4) and times[1] > times[0]


LONG = """import arne
bars = []
import IPython.display as d
plain = d.HTML
d.HTML = lambda text: bars.append(text) or plain(text)
arne.simulate({"robot": "planar_2r", "duration": 5.0, "integrator": {"method": "rk4", "step": 2e-5}})
assert any("<progress" in bar for bar in bars) and bars[-1] == "", bars  # drawn over itself, and taken away
"""


def test_notebooks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    nbclient = pytest.importorskip("nbclient")
    nbformat = pytest.importorskip("nbformat")
    pytest.importorskip("ipykernel")
    monkeypatch.setenv("PYTHONPATH", PACKAGE)
    monkeypatch.setenv("PYDEVD_DISABLE_FILE_VALIDATION", "1")
    found = sorted(EXAMPLES.glob("*.ipynb"))
    assert found
    for path in found:
        book = nbformat.read(path, as_version=4)
        book.cells.append(nbformat.v4.new_code_cell(LONG))
        nbclient.NotebookClient(book, timeout=120, kernel_name="python3",
                                resources={"metadata": {"path": str(tmp_path)}}).execute()
        outputs: list[Any] = [o for cell in book.cells if cell.cell_type == "code"
                              for o in cell.outputs]
        assert not [o for o in outputs if o.output_type == "error"]
        assert any("text/html" in o.get("data", {})
                   and "<iframe" in json.dumps(o["data"]["text/html"]) for o in outputs)


def test_blocks_of_the_readme(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    text = (SOURCE / "python/README.md").read_text()
    names: dict[str, Any] = {}
    blocks = re.findall(r"```python\n(.*?)```", text, re.S)
    assert len(blocks) >= 2
    for block in blocks:
        exec(compile(block, "README.md", "exec"), names)


def test_vector_env(tmp_path: Path) -> None:
    lines = python("07_vector_env.py", folder=tmp_path)
    assert lines[0].startswith("64 worlds, 50 actions at the stance: mean reward 0.9")
