"""Every quantity of the catalogue, for every robot that comes with Arne: what the program prints,
to 1e-9.

    python test_program.py PROGRAM     all robots; pytest takes some
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import arne
from arne import _arne

ROBOTS = Path(arne.__file__).parent / "robots"
PROGRAM = Path(os.environ.get("ARNE_PROGRAMS", "/nowhere")) / "arne"
# What takes no state, or is not among the program's quantities.
ELSEWHERE = {
    "ground_dynamics", "rollout", "inverse_dynamics_along", "inverse_dynamics_against",
    "zero_moment_point", "jacobian_rate",
}  # fmt: skip
CLOSE = 1e-9


def text_of(numbers: Any) -> str:
    return ",".join(repr(float(x)) for x in np.ravel(numbers))


def flat(found: Any) -> list[float]:
    """All numbers of a piece of JSON, in order."""
    if isinstance(found, dict):
        return [x for value in found.values() for x in flat(value)]
    if isinstance(found, list):
        return [x for value in found for x in flat(value)]
    return [np.nan if found is None else float(found == "ok")
            if isinstance(found, str) else float(found)]


class State:
    """A robot at a random state that its loops allow, as both sides take it."""

    def __init__(self, path: Path, base: str | None, seed: int) -> None:
        self.path, self.base = path, base
        numbers = np.random.default_rng(seed)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.robot = arne.load(path, base=base)  # type: ignore[arg-type]
        r = self.robot
        self.closed = r.loop_count > 0
        self.active = np.flatnonzero(r.active) if self.closed else np.arange(r.v_count)
        n = r.v_count
        q = r.random_configuration(seed=seed)
        self.rates = {"qd": numbers.normal(size=n), "qdd": numbers.normal(size=n),
                      "qddd": numbers.normal(size=n)}
        self.tau = numbers.normal(size=n)
        if self.closed:
            q = r.assemble(r.start_configuration()).q
            self.tau[~r.active] = 0
            qd, qdd = r.complete(q, self.rates["qd"], self.rates["qdd"])
            self.rates.update(qd=qd, qdd=qdd, qddd=r.complete_jerk(q, qd, qdd, self.rates["qddd"]))
        self.q = q
        self.link = next(f.name for f in reversed(r.links) if f.body > 0)
        self.joint = r.joints[-1].name

    def words(self, needs: list[str]) -> list[str]:
        said = [str(self.path), "--json", "--quiet"] + (["--base", self.base] if self.base else [])
        if "q" in needs:
            said.append("--q=" + text_of(self.q))
        for name, value in {**self.rates, "tau": self.tau}.items():
            if name in needs:
                said.append(f"--{name}=" + text_of(value))
        return said

    def arguments(self, needs: list[str]) -> dict[str, Any]:
        every = {"q": self.q, **self.rates, "tau": self.tau}
        return {name: every[name] for name in needs if name in every}


def program(*words: str) -> Any:
    run = subprocess.run([str(PROGRAM), "compute", *words], capture_output=True, text=True,
                         timeout=60)
    return json.loads(run.stdout)[0] if run.returncode == 0 else run.stderr


def ours(value: Any, s: State, count: int) -> Any:
    """Of a closed mechanism the program prints the rows and columns of active joints, where others
    are zero."""
    a = np.asarray(value, dtype=np.float64)
    axes = [k for k, size in enumerate(a.shape) if size == s.robot.v_count]
    for axis in axes[::-1] if s.closed else []:
        if a.size != count:
            a = np.take(a, s.active, axis=axis)
    return a


def compare(method: dict[str, Any], s: State) -> str:
    """"" where both agree, else what does not."""
    name = method["name"]
    required = [a["name"] for a in method["arguments"] if a["required"]]
    takes = [a["name"] for a in method["arguments"]]
    needs = [x for x in ("q", "qd", "qdd", "qddd", "tau")
             if x in required or (x in takes and not s.closed)]
    words, call = s.words(needs), s.arguments(needs)
    quantity = name.replace("_", "-")
    if name == "contact_inverse_dynamics":
        quantity = "inverse-dynamics"
    if "frame" in required:
        words.append("--frame=" + s.link)
        call["frame"] = s.link
    if "given" in required:
        words.append("--given=" + s.joint)
        call["given"] = [s.joint]
    if "contact" in required:
        words.append("--contact=" + s.link)
        call["contact"] = s.link
    if "position" in required:
        target = s.robot.pose(s.robot.integrate(s.q, 0.05 * np.ones(s.robot.v_count)), s.link).p
        words.append("--position=" + text_of(target))
        call["position"] = target
    if "joint" in required:
        call["joint"] = s.joint
    said = program(quantity, *words)
    try:
        got = getattr(s.robot, name)(**call)
    except (arne.Error, ValueError) as e:
        return "" if isinstance(said, str) else f"{name}: only Python fails: {e}"
    # the program refuses what has no numbers: muscles of a robot without any
    if isinstance(said, str):
        return "" if np.size(got) == 0 else f"{name}: only the program fails: {said.strip()}"
    return differences(method, s, said, got)


def differences(method: dict[str, Any], s: State, said: Any, got: Any) -> str:
    name, outputs = method["name"], [o["name"] for o in method["outputs"]]
    for output in outputs:
        mine = got if len(outputs) == 1 else getattr(got, output)
        if output == "pose":
            place = said["frames"][s.link]
            theirs, mine = flat(place["p"]) + flat(place["R"]), np.concatenate(
                [mine.p, mine.R.ravel()])
        elif name == "wrench_derivatives":
            own = list(said["joint_wrenches"].values())[-1]
            by = output.split("_")[-1]
            theirs = flat(own[f"dforce_{by}"]) + flat(own[f"dmoment_{by}"])
        elif output.startswith("dcontacts_"):
            by = output.split("_")[-1]
            theirs = flat(said["contacts"][s.link][f"dforce_{by}"]) + flat(
                said["contacts"][s.link][f"dmoment_{by}"])
            mine = ours(mine, s, len(theirs))
        elif "frames" in said:
            theirs = flat(said["frames"][s.link])
        elif output in said:
            theirs = flat(said[output])
            mine = ours(mine, s, len(theirs))
        else:
            return f"{name}: the program has no {output}, but {list(said)}"
        mine = np.ravel(np.asarray(mine, dtype=np.float64))
        if mine.size != len(theirs):
            return f"{name}: {output} has {mine.size} numbers, the program's {len(theirs)}"
        scale = max(1.0, float(np.max(np.abs(theirs), initial=0.0)))
        worst = float(np.max(np.abs(mine - theirs), initial=0.0)) / scale
        if not worst <= CLOSE:
            return f"{name}: {output} differs by {worst:.2g} of its largest number"
    return ""


def quantities() -> list[dict[str, Any]]:
    return [m for m in _arne.methods() if m["name"] not in ELSEWHERE]


def check_robot(path: Path, base: str | None = None) -> list[str]:
    s = State(path, base, 3)
    return [f"{path.name}{f' ({base})' if base else ''}: {bad}" for m in quantities()
            if (bad := compare(m, s))]


@pytest.mark.skipif(not PROGRAM.exists(), reason="no program here")
@pytest.mark.parametrize(("name", "base"),
                         [("arm7.urdf", None), ("five_bar.yaml", None), ("hua_arm.yaml", "free")])
def test_as_the_program(name: str, base: str | None) -> None:
    assert check_robot(ROBOTS / name, base) == []


@pytest.mark.skipif(not PROGRAM.exists(), reason="no program here")
@pytest.mark.parametrize("name", ["arm7.urdf", "five_bar.yaml"])
def test_effort(name: str) -> None:
    """What is no algorithm of the catalogue, but a quantity of the program."""
    s = State(ROBOTS / name, None, 3)
    needs = ["q", "qd", "qdd"]
    use = s.robot.effort_utilisation(s.q, s.rates["qd"], s.rates["qdd"])
    said = program("effort-utilisation", *s.words(needs))
    if isinstance(said, dict):
        assert np.nanmax(use) == pytest.approx(said["largest"], rel=CLOSE)
        np.testing.assert_allclose(sorted(use[np.isfinite(use)]), sorted(flat(said["utilisation"])),
                                   rtol=CLOSE)
    else:
        assert np.isnan(use).all()
    said = program("payload-capacity", *s.words(needs), "--frame=" + s.link)
    try:
        mass, limiting = s.robot.payload_capacity(s.q, s.link, s.rates["qd"], s.rates["qdd"])
    except arne.Error:
        assert isinstance(said, str)
        return
    assert mass.shape == () and mass == pytest.approx(said["capacity"], rel=CLOSE)
    joint = next(j for j in s.robot.joints if j.v_start == limiting)
    assert joint.name == said["limiting"]


def main() -> int:
    global PROGRAM
    PROGRAM = Path(sys.argv[1])
    count, bad = 0, []
    for path in sorted(p for p in ROBOTS.iterdir() if p.suffix in (".yaml", ".urdf")):
        for base in (None, "free"):
            try:
                bad += check_robot(path, base)
            except arne.Error as e:
                print(f"{path.name} ({base}): {e}")
                continue
            count += 1
    print(*bad, sep="\n")
    print(f"{count} robots, {len(quantities())} quantities each, {len(bad)} differ")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
