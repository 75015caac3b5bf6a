"""Names for what arguments and results are. At run time they are nothing: numpy.typing takes longer
to import than Arne."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any, Literal, Union

    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    Array = NDArray[np.float64]
    Flags = NDArray[np.bool_]
    Numbers = NDArray[np.int64]
    Scalar = Union[float, NDArray[np.float64]]
    Vector = ArrayLike
    Axes = Literal["body", "world", "aligned"]
    Method = Literal["recursive", "matrix"]
    Integrator = Literal["euler", "rk4"]
    FixedIn = Literal["link", "world"]
    Base = Literal["fixed", "prescribed", "free"]
    Given = Union[str, Sequence[str], Sequence[bool], NDArray[np.bool_]]
    Held = Union[str, int, Sequence[Union[str, int]], dict[str, Literal["point", "foot"]]]
    Wrenches = Union[Mapping[str, ArrayLike], None]
    Facts = dict[str, Any]
else:
    Array = Flags = Numbers = Scalar = Vector = Axes = Method = Integrator = FixedIn = Base = Given = Held = Wrenches = Facts = ArrayLike = object
