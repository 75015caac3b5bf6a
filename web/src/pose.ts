// Poses as seven numbers in flat arrays: x, y, z and a unit quaternion x, y, z, w.

import type { Pose, Vec3 } from './data';

export type Numbers = Float64Array | Float32Array | readonly number[];

export const POSE = 7;

/** A number of an array that is known to be long enough. */
export function at(values: Numbers, index: number): number {
    return values[index] ?? 0;
}

/** a * b of quaternions that start at ia and ib. */
export function multiply(
    a: Numbers,
    ia: number,
    b: Numbers,
    ib: number,
): [number, number, number, number] {
    const [ax, ay, az, aw] = [at(a, ia), at(a, ia + 1), at(a, ia + 2), at(a, ia + 3)];
    const [bx, by, bz, bw] = [at(b, ib), at(b, ib + 1), at(b, ib + 2), at(b, ib + 3)];
    return [
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
        aw * bw - ax * bx - ay * by - az * bz,
    ];
}

/** A vector turned by the quaternion that starts at i. */
export function turn(h: Numbers, i: number, v: Vec3): [number, number, number] {
    const [x, y, z, w] = [at(h, i), at(h, i + 1), at(h, i + 2), at(h, i + 3)];
    const tx = 2 * (y * v[2] - z * v[1]);
    const ty = 2 * (z * v[0] - x * v[2]);
    const tz = 2 * (x * v[1] - y * v[0]);
    return [
        v[0] + w * tx + y * tz - z * ty,
        v[1] + w * ty + z * tx - x * tz,
        v[2] + w * tz + x * ty - y * tx,
    ];
}

/** A point of the pose that starts at i, in the frame of that pose's parent. */
export function place(poses: Numbers, i: number, v: Vec3): [number, number, number] {
    const t = turn(poses, i + 3, v);
    return [at(poses, i) + t[0], at(poses, i + 1) + t[1], at(poses, i + 2) + t[2]];
}

/** A * B, both in flat arrays. */
export function compose(a: Numbers, ia: number, b: Pose): Pose {
    const p = place(a, ia, [b[0], b[1], b[2]]);
    const h = multiply(a, ia + 3, b, 3);
    return [...p, ...h];
}

/** The unit quaternion of a rotation vector. */
export function exponential(r: Vec3): [number, number, number, number] {
    const angle = Math.hypot(r[0], r[1], r[2]);
    const s = angle > 1e-12 ? Math.sin(angle / 2) / angle : 0.5;
    return [s * r[0], s * r[1], s * r[2], Math.cos(angle / 2)];
}

/** The rotation vector of a unit quaternion that starts at i. */
export function logarithm(h: Numbers, i: number): [number, number, number] {
    const sign = at(h, i + 3) < 0 ? -1 : 1;
    const [x, y, z, w] = [0, 1, 2, 3].map((k) => sign * at(h, i + k)) as [
        number,
        number,
        number,
        number,
    ];
    const s = Math.hypot(x, y, z);
    const f = s > 1e-12 ? (2 * Math.atan2(s, w)) / s : 2;
    return [f * x, f * y, f * z];
}

/** Roll, pitch and yaw, as in URDF, of a unit quaternion that starts at i. */
export function toAngles(h: Numbers, i: number): [number, number, number] {
    const [x, y, z, w] = [at(h, i), at(h, i + 1), at(h, i + 2), at(h, i + 3)];
    const sine = Math.min(1, Math.max(-1, 2 * (w * y - z * x)));
    if (Math.abs(sine) > 1 - 1e-12) return [0, Math.asin(sine), 2 * Math.atan2(z, w)];
    return [
        Math.atan2(2 * (w * x + y * z), 1 - 2 * (x * x + y * y)),
        Math.asin(sine),
        Math.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z)),
    ];
}

/** The unit quaternion of roll, pitch and yaw. */
export function fromAngles([roll, pitch, yaw]: Vec3): [number, number, number, number] {
    const [cr, cp, cy] = [Math.cos(roll / 2), Math.cos(pitch / 2), Math.cos(yaw / 2)];
    const [sr, sp, sy] = [Math.sin(roll / 2), Math.sin(pitch / 2), Math.sin(yaw / 2)];
    return [
        sr * cp * cy - cr * sp * sy,
        cr * sp * cy + sr * cp * sy,
        cr * cp * sy - sr * sp * cy,
        cr * cp * cy + sr * sp * sy,
    ];
}
