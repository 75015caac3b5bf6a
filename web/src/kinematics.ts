// Where the bodies of a robot are for its coordinates q, with loops kept closed.
//
// The library's src/robot/joint.k.h and src/mechanism/assembly.c say the same; a test compares them
// on every robot.

import type { Exponent, Joint, Loop, Pose, Robot, Stage, Vec3 } from './data';
import { at, compose, exponential, multiply, POSE, place, turn } from './pose';

/** One direction in which q can be moved. */
interface Direction {
    readonly joint: Joint;
    /** An entry of q, or -1 where a quaternion is turned. */
    readonly entry: number;
    /** The first entry of the quaternion, and the axis about which it is turned. */
    readonly quaternion: number;
    readonly axis: number;
}

const CLOSED = 1e-9;

function directionsOf(joint: Joint): Direction[] {
    const lines = joint.kind === 'free' ? 3 : joint.kind === 'ball' ? 0 : joint.count;
    const turns = joint.kind === 'free' || joint.kind === 'ball' ? 3 : 0;
    const out: Direction[] = [];
    for (let k = 0; k < lines; k++)
        out.push({ joint, entry: joint.q + k, quaternion: -1, axis: 0 });
    for (let k = 0; k < turns; k++)
        out.push({ joint, entry: -1, quaternion: joint.q + lines, axis: k });
    return out;
}

function move(q: Float64Array, d: Direction, step: number): void {
    if (d.entry >= 0) {
        q[d.entry] = at(q, d.entry) + step;
        return;
    }
    const r: [number, number, number] = [0, 0, 0];
    r[d.axis] = step;
    const h = multiply(q, d.quaternion, exponential(r), 0);
    const length = Math.hypot(...h);
    for (let k = 0; k < 4; k++) q[d.quaternion + k] = at(h, k) / length;
}

const difference = (a: Numbers3, b: Numbers3): [number, number, number] => [
    a[0] - b[0],
    a[1] - b[1],
    a[2] - b[2],
];
type Numbers3 = readonly [number, number, number];
const inverse = (h: Pose): readonly number[] => [-h[3], -h[4], -h[5], h[6]];

/** The errors of one loop, in metres and radians, as far as its kind holds them. */
function closure(loop: Loop, poses: Float64Array): number[] {
    const a = compose(poses, POSE * loop.bodies[0], loop.at[0]);
    const b = compose(poses, POSE * loop.bodies[1], loop.at[1]);
    const apart = difference([b[0], b[1], b[2]], [a[0], a[1], a[2]]);
    if (loop.kind === 'rod') return [Math.hypot(...apart) - (loop.length ?? 0)];
    const back = inverse(a);
    const d = turn(back, 0, apart);
    if (loop.kind === 'planar_point') return [d[0], d[1]];
    if (loop.kind === 'ball') return d;
    if (loop.kind === 'universal') {
        const x = turn(a, 3, [1, 0, 0]);
        const y = turn(b, 3, [0, 1, 0]);
        return [...d, x[0] * y[0] + x[1] * y[1] + x[2] * y[2]];
    }
    const h = multiply(back, 0, b, 3);
    const s = h[3] < 0 ? -2 : 2;
    const turned = [s * h[0], s * h[1], s * h[2]];
    if (loop.kind === 'revolute') return [...d, at(turned, 0), at(turned, 1)];
    if (loop.kind === 'prismatic') return [d[0], d[1], ...turned];
    return [...d, ...turned];
}

/** Solves the symmetric, definite A x = b in place by Cholesky's factors; false where A is not
 * definite. */
function solveDefinite(a: Float64Array, b: Float64Array, n: number): boolean {
    for (let j = 0; j < n; j++) {
        for (let i = j; i < n; i++) {
            let sum = at(a, i * n + j);
            for (let k = 0; k < j; k++) sum -= at(a, i * n + k) * at(a, j * n + k);
            if (i === j) {
                if (!(sum > 0)) return false;
                a[j * n + j] = Math.sqrt(sum);
            } else {
                a[i * n + j] = sum / at(a, j * n + j);
            }
        }
    }
    for (let i = 0; i < n; i++) {
        let sum = at(b, i);
        for (let k = 0; k < i; k++) sum -= at(a, i * n + k) * at(b, k);
        b[i] = sum / at(a, i * n + i);
    }
    for (let i = n - 1; i >= 0; i--) {
        let sum = at(b, i);
        for (let k = i + 1; k < n; k++) sum -= at(a, k * n + i) * at(b, k);
        b[i] = sum / at(a, i * n + i);
    }
    return true;
}

/** Who finds poses and closes loops where it is not this file: the library itself, in a page that
 * has it. */
export interface Engine {
    /** Closes the loops from q, which it changes, and writes the poses; false where they cannot be
     * closed. */
    pose(q: Float64Array, poses: Float64Array): boolean;
}

/** The value of a function, as functions.k.h of the library has it. */
function stageAt(x: number, stage: Stage): number {
    const c = stage.numbers;
    const powers = (from: number, count: number, t: number): number => {
        let sum = 0;
        for (let i = from + count - 1; i >= from; i--) sum = sum * t + at(c, i);
        return sum;
    };
    if (stage.form === 'polynomial') return powers(0, c.length, x);
    if (stage.form === 'sine') return at(c, 0) * Math.sin(at(c, 1) * x + at(c, 2)) + at(c, 3);
    const period = at(c, 0);
    const place = period > 0 ? x - period * Math.floor((x - at(c, 1)) / period) : x;
    let piece = 2;
    for (
        let i = 7;
        i < c.length && (i + 5 < c.length ? place >= at(c, i) : place > at(c, i));
        i += 5
    )
        piece = i;
    return powers(piece + 1, 4, place - at(c, piece));
}

function crossOf(a: Vec3, b: Vec3): [number, number, number] {
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
}

/** Position and quaternion of an exponential joint, as exponential.k.h of the library has them. */
function exponentPose(e: Exponent, q: Float64Array): number[] {
    const x = e.rest.map((rest) => Float64Array.from(rest));
    for (const [from, strain, first, second] of e.columns)
        x.forEach((point, i) => {
            point[strain] = at(point, strain) + (i ? second : first) * at(q, from);
        });
    const part = (i: number, start: number): [number, number, number] => {
        const point = x[i] ?? new Float64Array(6);
        return [at(point, start), at(point, start + 1), at(point, start + 2)];
    };
    const bracket = (Math.sqrt(3) / 12) * e.length * e.length;
    const sum = (start: number, more: readonly number[]): [number, number, number] => {
        const [a, b] = [part(0, start), part(1, start)];
        const one = (k: number): number =>
            (e.length / 2) * (at(a, k) + at(b, k)) + bracket * at(more, k);
        return [one(0), one(1), one(2)];
    };
    const [w1, w2, u1, u2] = [part(0, 0), part(1, 0), part(0, 3), part(1, 3)];
    const [left, right] = [crossOf(u1, w2), crossOf(w1, u2)];
    const w = sum(0, crossOf(w1, w2));
    const u = sum(
        3,
        left.map((value, k) => value + at(right, k)),
    );
    const angle = Math.hypot(...w);
    const small = angle < 1e-4;
    const b = small ? 0.5 - (angle * angle) / 24 : (1 - Math.cos(angle)) / (angle * angle);
    const c = small
        ? 1 / 6 - (angle * angle) / 120
        : (angle - Math.sin(angle)) / (angle * angle * angle);
    const half = small ? 0.5 - (angle * angle) / 48 : Math.sin(angle / 2) / angle;
    const once = crossOf(w, u);
    const twice = crossOf(w, once);
    const p = u.map((value, k) => value + b * at(once, k) + c * at(twice, k));
    return [...p, ...w.map((value) => half * value), Math.cos(angle / 2)];
}

export class Kinematics {
    readonly robot: Robot;
    readonly q: Float64Array;
    readonly poses: Float64Array;
    #engine: Engine | null;
    #passive: readonly Direction[];
    #tree: Float64Array;

    constructor(robot: Robot, engine: Engine | null = null) {
        this.robot = robot;
        this.#engine = engine;
        this.q = Float64Array.from(robot.q);
        this.poses = new Float64Array(POSE * robot.bodies.length);
        this.#tree = new Float64Array(Math.max(robot.tree.length, robot.q.length));
        this.#passive = robot.joints.filter((j) => j.passive).flatMap(directionsOf);
        this.update();
    }

    /** Poses of all bodies for the q as it is. */
    update(): void {
        const { robot, poses } = this;
        if (this.#engine) {
            this.#engine.pose(this.q, poses);
            return;
        }
        const q = this.#treeOf(this.q);
        poses.set([0, 0, 0, 0, 0, 0, 1], 0);
        for (let i = 1; i < robot.bodies.length; i++) {
            const body = robot.bodies[i];
            if (!body?.at) continue;
            const local = this.#jointPose(body.kind, body.q, body.pitch ?? 0, q);
            const here = compose(body.at, 0, local);
            poses.set(compose(poses, POSE * body.parent, here), POSE * i);
        }
    }

    /** Changes q, closes the loops again and updates; false (and nothing changed) where they cannot
     * be closed. */
    set(change: (q: Float64Array) => void): boolean {
        const before = this.q.slice();
        change(this.q);
        if (this.#engine) {
            if (this.#engine.pose(this.q, this.poses)) return true;
        } else {
            this.update();
            if (this.#close()) return true;
        }
        this.q.set(before);
        this.update();
        return false;
    }

    /** Where a frame is in the world. */
    frame(index: number): Pose {
        const f = this.robot.frames[index];
        return f ? compose(this.poses, POSE * f.body, f.at) : [0, 0, 0, 0, 0, 0, 1];
    }

    pointOf(body: number, p: Vec3): [number, number, number] {
        return place(this.poses, POSE * body, p);
    }

    #treeOf(q: Float64Array): Float64Array {
        if (!this.robot.tree.length) return q;
        this.robot.tree.forEach(([offset = 0, ...terms], k) => {
            let sum = offset;
            for (let i = 0; i + 1 < terms.length; i += 2)
                sum += at(terms, i + 1) * at(q, at(terms, i));
            this.#tree[k] = sum;
        });
        for (const b of this.robot.bends) {
            const x = at(q, b.from);
            const value = b.times < 0 ? b.stages.reduce(stageAt, x) : x * at(q, b.times);
            this.#tree[b.q] = at(this.#tree, b.q) + b.factor * value;
        }
        for (const e of this.robot.exponents ?? []) this.#tree.set(exponentPose(e, q), e.q);
        return this.#tree;
    }

    #jointPose(kind: string, start: number, pitch: number, q: Float64Array): Pose {
        const angle = at(q, start);
        const about = (a: number): [number, number, number, number] => [
            0,
            0,
            Math.sin(a / 2),
            Math.cos(a / 2),
        ];
        switch (kind) {
            case 'revolute':
                return [0, 0, 0, ...about(angle)];
            case 'prismatic':
                return [0, 0, angle, 0, 0, 0, 1];
            case 'helical':
                return [0, 0, pitch * angle, ...about(angle)];
            case 'planar':
                return [angle, at(q, start + 1), 0, ...about(at(q, start + 2))];
            case 'ball':
                return [
                    0,
                    0,
                    0,
                    at(q, start),
                    at(q, start + 1),
                    at(q, start + 2),
                    at(q, start + 3),
                ];
            case 'free':
                return [0, 1, 2, 3, 4, 5, 6].map((k) => at(q, start + k)) as unknown as Pose;
            default:
                return [0, 0, 0, 0, 0, 0, 1];
        }
    }

    #errors(): number[] {
        return this.robot.loops.flatMap((l) => closure(l, this.poses));
    }

    /** Levenberg and Marquardt over the passive joints. */
    #close(): boolean {
        let errors = this.#errors();
        let damping = 1e-6;
        const n = this.#passive.length;
        for (let iteration = 0; iteration < 40; iteration++) {
            if (errors.every((e) => Math.abs(e) < CLOSED)) return true;
            const J = this.#jacobian(errors);
            const square = new Float64Array(n * n);
            const right = new Float64Array(n);
            for (let i = 0; i < n; i++) {
                for (let m = 0; m < errors.length; m++)
                    right[i] = at(right, i) - at(J, m * n + i) * at(errors, m);
                for (let k = 0; k < n; k++) {
                    let sum = i === k ? damping : 0;
                    for (let m = 0; m < errors.length; m++)
                        sum += at(J, m * n + i) * at(J, m * n + k);
                    square[i * n + k] = sum;
                }
            }
            const before = this.q.slice();
            if (solveDefinite(square, right, n)) {
                this.#passive.forEach((d, k) => {
                    move(this.q, d, at(right, k));
                });
                this.update();
                const now = this.#errors();
                if (Math.hypot(...now) < Math.hypot(...errors)) {
                    errors = now;
                    damping = Math.max(damping / 10, 1e-14);
                    continue;
                }
            }
            this.q.set(before);
            this.update();
            damping *= 10;
            if (damping > 1e3) break;
        }
        return errors.every((e) => Math.abs(e) < 1e-6);
    }

    #jacobian(errors: readonly number[]): Float64Array {
        const step = 1e-7;
        const n = this.#passive.length;
        const J = new Float64Array(errors.length * n);
        const before = this.q.slice();
        this.#passive.forEach((d, k) => {
            move(this.q, d, step);
            this.update();
            this.#errors().forEach((e, m) => {
                J[m * n + k] = (e - at(errors, m)) / step;
            });
            this.q.set(before);
        });
        this.update();
        return J;
    }
}
