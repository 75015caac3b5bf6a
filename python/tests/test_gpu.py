"""Arrays on a CUDA device: PyTorch's, CuPy's and JAX's go to the kernels as they lie. Skipped where
there is no device."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
import pytest
from conftest import states

import arne
from arne import _arne


def library(name: str) -> Any:
    """The library, where it has a device."""
    try:
        module = importlib.import_module(name)
        if name == "torch":
            return module if module.cuda.is_available() else None
        if name == "cupy":
            return module if module.cuda.runtime.getDeviceCount() else None
        module.config.update("jax_enable_x64", True)
        return module if module.devices()[0].platform in ("gpu", "cuda") else None
    except Exception:
        return None


class Device:
    """Arrays there and back."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.module = library(name)

    def there(self, x: Any) -> Any:
        if self.name == "torch":
            return self.module.tensor(np.ascontiguousarray(x), device="cuda")
        return self.module.asarray(x) if self.name == "cupy" else self.module.numpy.asarray(x)

    def back(self, x: Any) -> Any:
        if self.name == "torch":
            return x.cpu().numpy()
        return self.module.asnumpy(x) if self.name == "cupy" else np.asarray(x)

    def owns(self, x: Any) -> bool:
        return type(x).__module__.split(".")[0] in (self.name,
                                                    "jaxlib" if self.name == "jax" else self.name)


@pytest.fixture(params=["torch", "cupy", "jax"])
def device(request: pytest.FixtureRequest) -> Device:
    found = Device(request.param)
    if found.module is None:
        pytest.skip(f"no {request.param} with a device here")
    return found


@pytest.mark.parametrize("kind", ["float64", "float32"])
@pytest.mark.parametrize("leading", [(), (1,), (1000,), (3, 5)])
def test_numbers_are_those_of_the_processor(device: Device, kind: str,
                                            leading: tuple[int, ...]) -> None:
    robot = arne.load("arm7", friction=False)
    s = states(robot, *leading)
    near = 1e-9 if kind == "float64" else 2e-3
    q, qd, qdd, tau = (device.there(x.astype(kind)) for x in (s.q, s.qd, s.qdd, s.tau))
    got = robot.inverse_dynamics(q, qd, qdd)
    assert device.owns(got) and tuple(got.shape) == s.qd.shape
    wanted = robot.inverse_dynamics(s.q, s.qd, s.qdd)
    np.testing.assert_allclose(device.back(got), wanted, rtol=near,
                               atol=near * float(np.abs(wanted).max()))
    M = robot.mass_matrix(q)
    assert tuple(M.shape) == (*leading, 7, 7)
    np.testing.assert_allclose(device.back(M), robot.mass_matrix(s.q), rtol=near, atol=near)
    wanted = robot.forward_dynamics(s.q, s.qd, s.tau)
    got = robot.forward_dynamics(q, qd, tau)
    np.testing.assert_allclose(device.back(got), wanted, rtol=near,
                               atol=10 * near * float(np.abs(wanted).max()))
    pose = robot.pose(q, "link7")
    np.testing.assert_allclose(device.back(pose.p), robot.pose(s.q, "link7").p, rtol=near,
                               atol=near)


def test_layouts_and_broadcasting(device: Device) -> None:
    robot = arne.load("arm7")
    s = states(robot, 64)
    wanted = robot.inverse_dynamics(s.q, s.qd[0], s.qdd)
    q, qd, qdd = device.there(s.q), device.there(s.qd[0]), device.there(s.qdd)
    np.testing.assert_allclose(device.back(robot.inverse_dynamics(q, qd, qdd)), wanted, rtol=1e-9,
                               atol=1e-8)
    columns = device.there(np.ascontiguousarray(s.q.T)).T
    np.testing.assert_allclose(device.back(robot.inverse_dynamics(columns, qd, qdd)), wanted,
                               rtol=1e-9, atol=1e-8)
    if device.name != "jax":
        half = robot.inverse_dynamics(q[::2], qd, qdd[::2])
        np.testing.assert_allclose(device.back(half), wanted[::2], rtol=1e-9, atol=1e-8)


def test_out_and_no_copy(device: Device) -> None:
    robot = arne.load("arm7")
    s = states(robot, 10)
    q, qd = device.there(s.q), device.there(s.qd)
    if device.name == "jax":
        with pytest.raises(TypeError, match="^out: "):
            robot.mass_matrix(q, out=qd)
        return
    out = device.there(np.zeros((10, 7, 7)))
    assert robot.mass_matrix(q, out=out) is out
    np.testing.assert_allclose(device.back(out), robot.mass_matrix(s.q), rtol=1e-9, atol=1e-8)
    other = device.there(np.zeros((10, 7)))
    address = other.__cuda_array_interface__["data"][0]
    same: Any = robot.inverse_dynamics(q, qd, qd, out=other)
    assert same.__cuda_array_interface__["data"][0] == address


def test_dlpack(device: Device) -> None:
    robot = arne.load("arm7")
    s = states(robot, 33)

    class Tensor:
        """Speaks DLPack and nothing else."""

        def __init__(self, array: Any) -> None:
            self.array = array

        def __dlpack__(self, **options: Any) -> Any:
            return self.array.__dlpack__(**options)

        def __dlpack_device__(self) -> Any:
            return self.array.__dlpack_device__()

    q = device.there(s.q)
    out = device.there(np.zeros((33, 7, 7)))
    if device.name == "jax":
        pytest.skip("arrays of JAX never change")
    robot.mass_matrix(Tensor(q), out=out)  # type: ignore[arg-type]
    np.testing.assert_allclose(device.back(out), robot.mass_matrix(s.q), rtol=1e-9, atol=1e-8)
    if device.name == "torch":
        wants = q.clone().requires_grad_()
        np.testing.assert_allclose(device.back(robot.mass_matrix(wants)), robot.mass_matrix(s.q),
                                   rtol=1e-9, atol=1e-8)


@pytest.mark.parametrize("name", ["arm7", "quadruped"])
@pytest.mark.parametrize("integrator", ["euler", "rk4"])
@pytest.mark.parametrize("controlled", [False, True])
def test_rollouts(device: Device, name: str, integrator: Any, controlled: bool) -> None:
    robot = arne.load(name, base="free" if name == "quadruped" else "fixed", friction=False)
    s = states(robot, 100)
    kp, kd = np.full(robot.v_count, 3.0), np.full(robot.v_count, 0.5)
    x: dict[str, Any] = {"kp": kp, "kd": kd} if controlled else {}
    refs = (s.q[::-1].copy(), s.qdd) if controlled else ()
    rollout: Any = robot.rollout
    wanted = rollout(s.q, s.qd, s.tau, 20, 1e-3, *refs, integrator=integrator, **x)
    there = [device.there(a) for a in (s.q, s.qd, s.tau)]
    got = rollout(*there, 20, 1e-3, *(device.there(a) for a in refs), integrator=integrator, **x)
    np.testing.assert_allclose(device.back(got.q_end), wanted.q_end, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(device.back(got.qd_end), wanted.qd_end, rtol=1e-9, atol=1e-8)


def test_worlds(device: Device) -> None:
    """Ground, gains and restarts beside the CPU; masses, rigid ground, hills and a policy by what
    they must do."""
    robot = arne.load("quadruped", friction=False)
    rollout: Any = robot.rollout
    n = 64
    stand = np.array([0, 0, 0.303, 0, 0, 0, 1] + 4 * [0, -0.8, 1.6])
    q, qd, tau = np.tile(stand, (n, 1)), np.zeros((n, 18)), np.zeros((n, 18))
    qd[:, :6] = 0.3 * np.sin(np.arange(6 * n)).reshape(n, 6)
    ground = np.tile([0, 0, 0, 0, 0, 1, 0.8, 2e5, 0.5, 0.05], (n, 1))
    ground[:, 6] = np.linspace(0.4, 1, n)
    kp = np.array(6 * [0.0] + 12 * [80.0])
    gains = np.linspace(0.8, 1.2, n)[:, None] * kp
    restart = np.arange(n) % 2.0
    x = {"q_ref": q, "ground": ground, "stiffness": gains, "damping": gains / 40,
         "restart": restart, "q_start": q, "qd_start": -qd}
    there: dict[str, Any] = {name: device.there(a) for name, a in x.items()}
    state = [device.there(a) for a in (q, qd, tau)]
    wanted = rollout(q, qd, tau, 100, 5e-4, **x)
    got = rollout(*state, 100, 5e-4, **there)
    np.testing.assert_allclose(device.back(got.q_end), wanted.q_end, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(device.back(got.qd_end), wanted.qd_end, rtol=1e-9, atol=1e-9)
    same = rollout(*state, 100, 5e-4, **there,
                   mass_factor=device.there(np.ones((n, robot.body_count))))
    np.testing.assert_allclose(device.back(same.qd_end), wanted.qd_end, rtol=1e-9, atol=1e-9)
    flat: dict[str, Any] = {"heights": device.there(np.zeros((80, 80))), "corner": (-2, -2),
                            "spacing": (0.05, 0.05)}
    same = rollout(*state, 100, 5e-4, **there, **flat)
    np.testing.assert_allclose(device.back(same.qd_end), wanted.qd_end, rtol=1e-9, atol=1e-9)
    weights = np.zeros((n, 18, 36))  # a policy of the same gains
    weights[:, range(18), range(18)] = gains
    weights[:, range(18), range(18, 36)] = gains / 40
    weights = np.concatenate([weights.reshape(n, -1), np.zeros((n, 18))], axis=1)
    less = {name: a for name, a in there.items() if name not in ("stiffness", "damping")}
    same = rollout(*state, 100, 5e-4, **less, policy=device.there(weights), torque_limits=12 * kp)
    np.testing.assert_allclose(device.back(same.qd_end), wanted.qd_end, rtol=1e-9, atol=1e-9)
    rigid = rollout(*state, 2000, 1e-3, **there, sweeps=8, left_out=["body"])
    assert (abs(device.back(rigid.q_end)[:, 2] - 0.295) < 0.01).all()
    with pytest.raises(arne.Error, match="'body' is a box"):
        rollout(*state, 1, 1e-3, **there, sweeps=8)


@pytest.mark.parametrize("name", ["arm6", "quadruped"])
def test_every_method_with_a_kernel(device: Device, name: str) -> None:
    robot = arne.load(name, base="free" if name == "quadruped" else "fixed", friction=False)
    s = states(robot, 50)
    ground = np.tile([0, 0, 0.2, 0, 0, 1, 0.8, 1e4, 0.5, 1e-3], (50, 1))  # some feet are in it
    given = {"q": s.q, "qd": s.qd, "qdd": s.qdd, "tau": s.tau, "qddd": s.qddd, "ground": ground,
             "frame": robot.links[-1].name}
    seen = set()
    for method in _arne.methods():
        names = [argument["name"] for argument in method["arguments"] if argument["required"]]
        if any(word not in given for word in names):
            continue
        call = getattr(robot, method["name"])
        try:
            got = call(
                *(x if isinstance(x, str) else device.there(x)
                  for x in (given[word] for word in names)))
        except NotImplementedError:
            continue
        wanted = call(*(given[word] for word in names))
        parts = [output["name"] for output in method["outputs"]]
        for part in parts:
            want, have = (x if len(parts) == 1 else getattr(x, part) for x in (wanted, got))
            want, have = (getattr(want, "numbers", want), getattr(have, "numbers", have))
            near = 1e-8 * float(np.abs(want).max(initial=1.0))
            np.testing.assert_allclose(device.back(have), want, rtol=1e-8, atol=near,
                                       err_msg=f"{method['name']} {part}")
        seen.add(method["name"])
    assert {"inverse_dynamics", "forward_dynamics", "mass_matrix", "jacobian",
            "inverse_dynamics_derivatives", "regressor"} <= seen
    assert name == "arm6" or "ground_dynamics" in seen
    assert "jacobian_rate" not in seen
    print(sorted(seen))


def test_mistakes(device: Device) -> None:
    robot = arne.load("arm7")
    q = device.there(np.zeros((4, 7)))
    with pytest.raises(ValueError, match=r"^q: shape \(\.\.\., 7\) expected"):
        robot.mass_matrix(device.there(np.zeros((4, 6))))
    with pytest.raises(TypeError, match="^qd: "):
        robot.inverse_dynamics(q, device.there(np.zeros((4, 7), dtype="float32")), q)
    with pytest.raises(TypeError, match="^qd: "):
        robot.inverse_dynamics(q, np.zeros((4, 7)), q)
    with pytest.raises(ValueError, match="states in a dimension"):
        robot.inverse_dynamics(q, device.there(np.zeros((3, 7))), q)
    with pytest.raises(NotImplementedError):
        robot.second_derivatives(q, q, q)
    assert tuple(robot.mass_matrix(device.there(np.zeros((0, 7)))).shape) == (0, 7, 7)


def test_streams(device: Device) -> None:
    if device.name != "torch":
        pytest.skip("streams of PyTorch")
    torch = device.module
    robot = arne.load("arm7")
    s = states(robot, 5000)
    q = device.there(s.q)
    torch.cuda.synchronize()
    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        a = robot.mass_matrix(q)
    b = robot.mass_matrix(2 * q)
    torch.cuda.synchronize()
    np.testing.assert_allclose(device.back(a), robot.mass_matrix(s.q), rtol=1e-9, atol=1e-8)
    np.testing.assert_allclose(device.back(b), robot.mass_matrix(2 * s.q), rtol=1e-9, atol=1e-8)


# --- without a device


class Pretender:
    """An array on a device that is not there."""

    __cuda_array_interface__ = {"shape": (4, 7), "typestr": "<f8", "data": (4096, False),
                                "version": 3}


def test_without_a_device_it_is_said() -> None:
    if any(library(name) for name in ("torch", "cupy", "jax")):
        pytest.skip("there is a device")
    robot = arne.load("arm7")
    with pytest.raises(TypeError, match="^out: results for arrays of"):
        robot.mass_matrix(Pretender())  # type: ignore[arg-type]

    class Other(Pretender):
        __cuda_array_interface__ = {**Pretender.__cuda_array_interface__, "shape": (4, 7, 7),
                                    "data": (1 << 20, False)}

    with pytest.raises(arne.Error) as caught:
        robot.mass_matrix(Pretender(), out=Other())  # type: ignore[arg-type]
    assert caught.value.code == "UNSUPPORTED"
    with pytest.raises(NotImplementedError, match="does not run on a GPU"):
        robot.inverse_kinematics(Pretender(), "link7", [0, 0, 0])  # type: ignore[arg-type]
