"""Where a frame stands."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ._types import Array


@dataclass(frozen=True, eq=False)
class Pose:
    """Where a frame stands in the world: a point p of the frame is R @ p + self.p there.

    numbers  (..., 12) [1, m] the columns of R, then p, as the library has them
    """

    numbers: Array

    @property
    def R(self) -> Array:
        """The rotation, (..., 3, 3) [1]: its columns are the frame's axes, written in the world."""
        columns = self.numbers[..., :9].reshape(*self.numbers.shape[:-1], 3, 3)
        return columns.swapaxes(-1, -2)

    @property
    def p(self) -> Array:
        """The origin, (..., 3) [m]."""
        return self.numbers[..., 9:]

    @property
    def matrix(self) -> Array:
        """The homogeneous matrix, (..., 4, 4) [1, m]."""
        whole = np.zeros((*self.numbers.shape[:-1], 4, 4))
        whole[..., :3, :3] = self.R
        whole[..., :3, 3] = self.p
        whole[..., 3, 3] = 1.0
        return whole
