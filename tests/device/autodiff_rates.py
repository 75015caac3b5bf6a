"""What arne.torch and arne.jax cost: values and gradients of inverse dynamics of arm7, in states/s.

    python autodiff_rates.py

A line for each library, place and number of states; the first call, which compiles, is left out.
`library` is Robot.inverse_dynamics with arrays of NumPy, on the processor. JAX calls back: arrays
of a device are copied both ways.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

import arne


def rate(call: Callable[[], object], count: int) -> float:
    """States in a second: the best of five."""
    call()
    best = float("inf")
    for _ in range(5):
        start = time.perf_counter()
        call()
        best = min(best, time.perf_counter() - start)
    return count / best


def by_torch(robot: arne.Robot, x: list[Any], place: str) -> tuple[float, float]:
    import torch

    import arne.torch

    tensors = [torch.tensor(a, device=place, requires_grad=True) for a in x]

    def value() -> Any:
        tau = arne.torch.inverse_dynamics(robot, *tensors)
        if place == "cuda":
            torch.cuda.synchronize()
        return tau

    def gradient() -> None:
        torch.autograd.grad(value().sum(), tensors)
        if place == "cuda":
            torch.cuda.synchronize()

    return rate(value, len(x[0])), rate(gradient, len(x[0]))


def by_jax(robot: arne.Robot, x: list[Any], place: str) -> tuple[float, float]:
    import jax

    import arne.jax

    jax.config.update("jax_enable_x64", True)
    arrays = [jax.device_put(a, jax.devices(place)[0]) for a in x]
    value = jax.jit(lambda *y: arne.jax.inverse_dynamics(robot, *y))
    slope = jax.jit(jax.grad(lambda *y: value(*y).sum(), argnums=(0, 1, 2)))
    values, slopes = (lambda f=f: jax.block_until_ready(f(*arrays)) for f in (value, slope))
    return rate(values, len(x[0])), rate(slopes, len(x[0]))


def main() -> None:
    robot = arne.load("arm7")
    rng = np.random.default_rng(1)
    places = [("torch", by_torch, "cpu"), ("torch", by_torch, "cuda")]
    places += [("jax", by_jax, "cpu"), ("jax", by_jax, "cuda")]
    print(f"{'':<10} {'place':<6} {'states':>8} {'values/s':>10} {'gradients/s':>12}")
    for count in (1, 1000, 100_000):
        x = list(rng.normal(size=(3, count, robot.v_count)))
        values = rate(lambda: robot.inverse_dynamics(*x), count)
        slopes = rate(lambda: robot.inverse_dynamics_derivatives(*x), count)
        print(f"{'library':<10} {'cpu':<6} {count:>8} {values:>10.2e} {slopes:>12.2e}")
        for name, run, place in places:
            try:
                values, slopes = run(robot, x, place)
            except (ImportError, RuntimeError, AssertionError) as error:
                print(f"{name:<10} {place:<6} not here: {str(error).splitlines()[0]}")
                continue
            print(f"{name:<10} {place:<6} {count:>8} {values:>10.2e} {slopes:>12.2e}")


if __name__ == "__main__":
    main()
