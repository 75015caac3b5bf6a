// What is drawn over the bodies on demand: frames, axes, masses, trails, forces.

import * as THREE from 'three';
import type { Motion, Trace, Vec3 } from './data';
import { element, styleColour } from './dom';
import { Labels } from './labels';
import { at, compose, POSE, turn } from './pose';
import type { Figure, Stage } from './stage';

export interface Overlay {
    readonly name: string;
    readonly title: string;
    readonly on: boolean;
    show(on: boolean): void;
}

/** What overlays of a run need to know of its time. */
export interface Moving {
    readonly motion: Motion;
    readonly traces: readonly Trace[];
    /** The place between two frames, and the first of them, for the time that is shown. */
    now(): { readonly frame: number; readonly part: number };
}

const AXES: readonly (readonly [Vec3, string])[] = [
    [[1, 0, 0], '#d8443c'],
    [[0, 1, 0], '#3a9c4e'],
    [[0, 0, 1], '#3b6fd4'],
];

function overlay(
    stage: Stage,
    name: string,
    title: string,
    group: THREE.Object3D,
    more?: (on: boolean) => void,
): Overlay {
    group.visible = false;
    stage.scene.add(group);
    return {
        name,
        title,
        on: false,
        show: (on) => {
            group.visible = on;
            more?.(on);
            stage.draw();
        },
    };
}

function triad(size: number): THREE.Group {
    const group = new THREE.Group();
    for (const [axis, colour] of AXES) {
        const arrow = makeArrow(colour, 0.035 * size);
        aim(arrow, new THREE.Vector3(), new THREE.Vector3(...axis).multiplyScalar(size), 0.035 * size);
        group.add(arrow);
    }
    return group;
}

/** An arrow along z of unit length whose shaft and head are stretched by aim. */
export function makeArrow(colour: string, width: number): THREE.Group {
    const material = new THREE.MeshBasicMaterial({ color: colour });
    const shaft = new THREE.Mesh(new THREE.CylinderGeometry(width, width, 1, 10).rotateX(Math.PI / 2), material);
    const head = new THREE.Mesh(new THREE.ConeGeometry(2.6 * width, 7 * width, 16).rotateX(Math.PI / 2), material);
    const arrow = new THREE.Group();
    arrow.add(shaft, head);
    arrow.renderOrder = 3;
    return arrow;
}

export function aim(arrow: THREE.Group, from: THREE.Vector3, along: THREE.Vector3, width: number): void {
    const length = along.length();
    const [shaft, head] = arrow.children;
    arrow.visible = length > 1e-9;
    if (!shaft || !head || !arrow.visible) return;
    const tip = Math.min(7 * width, 0.6 * length);
    arrow.position.copy(from);
    arrow.quaternion.setFromUnitVectors(new THREE.Vector3(0, 0, 1), along.clone().divideScalar(length));
    shaft.scale.set(1, 1, Math.max(length - tip, 1e-9));
    shaft.position.set(0, 0, (length - tip) / 2);
    head.scale.setScalar(tip / (7 * width));
    head.position.set(0, 0, length - tip / 2);
}

/** An arc about z with a head at its end, to be bent. */
function makeArc(colour: string, width: number): THREE.Group {
    const material = new THREE.MeshBasicMaterial({ color: colour });
    const arc = new THREE.Group();
    arc.add(
        new THREE.Mesh(new THREE.BufferGeometry(), material),
        new THREE.Mesh(new THREE.ConeGeometry(2.6 * width, 7 * width, 16), material),
    );
    return arc;
}

/** Three quarters of a turn are the largest moment; the sense is that of the moment. */
function bend(
    arc: THREE.Group,
    from: THREE.Vector3,
    along: THREE.Vector3,
    radius: number,
    reach: number,
    width: number,
): void {
    const [ring, head] = arc.children;
    const size = along.length();
    arc.visible = size > 0.02 * reach;
    if (!(ring instanceof THREE.Mesh) || !head || !arc.visible) return;
    const angle = 1.5 * Math.PI * (size / reach);
    const old: unknown = arc.userData.angle;
    if (typeof old !== 'number' || Math.abs(old - angle) > 0.01) {
        ring.geometry.dispose();
        ring.geometry = new THREE.TorusGeometry(radius, width, 8, 40, angle);
        arc.userData.angle = angle;
    }
    head.position.set(radius * Math.cos(angle), radius * Math.sin(angle), 0);
    head.rotation.set(0, 0, angle);
    arc.position.copy(from);
    arc.quaternion.setFromUnitVectors(new THREE.Vector3(0, 0, 1), along.clone().divideScalar(size));
}

// Names of what people seldom look for: sensors, optical frames, tools' helpers.
const SENSOR = /sensor|camera|optical|imu|lidar|laser|depth|infra|gps|_frame$/i;

function framesOverlay(stage: Stage, figure: Figure, labels: Labels): Overlay[] {
    const make = (name: string, title: string, wanted: (index: number) => boolean) => {
        const group = new THREE.Group();
        const shown = figure.robot.frames.map((f, i) => ({ f, i })).filter(({ i }) => wanted(i));
        const marks = shown.map(({ f }) => {
            const t = triad(0.075 * stage.size);
            group.add(t);
            return { f, t, label: labels.add(f.name) };
        });
        stage.beforeDraw(() => {
            if (!group.visible) return;
            for (const { f, t, label } of marks) {
                const X = compose(figure.poses, POSE * f.body, f.at);
                t.position.set(X[0], X[1], X[2]);
                t.quaternion.set(X[3], X[4], X[5], X[6]);
                labels.place(label, [X[0], X[1], X[2]]);
            }
        });
        return overlay(stage, name, title, group, (on) => {
            for (const { label } of marks) label.hidden = !on;
        });
    };
    const isSensor = (i: number) => {
        const f = figure.robot.frames[i];
        return !!f && !f.heavy && SENSOR.test(f.name);
    };
    const out = [make('Frames', 'Frames of links: x red, y green, z blue', (i) => !isSensor(i))];
    if (figure.robot.frames.some((_, i) => isSensor(i)))
        out.push(make('Sensors', 'Frames of sensors and helpers', isSensor));
    return out;
}

function axesOverlay(stage: Stage, figure: Figure): Overlay {
    const group = new THREE.Group();
    const reach = 0.11 * stage.size;
    figure.robot.bodies.forEach((b, i) => {
        if (i === 0 || !['revolute', 'prismatic', 'helical'].includes(b.kind)) return;
        const arrow = makeArrow(styleColour('--mark'), 0.0035 * stage.size);
        aim(arrow, new THREE.Vector3(0, 0, -reach), new THREE.Vector3(0, 0, 2 * reach), 0.0035 * stage.size);
        arrow.traverse((o) => {
            if (o instanceof THREE.Mesh && o.material instanceof THREE.MeshBasicMaterial) o.material.depthTest = false;
        });
        figure.bodies[i]?.add(arrow);
        arrow.visible = false;
        group.userData[`a${i}`] = arrow;
    });
    return overlay(stage, 'Axes', 'Axes of the joints', group, (on) => {
        for (const arrow of Object.values(group.userData)) if (arrow instanceof THREE.Object3D) arrow.visible = on;
    });
}

/** The ellipse of two half axes. */
function ring(half: readonly [number, number, number], u: number, v: number): THREE.BufferGeometry {
    const points: THREE.Vector3[] = [];
    for (let k = 0; k < 48; k++) {
        const p = new THREE.Vector3();
        p.setComponent(u, (half[u] ?? 0) * Math.cos((2 * Math.PI * k) / 48));
        p.setComponent(v, (half[v] ?? 0) * Math.sin((2 * Math.PI * k) / 48));
        points.push(p);
    }
    return new THREE.BufferGeometry().setFromPoints(points);
}

function massOverlay(stage: Stage, figure: Figure): Overlay {
    const group = new THREE.Group();
    const clouds: THREE.Object3D[] = [];
    const material = new THREE.MeshBasicMaterial({
        color: '#b0489a',
        transparent: true,
        opacity: 0.28,
        depthWrite: false,
    });
    const edge = new THREE.LineBasicMaterial({ color: '#b0489a', transparent: true, opacity: 0.7 });
    figure.robot.bodies.forEach((b, i) => {
        if (!b.mass || !b.spread || !b.cloud) return;
        const half = b.spread.map((s) => Math.max(Math.sqrt(5) * s, 1e-3 * stage.size)) as [number, number, number];
        const shape = new THREE.SphereGeometry(1, 18, 12).scale(...half);
        const rings = [
            [0, 1],
            [1, 2],
            [2, 0],
        ].map(([u = 0, v = 1]) => new THREE.LineLoop(ring(half, u, v), edge));
        for (const o of [new THREE.Mesh(shape, material), ...rings]) {
            o.position.set(b.cloud[0], b.cloud[1], b.cloud[2]);
            o.quaternion.set(b.cloud[3], b.cloud[4], b.cloud[5], b.cloud[6]);
            o.visible = false;
            clouds.push(o);
            figure.bodies[i]?.add(o);
        }
    });
    return overlay(stage, 'Inertia', 'Each body as the even ellipsoid that has its mass and inertia', group, (on) => {
        for (const c of clouds) c.visible = on;
    });
}

/** The centre of mass of the bodies as they stand. */
function centreOf(figure: Figure): THREE.Vector3 {
    let mass = 0;
    const sum = new THREE.Vector3();
    figure.robot.bodies.forEach((b, i) => {
        if (!b.mass || !b.cloud || (i === 0 && figure.robot.base === 1)) return;
        mass += b.mass;
        sum.addScaledVector(new THREE.Vector3(...figure.point(i, [b.cloud[0], b.cloud[1], b.cloud[2]])), b.mass);
    });
    return mass > 0 ? sum.divideScalar(mass) : sum;
}

function lineOf(points: readonly number[], colour: string): THREE.Line {
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute('position', new THREE.Float32BufferAttribute(points, 3));
    return new THREE.Line(geometry, new THREE.LineBasicMaterial({ color: colour }));
}

function comOverlay(stage: Stage, figure: Figure, moving: Moving | null): Overlay {
    const group = new THREE.Group();
    const ball = new THREE.Mesh(
        new THREE.SphereGeometry(0.018 * stage.size, 20, 14),
        new THREE.MeshBasicMaterial({ color: '#e0b000', depthTest: false }),
    );
    ball.renderOrder = 4;
    const drop = lineOf([0, 0, 0, 0, 0, 0], '#e0b000');
    drop.frustumCulled = false;
    group.add(ball, drop);
    if (moving) group.add(lineOf([...moving.motion.coms], '#e0b000'));
    stage.beforeDraw(() => {
        if (!group.visible) return;
        ball.position.copy(centreOf(figure));
        const ground = figure.robot.view.ground;
        drop.visible = ground !== null;
        const foot = ball.position.clone();
        if (ground !== null) foot.addScaledVector(stage.up, ground - foot.dot(stage.up));
        const place = drop.geometry.getAttribute('position');
        place.setXYZ(0, ball.position.x, ball.position.y, ball.position.z);
        place.setXYZ(1, foot.x, foot.y, foot.z);
        place.needsUpdate = true;
    });
    const title = moving
        ? 'The centre of mass, its way, and the point below it'
        : 'The centre of mass and the point below it';
    return overlay(stage, 'Centre of mass', title, group);
}

function trailOverlay(stage: Stage, figure: Figure, moving: Moving): Overlay | null {
    const { motion } = moving;
    const tips = figure.robot.tips.slice(0, 8);
    const stride = POSE * figure.robot.bodies.length;
    if (!tips.length) return null;
    const group = new THREE.Group();
    for (const tip of tips) {
        const points: number[] = [];
        for (let k = 0; k < motion.times.length; k++) {
            const X = compose(motion.poses, k * stride + POSE * tip.body, [...tip.at, 0, 0, 0, 1]);
            points.push(X[0], X[1], X[2]);
        }
        group.add(lineOf(points, styleColour('--mark')));
    }
    const made = overlay(stage, 'Trails', 'The ways of the ends', group);
    const few = tips.length <= 2;
    if (few) made.show(true);
    return { ...made, on: few };
}

// --- forces ----------------------------------------------------------------------------------------------

/** The largest size of the vectors of some traces. */
function largest(traces: readonly Trace[]): number {
    let most = 0;
    for (const t of traces) {
        const stride = t.body < 0 ? 6 : 3;
        for (let i = 0; i + stride <= t.values.length; i += stride) {
            const k = i + stride - 3;
            most = Math.max(most, Math.hypot(at(t.values, k), at(t.values, k + 1), at(t.values, k + 2)));
        }
    }
    return most;
}

const COLOURS: Readonly<Record<string, string>> = {
    force: '#c2410c',
    moment: '#7c3aed',
    point: '#0f766e',
    polygon: '#0f766e',
};

/** Three numbers of a sample, between two of them. */
function vectorAt(t: Trace, frame: number, part: number, offset: number, stride: number): THREE.Vector3 {
    const when = (frame + part) / t.every;
    const share = when - Math.floor(when);
    const i = Math.floor(when) * stride + offset;
    const j = Math.min(i + stride, t.values.length - stride + offset);
    const mix = (k: number) => at(t.values, i + k) * (1 - share) + at(t.values, j + k) * share;
    return new THREE.Vector3(mix(0), mix(1), mix(2));
}

/** All forces of a foot at once, faint, each from where it acts: the butterfly of gait laboratories. */
function butterfly(t: Trace, scale: number): THREE.LineSegments {
    const points: number[] = [];
    for (let i = 0; i + 6 <= t.values.length; i += 6) {
        const [x, y, z] = [at(t.values, i), at(t.values, i + 1), at(t.values, i + 2)];
        const [u, v, w] = [3, 4, 5].map((k) => scale * at(t.values, i + k)) as [number, number, number];
        if (u || v || w) points.push(x, y, z, x + u, y + v, z + w);
    }
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute('position', new THREE.Float32BufferAttribute(points, 3));
    const material = new THREE.LineBasicMaterial({
        color: COLOURS.force ?? '#c2410c',
        transparent: true,
        opacity: 0.35,
    });
    return new THREE.LineSegments(geometry, material);
}

/** Arrows of one group of traces, all to the same scale; the scale is shown while they are. */
function forceOverlay(
    stage: Stage,
    figure: Figure,
    moving: Moving,
    name: string,
    traces: readonly Trace[],
    host: HTMLElement,
): Overlay {
    const group = new THREE.Group();
    const most = largest(traces);
    const kind = traces[0]?.kind ?? 'force';
    const unit = kind === 'force' ? 'N' : 'N m';
    const reach = 0.42 * stage.size;
    const width = 0.0075 * stage.size;
    const legend = element('p', { class: 'legend', hidden: true });
    const key = element('span', { class: 'key' });
    key.style.background = COLOURS[kind] ?? '#c2410c';
    const longest = kind === 'moment' && name === 'Torques' ? 'three quarters of a turn are' : 'the longest arrow is';
    legend.append(key, `${name}: ${longest} ${Number(most.toPrecision(3))} ${unit}`);
    host.append(legend);
    // What turns is an arc about its axis, at the body's joint; what pushes is an arrow.
    const arcs = kind === 'moment' && name === 'Torques';
    const arrows = traces.map((t) => {
        const arrow = arcs ? makeArc(COLOURS[kind] ?? '#7c3aed', width) : makeArrow(COLOURS[kind] ?? '#c2410c', width);
        group.add(arrow);
        return { t, arrow };
    });
    for (const t of traces)
        if (t.body < 0 && name === 'Ground forces') group.add(butterfly(t, most > 0 ? reach / most : 0));
    stage.beforeDraw(() => {
        if (!group.visible) return;
        const { frame, part } = moving.now();
        for (const { t, arrow } of arrows) {
            const world = t.body < 0;
            const value = vectorAt(t, frame, part, world ? 3 : 0, world ? 6 : 3).multiplyScalar(
                most > 0 ? reach / most : 0,
            );
            const from = world ? vectorAt(t, frame, part, 0, 6) : new THREE.Vector3(...figure.point(t.body, [0, 0, 0]));
            const along = world
                ? value
                : new THREE.Vector3(...turn(figure.poses, POSE * t.body + 3, [value.x, value.y, value.z]));
            if (arcs) bend(arrow, from, along, 0.085 * stage.size, reach, width);
            else aim(arrow, from, along, width);
        }
    });
    return overlay(stage, name, `${name} as ${arcs ? 'arcs' : 'arrows'} to one scale`, group, (on) => {
        legend.hidden = !on;
    });
}

/** A way with gaps where a place is not finite. */
function gapped(values: Float32Array, colour: string): THREE.LineSegments {
    const points: number[] = [];
    for (let i = 0; i + 6 <= values.length; i += 3) {
        const piece = [...values.subarray(i, i + 6)];
        if (piece.every(Number.isFinite)) points.push(...piece);
    }
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute('position', new THREE.Float32BufferAttribute(points, 3));
    return new THREE.LineSegments(geometry, new THREE.LineBasicMaterial({ color: colour }));
}

function pointOverlay(stage: Stage, moving: Moving, name: string, traces: readonly Trace[]): Overlay {
    const group = new THREE.Group();
    const colour = COLOURS.point ?? '#0f766e';
    const balls = traces.map((t) => {
        const ball = new THREE.Mesh(
            new THREE.SphereGeometry(0.014 * stage.size, 16, 12),
            new THREE.MeshBasicMaterial({ color: colour, depthTest: false }),
        );
        group.add(ball, gapped(t.values, colour));
        return { t, ball };
    });
    stage.beforeDraw(() => {
        if (!group.visible) return;
        const { frame, part } = moving.now();
        for (const { t, ball } of balls) {
            ball.position.copy(vectorAt(t, frame, part, 0, 3));
            ball.visible = Number.isFinite(ball.position.x);
        }
    });
    return overlay(stage, name, `${name}: where it is, and its way`, group);
}

/** The polygon of the places that carry: its corners follow each other, and what is not finite is none. */
function polygonOverlay(stage: Stage, moving: Moving, name: string, trace: Trace): Overlay {
    const samples = Math.floor((moving.motion.times.length + trace.every - 1) / trace.every) + 1;
    const corners = Math.floor(trace.values.length / 3 / samples);
    const group = new THREE.Group();
    const colour = COLOURS.polygon ?? '#0f766e';
    const shape = new THREE.BufferGeometry();
    const place = new THREE.Float32BufferAttribute(new Float32Array(3 * Math.max(corners, 3)), 3);
    shape.setAttribute('position', place);
    shape.setIndex(Array.from({ length: Math.max(corners - 2, 0) }, (_, i) => [0, i + 1, i + 2]).flat());
    const face = new THREE.Mesh(
        shape,
        new THREE.MeshBasicMaterial({
            color: colour,
            transparent: true,
            opacity: 0.3,
            side: THREE.DoubleSide,
            depthTest: false,
        }),
    );
    const edge = new THREE.LineLoop(shape, new THREE.LineBasicMaterial({ color: colour, depthTest: false }));
    for (const o of [face, edge]) {
        o.frustumCulled = false;
        o.renderOrder = 2;
    }
    group.add(face, edge);
    stage.beforeDraw(() => {
        if (!group.visible) return;
        const { frame, part } = moving.now();
        const start = 3 * corners * Math.min(Math.round((frame + part) / trace.every), samples - 1);
        let count = 0;
        while (count < corners && Number.isFinite(at(trace.values, start + 3 * count))) count++;
        // The rest lies on the last corner, where it is not seen.
        for (let i = 0; i < corners; i++) {
            const k = start + 3 * Math.min(i, Math.max(count - 1, 0));
            place.setXYZ(i, at(trace.values, k), at(trace.values, k + 1), at(trace.values, k + 2));
        }
        place.needsUpdate = true;
        face.visible = count > 2;
        edge.visible = count > 1;
    });
    return overlay(stage, name, `${name}: the outline of all that carries`, group);
}

function traceOverlay(
    stage: Stage,
    figure: Figure,
    moving: Moving,
    name: string,
    traces: readonly Trace[],
    host: HTMLElement,
): Overlay {
    const [first] = traces;
    if (first?.kind === 'polygon') return polygonOverlay(stage, moving, name, first);
    if (first?.kind === 'point') return pointOverlay(stage, moving, name, traces);
    return forceOverlay(stage, figure, moving, name, traces, host);
}

export function addOverlays(stage: Stage, figure: Figure, moving: Moving | null): Overlay[] {
    const host = stage.canvas.parentElement ?? document.body;
    const labels = new Labels(stage, host);
    const out = [
        ...framesOverlay(stage, figure, labels),
        axesOverlay(stage, figure),
        comOverlay(stage, figure, moving),
        massOverlay(stage, figure),
    ];
    if (!moving) return out;
    const trails = trailOverlay(stage, figure, moving);
    if (trails) out.push(trails);
    const groups = new Map<string, Trace[]>();
    for (const t of moving.traces) groups.set(t.group, [...(groups.get(t.group) ?? []), t]);
    for (const [name, traces] of groups) out.push(traceOverlay(stage, figure, moving, name, traces, host));
    return out;
}
