// What is drawn over the bodies on demand: frames, axes, masses, trails, forces.

import * as THREE from 'three';
import { aim, makeArrow, onTop } from './arrows';
import type { Trace, Vec3 } from './data';
import { styleColour } from './dom';
import type { Figure } from './figure';
import { traceOverlay } from './forces';
import { Labels } from './labels';
import { type Moving, type Overlay, overlay } from './overlay';
import { compose, POSE } from './pose';
import type { Stage } from './stage';

const AXES: readonly (readonly [Vec3, string])[] = [
    [[1, 0, 0], '#d8443c'],
    [[0, 1, 0], '#3a9c4e'],
    [[0, 0, 1], '#3b6fd4'],
];

function triad(size: number): THREE.Group {
    const group = new THREE.Group();
    for (const [axis, colour] of AXES) {
        const arrow = makeArrow(colour, 0.035 * size);
        aim(
            arrow,
            new THREE.Vector3(),
            new THREE.Vector3(...axis).multiplyScalar(size),
            0.035 * size,
        );
        group.add(arrow);
    }
    return group;
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

/** The axes of the world, at its origin. */
function worldOverlay(stage: Stage, labels: Labels): Overlay {
    const group = triad(0.16 * stage.size);
    const names = (['x', 'y', 'z'] as const).map((name, k) => {
        const end = [0, 0, 0] as [number, number, number];
        end[k] = 0.17 * stage.size;
        return { label: labels.add(name), end };
    });
    stage.beforeDraw(() => {
        if (group.visible) for (const { label, end } of names) labels.place(label, end);
    });
    return overlay(
        stage,
        'World',
        'Axes of the world at its origin: x red, y green, z blue',
        group,
        (on) => {
            for (const { label } of names) label.hidden = !on;
        },
    );
}

function axesOverlay(stage: Stage, figure: Figure): Overlay {
    const group = new THREE.Group();
    const reach = 0.11 * stage.size;
    figure.robot.bodies.forEach((b, i) => {
        if (i === 0 || !['revolute', 'prismatic', 'helical'].includes(b.kind)) return;
        const arrow = makeArrow(styleColour('--mark'), 0.0035 * stage.size);
        aim(
            arrow,
            new THREE.Vector3(0, 0, -reach),
            new THREE.Vector3(0, 0, 2 * reach),
            0.0035 * stage.size,
        );
        onTop(arrow);
        figure.bodies[i]?.add(arrow);
        arrow.visible = false;
        group.userData[`a${i}`] = arrow;
    });
    return overlay(stage, 'Axes', 'Axes of the joints', group, (on) => {
        for (const arrow of Object.values(group.userData))
            if (arrow instanceof THREE.Object3D) arrow.visible = on;
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
        const half = b.spread.map((s) => Math.max(Math.sqrt(5) * s, 1e-3 * stage.size)) as [
            number,
            number,
            number,
        ];
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
    return overlay(
        stage,
        'Inertia',
        'Each body as the even ellipsoid that has its mass and inertia',
        group,
        (on) => {
            for (const c of clouds) c.visible = on;
        },
    );
}

/** The centre of mass of the bodies as they stand. */
function centreOf(figure: Figure): THREE.Vector3 {
    let mass = 0;
    const sum = new THREE.Vector3();
    figure.robot.bodies.forEach((b, i) => {
        if (!b.mass || !b.cloud || (i === 0 && figure.robot.base === 1)) return;
        mass += b.mass;
        sum.addScaledVector(
            new THREE.Vector3(...figure.point(i, [b.cloud[0], b.cloud[1], b.cloud[2]])),
            b.mass,
        );
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

export function addOverlays(stage: Stage, figure: Figure, moving: Moving | null): Overlay[] {
    const host = stage.canvas.parentElement ?? document.body;
    const labels = new Labels(stage, host);
    const out = [
        worldOverlay(stage, labels),
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
    for (const [name, traces] of groups)
        out.push(traceOverlay(stage, figure, moving, name, traces, host));
    return out;
}
