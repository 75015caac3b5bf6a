"""Names for what arguments and results are. At run time they are nothing: numpy.typing takes longer to import than Arne."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Literal, Union

    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    Array = NDArray[np.float64]
    Flags = NDArray[np.bool_]
    Numbers = NDArray[np.int64]
    Scalar = Union[float, NDArray[np.float64]]
    Vector = ArrayLike
    Axes = Literal["body", "world", "aligned"]
    Method = Literal["recursive", "matrix"]
    FixedIn = Literal["link", "world"]
    Base = Literal["fixed", "prescribed", "free"]
    Given = Union[str, Sequence[str], Sequence[bool], NDArray[np.bool_]]
    Wrenches = Union[Mapping[str, ArrayLike], None]
    Facts = dict[str, Any]
else:
    Array = Flags = Numbers = Scalar = Vector = Axes = Method = FixedIn = Base = Given = Wrenches = Facts = ArrayLike = Any
