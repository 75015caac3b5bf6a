"""Arrays in the memory of a CUDA device: PyTorch's, CuPy's, JAX's, and whoever speaks
__cuda_array_interface__ or DLPack.

They go to the kernels as they lie. Results are arrays of the library that the first input comes
from, on its current stream; a JAX array is complete when the call returns, as JAX knows nothing of
the kernels.
"""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass
from typing import Any

from . import _arne

_CUDA = (2, 13)  # device types of DLPack: its memory, and managed memory
_SIZES = {"<f4": 4, "<f8": 8, "=f4": 4, "=f8": 8}


@dataclass
class _Seen:
    """An array on the device: its address, its shape, its strides in entries, and the bytes of an
    entry."""

    at: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    size: int
    keep: Any


def _plain_strides(shape: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(math.prod(shape[i + 1 :]) for i in range(len(shape)))


def _see(array: Any, name: str) -> _Seen:
    """Where an array lies; a TypeError that names the argument where it is none of real numbers on
    the device."""
    try:
        facts = array.__cuda_array_interface__
    # PyTorch refuses tensors that want their gradient
    except (AttributeError, RuntimeError, TypeError):
        facts = None
    if facts is not None:
        kind = facts["typestr"]
        if kind not in _SIZES:
            raise TypeError(f"{name}: an array of float32 or float64 expected, not {kind}")
        size, shape, given = _SIZES[kind], tuple(facts["shape"]), facts.get("strides")
        if given is not None and any(s % size for s in given):
            raise TypeError(f"{name}: its entries are not aligned")
        strides = _plain_strides(shape) if given is None else tuple(s // size for s in given)
        return _Seen(facts["data"][0], shape, strides, size, array)
    device = getattr(array, "__dlpack_device__", lambda: (0, 0))()
    if int(device[0]) not in _CUDA:
        raise TypeError(f"{name}: an array on the device expected, as the others are, not "
                        f"{type(array).__name__}")
    tensor = array.detach() if _library(array) == "torch" else array
    capsule = tensor.__dlpack__()
    at, shape, given, code, bits = _arne.dlpack_facts(capsule)
    if code != 2 or bits not in (32, 64):
        raise TypeError(f"{name}: an array of float32 or float64 expected")
    return _Seen(at, shape, given if given is not None else _plain_strides(shape), bits // 8,
                 (tensor, capsule))


def _library(array: Any) -> str:
    """torch, cupy, jax, or the first word of whatever it is."""
    for kind in type(array).__mro__:
        root = kind.__module__.split(".")[0]
        if root in ("torch", "cupy", "jax", "jaxlib"):
            return "jax" if root == "jaxlib" else root
    return type(array).__module__.split(".")[0]


def _stream(array: Any, library: str) -> tuple[int, bool]:
    """The stream that the work goes on, and whether it is to be waited for."""
    if library == "torch":
        return int(sys.modules["torch"].cuda.current_stream(array.device).cuda_stream), False
    if library == "cupy":
        return int(sys.modules["cupy"].cuda.get_current_stream().ptr), False
    if library == "jax":
        array.block_until_ready()
        return 0, True
    facts = getattr(array, "__cuda_array_interface__", {})
    return int(facts.get("stream") or 0), True


def _new(like: Any, library: str, shape: tuple[int, ...], size: int) -> Any:
    """An array of the same library, on the same device."""
    if library == "torch":
        torch = sys.modules["torch"]
        return torch.empty(shape, dtype=torch.float32 if size == 4 else torch.float64,
                           device=like.device)
    if library == "cupy":
        return sys.modules["cupy"].empty(shape, dtype="f4" if size == 4 else "f8")
    if library == "jax":
        numpy = sys.modules["jax"].numpy
        array = numpy.empty(shape, dtype="float32" if size == 4 else "float64",
                            device=next(iter(like.devices())))
        return array.block_until_ready()
    raise TypeError(f"out: results for arrays of {library} must be given")


def _zeros(like: Any, library: str, shape: tuple[int, ...], size: int, name: str) -> Any:
    """Likewise, of zeros."""
    if library == "torch":
        return _new(like, library, shape, size).zero_()
    if library == "cupy":
        return sys.modules["cupy"].zeros(shape, dtype="f4" if size == 4 else "f8")
    if library == "jax":
        numpy = sys.modules["jax"].numpy
        kind = "float32" if size == 4 else "float64"
        return numpy.zeros(shape, dtype=kind, device=next(iter(like.devices()))).block_until_ready()
    raise TypeError(f"{name}: must be given for arrays of {library}")


def _flat(sizes: tuple[int, ...], strides: tuple[int, ...]) -> int | None:
    """One stride that stands for those of several dimensions; None where there is none."""
    step: int | None = None
    inner = 1
    for n, s in zip(reversed(sizes), reversed(strides)):
        if n == 1:
            continue
        if step is None:
            step = s
        elif s != step * inner:
            return None
        inner *= n
    return step or 0


def _place(seen: _Seen, name: str, item: tuple[int, ...],
           leading: tuple[int, ...]) -> tuple[int, int, int] | None:
    """(address, entry, state) of an array that is broadcast over the leading shape; None where no
    two numbers say it."""
    own = len(seen.shape) - len(item)
    lead = [0] * len(leading)
    for i in range(own):
        if seen.shape[i] != 1:
            lead[len(leading) - own + i] = seen.strides[i]
    entry, state = _flat(item, seen.strides[own:]), _flat(leading, tuple(lead))
    return None if entry is None or state is None else (seen.at, entry, state)


def _contiguous(array: Any, library: str, name: str) -> Any:
    """A copy in order, for arrays whose strides are too many."""
    if library == "torch":
        return array.contiguous()
    if library == "cupy":
        return sys.modules["cupy"].ascontiguousarray(array)
    raise ValueError(f"{name}: an array with such strides cannot be used on the device")


def _check(seen: _Seen, name: str, item: tuple[int, ...]) -> None:
    if len(seen.shape) < len(item) or seen.shape[len(seen.shape) - len(item) :] != item:
        wanted = ", ".join(str(n) for n in item)
        raise ValueError(f"{name}: shape (..., {wanted}) expected, {seen.shape} given")


def _leading(all_seen: list[tuple[str, _Seen, tuple[int, ...]]]) -> tuple[int, ...]:
    """The leading shapes, broadcast as NumPy does it."""
    shape: list[int] = []
    for name, seen, item in all_seen:
        own = seen.shape[: len(seen.shape) - len(item)]
        shape = [1] * (len(own) - len(shape)) + shape
        for i, n in enumerate(reversed(own), 1):
            if shape[-i] == 1:
                shape[-i] = n
            elif n not in (1, shape[-i]):
                raise ValueError(f"{name}: {n} states in a dimension where others have {shape[-i]}")
    return tuple(shape)


def _given(out: Any, names: list[str]) -> list[Any]:
    if len(names) == 1:
        return [getattr(out, "numbers", out)]
    if isinstance(out, (tuple, list)):
        return list(out)
    return [getattr(out, name) for name in names]


def prepare(
    inputs: list[tuple[str, Any, tuple[int, ...]]], outputs: list[tuple[str, tuple[int, ...]]],
    out: Any
) -> tuple[bool, int, int, bool, list[tuple[int, int, int]], list[tuple[int, int, int]], list[Any],
           Any]:
    """Where all arrays lie [addresses, strides in entries], and the arrays that take the
    results."""
    first = inputs[0][1]
    library = _library(first)
    size = _see(first, inputs[0][0]).size
    inputs = [
        (name, _zeros(first, library, item, size, name) if array is None else array, item)
        for name, array, item in inputs
    ]
    all_seen = [(name, _see(array, name), item) for name, array, item in inputs]
    for name, seen, item in all_seen:
        _check(seen, name, item)
        if seen.size != size:
            raise TypeError(f"{name}: float{8 * seen.size}, where {all_seen[0][0]} is of "
                            f"float{8 * size}")
    leading = _leading(all_seen)
    keep: list[Any] = []
    places: list[tuple[int, int, int]] = []
    for (name, seen, item), (_, array, _) in zip(all_seen, inputs):
        place = _place(seen, name, item, leading)
        if place is None:
            seen = _see(_contiguous(array, _library(array), name), name)
            place = _place(seen, name, item, leading)
        assert place is not None
        keep.append(seen.keep)
        places.append(place)
    if library == "jax":
        for _, array, _ in inputs:
            array.block_until_ready()
    stream, waits = _stream(first, library)
    if out is None:
        results = [_new(first, library, (*leading, *item), size) for _, item in outputs]
    elif library == "jax":
        raise TypeError("out: arrays of JAX never change; leave it off")
    else:
        results = _given(out, [name for name, _ in outputs])
    targets = []
    for (name, item), array in zip(outputs, results):
        seen = _see(array, "out")
        if seen.shape != (*leading, *item) or seen.size != size:
            raise ValueError(f"out: an array of shape {(*leading, *item)} and float{8 * size} "
                             "expected")
        place = _place(seen, "out", item, leading)
        if place is None:
            raise ValueError("out: an array with such strides cannot be used on the device")
        targets.append(place)
        keep.append(seen.keep)
    return size == 4, math.prod(leading), stream, waits, places, targets, results, keep
