"""Where a frame stands."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from ._types import Array

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import overload

    from numpy.typing import ArrayLike
else:

    def overload(function: object) -> object:
        """At run time nothing."""
        return function


class IkStatus(IntEnum):
    """How a search of Robot.inverse_kinematics ended."""

    NOT_REACHED = 0
    REACHED = 1


@dataclass(frozen=True, eq=False, repr=False)
class Pose:
    """Where a frame stands in the world: a point p of the frame is R @ p + self.p there.

    numbers  (..., 12) [1, m] the columns of R, then p, as the library has them
    """

    numbers: Array

    @classmethod
    def at(
        cls,
        p: ArrayLike = (0.0, 0.0, 0.0),
        *,
        rpy: ArrayLike | None = None,
        quaternion: ArrayLike | None = None,
        R: ArrayLike | None = None,
    ) -> Pose:
        """A pose from its origin p (..., 3) [m], and how it is turned, one of:

        rpy         (..., 3) [rad] roll, pitch and yaw, as in URDF: about the fixed axes x, y, z in
                    this order
        quaternion  (..., 4) [1] x, y, z, w, of any length
        R           (..., 3, 3) [1] a rotation matrix
        """
        if sum(given is not None for given in (rpy, quaternion, R)) > 1:
            raise ValueError("rpy: give one of rpy, quaternion and R")
        if rpy is not None:
            turn = _from_rpy(_shaped(rpy, "rpy", (3,)))
        elif quaternion is not None:
            turn = _from_quaternion(_shaped(quaternion, "quaternion", (4,)))
        else:
            turn = _shaped(np.eye(3) if R is None else R, "R", (3, 3))
        return cls._of(turn, _shaped(p, "p", (3,)))

    @classmethod
    def from_matrix(cls, matrix: ArrayLike) -> Pose:
        """The pose of a homogeneous matrix, (..., 4, 4) [1, m]."""
        whole = _shaped(matrix, "matrix", (4, 4))
        return cls._of(whole[..., :3, :3], whole[..., :3, 3])

    @classmethod
    def _of(cls, turn: Array, p: Array) -> Pose:
        leading = np.broadcast_shapes(turn.shape[:-2], p.shape[:-1])
        numbers = np.empty((*leading, 12))
        numbers[..., :9] = np.broadcast_to(turn,
                                           (*leading, 3, 3)).swapaxes(-1, -2).reshape(*leading, 9)
        numbers[..., 9:] = p
        return cls(numbers)

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
    def quaternion(self) -> Array:
        """The rotation as x, y, z, w, (..., 4) [1]; w is not negative."""
        R = self.R
        # 4 q q^T, of which the row with the largest diagonal is divided by its length.
        xx, yy, zz = R[..., 0, 0], R[..., 1, 1], R[..., 2, 2]
        K = np.empty((*R.shape[:-2], 4, 4))
        K[..., 0, 0], K[..., 1, 1] = 1 + xx - yy - zz, 1 - xx + yy - zz
        K[..., 2, 2], K[..., 3, 3] = 1 - xx - yy + zz, 1 + xx + yy + zz
        for i, j in ((0, 1), (0, 2), (1, 2)):
            K[..., i, j] = K[..., j, i] = R[..., i, j] + R[..., j, i]
        for i, (j, k) in enumerate(((2, 1), (0, 2), (1, 0))):
            K[..., i, 3] = K[..., 3, i] = R[..., j, k] - R[..., k, j]
        best = np.argmax(np.diagonal(K, axis1=-2, axis2=-1), axis=-1)
        row = np.take_along_axis(K, best[..., None, None], axis=-2)[..., 0, :]
        row = row / np.linalg.norm(row, axis=-1, keepdims=True)
        found: Array = np.where(row[..., 3:] < 0, -row, row)
        return found

    @property
    def rpy(self) -> Array:
        """Roll, pitch and yaw, (..., 3) [rad], as in URDF; where the pitch is +-pi/2, roll is 0."""
        R = self.R
        cosine = np.hypot(R[..., 0, 0], R[..., 1, 0])
        upright = cosine < 1e-9
        roll = np.where(upright, 0.0, np.arctan2(R[..., 2, 1], R[..., 2, 2]))
        yaw = np.where(upright, np.arctan2(-R[..., 0, 1], R[..., 1, 1]),
                       np.arctan2(R[..., 1, 0], R[..., 0, 0]))
        return np.stack([roll, np.arctan2(-R[..., 2, 0], cosine), yaw], axis=-1)

    @property
    def matrix(self) -> Array:
        """The homogeneous matrix, (..., 4, 4) [1, m]."""
        whole = np.zeros((*self.numbers.shape[:-1], 4, 4))
        whole[..., :3, :3] = self.R
        whole[..., :3, 3] = self.p
        whole[..., 3, 3] = 1.0
        return whole

    def inverse(self) -> Pose:
        """The pose of the world in this frame: self @ self.inverse() is no displacement."""
        turn = self.R.swapaxes(-1, -2)
        return Pose._of(turn, -(turn @ self.p[..., None])[..., 0])

    @overload
    def __matmul__(self, other: Pose) -> Pose: ...
    @overload
    def __matmul__(self, other: ArrayLike) -> Array: ...
    def __matmul__(self, other: Pose | ArrayLike) -> Pose | Array:
        """A pose in this frame becomes one in the world; so do points, (..., 3) [m]."""
        points = other.p if isinstance(other, Pose) else _shaped(other, "point", (3,))
        moved: Array = (self.R @ points[..., None])[..., 0] + self.p
        return Pose._of(self.R @ other.R, moved) if isinstance(other, Pose) else moved

    def __repr__(self) -> str:
        if self.numbers.ndim > 1:
            return f"<arne.Pose: {self.numbers.shape[:-1]} poses>"
        p, rpy = (", ".join(f"{x:.6g}" for x in row) for row in (self.p + 0.0, self.rpy + 0.0))
        return f"<arne.Pose p=({p}) m, rpy=({rpy}) rad>"

    def _repr_html_(self) -> str:
        """A notebook shows the matrix."""
        import html

        if self.numbers.ndim > 1:
            return f"<pre>{html.escape(repr(self))}</pre>"
        rows = "".join(f"<tr>{''.join(f'<td>{x:.6g}</td>' for x in row)}</tr>"
                       for row in self.matrix + 0.0)
        return f"<table><tbody>{rows}</tbody></table><p>{html.escape(repr(self)[1:-1])}</p>"


def _shaped(given: ArrayLike, name: str, shape: tuple[int, ...]) -> Array:
    array = np.asarray(given, dtype=np.float64)
    if array.shape[-len(shape) :] != shape:
        raise ValueError(f"{name}: shape (..., {', '.join(map(str, shape))}) expected, "
                         f"{array.shape} given")
    return array


def _from_rpy(rpy: Array) -> Array:
    (sr, sp, sy), (cr, cp, cy) = np.moveaxis(np.sin(rpy), -1, 0), np.moveaxis(np.cos(rpy), -1, 0)
    rows = [
        [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
        [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
        [-sp, cp * sr, cp * cr],
    ]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def _from_quaternion(q: Array) -> Array:
    length = np.linalg.norm(q, axis=-1, keepdims=True)
    if not (length > 0).all():
        raise ValueError("quaternion: it has no length")
    x, y, z, w = np.moveaxis(q / length, -1, 0)
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)
