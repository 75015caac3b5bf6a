"""Names for what arguments and results are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]
Scalar = Union[float, NDArray[np.float64]]
Vector = ArrayLike
Axes = Literal["body", "world", "aligned"]
Method = Literal["recursive", "matrix"]
FixedIn = Literal["link", "world"]
Base = Literal["fixed", "prescribed", "free"]
Given = Union[str, Sequence[str], Sequence[bool], NDArray[np.bool_]]
Wrenches = Union[Mapping[str, ArrayLike], None]
Facts = dict[str, Any]
