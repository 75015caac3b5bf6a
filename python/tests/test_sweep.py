"""Sweeps: the table, executors of others, mistakes."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import arne

SOURCE = Path(os.environ.get("ARNE_SOURCE", Path(__file__).parents[2]))


@pytest.fixture
def study(tmp_path: Path) -> Path:
    (tmp_path / "scenario.yaml").write_text(
        f"robot: {SOURCE}/robots/planar_2r.yaml\nduration: 0.05\ninitial: {{q: [0.3, -0.2]}}\n"
        "controller: {type: pd, kp: 100, kd: 2}\nintegrator: {method: rk4, step: 0.001}\n",
        encoding="utf-8",
    )
    file = tmp_path / "study.yaml"
    file.write_text(
        "run: scenario.yaml\nparameters: {controller.kp: {uniform: [50, 150]}}\nsamples: 20\nseed: "
        "3\n"
        "figures: {peak: {column: tau.joint2, reduce: max}, error: summary.rms_error}\n",
        encoding="utf-8",
    )
    return file


def same(a: arne.Table, b: arne.Table) -> bool:
    return a.columns == b.columns and all(bool((a[c] == b[c]).all()) for c in a.columns)


def test_table_and_folder(study: Path, tmp_path: Path) -> None:
    table = arne.sweep(study, out=tmp_path / "out", jobs=2)
    assert table.columns == ("row", "controller.kp", "peak", "error", "status")
    assert len(table) == 20 and set(table["status"]) == {"ok"}
    assert table.units["peak"] == "N m"
    assert np.isfinite(table["error"]).all()
    assert (tmp_path / "out" / "report.html").exists()
    assert same(table, arne.sweep(study))


def test_executor_gives_the_same(study: Path) -> None:
    with ProcessPoolExecutor(2) as pool:
        assert same(arne.sweep(study), arne.sweep(study, executor=pool, chunk=7))


def test_dict_and_mistakes(study: Path) -> None:
    run = str(study.parent / "scenario.yaml")
    table = arne.sweep({"run": run, "parameters": {"robot.bodies.link2.mass": [1, -1]}})
    assert "mass must not be negative" in table["status"][1]
    with pytest.raises(arne.Error, match="controller.kp"):
        arne.sweep({"run": run, "parameters": {"controler.kp": [1]}})


def test_mpi4py(study: Path) -> None:
    pytest.importorskip("mpi4py")
    mpirun = shutil.which("mpirun.openmpi")
    if mpirun is None:
        pytest.skip("no mpirun.openmpi")
    script = study.parent / "pool.py"
    script.write_text(
        "import sys, arne\nfrom mpi4py.futures import MPIPoolExecutor\n"
        "if __name__ == '__main__':\n"
        "    with MPIPoolExecutor() as pool:\n"
        "        table = arne.sweep(sys.argv[1], executor=pool, chunk=6)\n"
        "    alone = arne.sweep(sys.argv[1], jobs=1)\n"
        "    print(all((table[c] == alone[c]).all() for c in table.columns))\n",
        encoding="utf-8",
    )
    root = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    done = subprocess.run(
        [mpirun, "--oversubscribe", "-n", "3", sys.executable, "-m", "mpi4py.futures", str(script),
         str(study)],
        env={**os.environ, **root}, capture_output=True, text=True, timeout=120,
    )
    assert done.stdout.strip() == "True", done.stderr


@pytest.mark.skipif("ARNE_LONG" not in os.environ, reason="half a minute; make test-long runs it")
def test_dask(study: Path) -> None:
    distributed = pytest.importorskip("distributed")
    script = study.parent / "dask_pool.py"
    script.write_text(
        "import sys, arne\nfrom distributed import Client, LocalCluster\n"
        "if __name__ == '__main__':\n"
        "    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as "
        "cluster, Client(cluster) as client:\n"
        "        table = arne.sweep(sys.argv[1], executor=client, chunk=6)\n"
        "    alone = arne.sweep(sys.argv[1], jobs=1)\n"
        "    print(all((table[c] == alone[c]).all() for c in table.columns))\n",
        encoding="utf-8",
    )
    assert distributed.__version__
    done = subprocess.run([sys.executable, str(script), str(study)], capture_output=True, text=True,
                          timeout=120)
    assert done.stdout.strip() == "True", done.stderr
