"""Dicts with the keys of Arne's files, as the text that the library's own readers take."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping

import numpy as np

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def _plain(value: Any) -> Any:
    """What json can write: NumPy's arrays and numbers become lists and numbers."""
    if isinstance(value, Mapping):
        return {str(key): _plain(inner) for key, inner in value.items()}
    if isinstance(value, np.ndarray):
        return _plain(value.tolist())
    if isinstance(value, (list, tuple)):
        return [_plain(inner) for inner in value]
    if isinstance(value, np.generic):
        return _plain(value.item())
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, float) and not math.isfinite(value):
        return "nan" if math.isnan(value) else "inf" if value > 0 else "-inf"
    if value is None or isinstance(value, (str, int, float, bool)):
        return value
    raise TypeError(f"a file cannot hold {type(value).__name__}")


def to_yaml(document: Mapping[str, Any]) -> str:
    """The document as text. JSON is YAML; every number is written so that it is read back the
    same."""
    import json

    return json.dumps(_plain(document), indent=1, ensure_ascii=False) + "\n"


def key_paths(text: str, within: str = "") -> list[str]:
    """The path of the key that each line of `to_yaml` is about: initial.q, payloads[0].frame; that
    of the whole is `within`."""
    import json

    paths: list[str] = []
    above: list[str] = [within]  # by depth
    count: list[int] = [0]
    for line in text.splitlines():
        depth = len(line) - len(line.lstrip(" "))
        del above[depth + 1 :], count[depth + 1 :]
        bare = line.strip()
        if depth and bare[0] not in "]}":
            parent = above[depth - 1]
            try:
                key, end = json.JSONDecoder().raw_decode(bare) if bare[0] == '"' else ("", 0)
            except ValueError:
                key, end = "", 0
            if end and bare[end : end + 1] == ":":
                path = f"{parent}.{key}" if parent else key
            else:
                path = f"{parent}[{count[depth - 1]}]"
                count[depth - 1] += 1
            above[depth:], count[depth:] = [path], [0]
        paths.append(above[min(depth, len(above) - 1)])
    return paths
