// Forces, moments, points and polygons of a run over its bodies.

import * as THREE from 'three';
import { aim, bend, makeArc, makeArrow, onTop } from './arrows';
import type { Trace } from './data';
import { element } from './dom';
import type { Figure } from './figure';
import { type Moving, type Overlay, overlay } from './overlay';
import { at, POSE, turn } from './pose';
import type { Stage } from './stage';

/** The largest size of the vectors of some traces. */
function largest(traces: readonly Trace[]): number {
    let most = 0;
    for (const t of traces) {
        const stride = t.body < 0 ? 6 : 3;
        for (let i = 0; i + stride <= t.values.length; i += stride) {
            const k = i + stride - 3;
            most = Math.max(
                most,
                Math.hypot(at(t.values, k), at(t.values, k + 1), at(t.values, k + 2)),
            );
        }
    }
    return most;
}

const COLOURS: Readonly<Record<string, string>> = {
    Pushes: '#be185d',
    force: '#c2410c',
    moment: '#7c3aed',
    point: '#0f766e',
    polygon: '#0f766e',
};

/** What people look for first is shown from the start. */
const OPEN: readonly string[] = ['Contact forces', 'Ground forces', 'Pushes'];

/** Three numbers of a sample, between two of them. */
function vectorAt(
    t: Trace,
    frame: number,
    part: number,
    offset: number,
    stride: number,
): THREE.Vector3 {
    const when = (frame + part) / t.every;
    const share = when - Math.floor(when);
    const i = Math.floor(when) * stride + offset;
    const j = Math.min(i + stride, t.values.length - stride + offset);
    const mix = (k: number) => at(t.values, i + k) * (1 - share) + at(t.values, j + k) * share;
    return new THREE.Vector3(mix(0), mix(1), mix(2));
}

/** All forces of a foot at once, faint, each from where it acts: the butterfly of gait
 * laboratories. */
function butterfly(t: Trace, scale: number): THREE.LineSegments {
    const points: number[] = [];
    for (let i = 0; i + 6 <= t.values.length; i += 6) {
        const [x, y, z] = [at(t.values, i), at(t.values, i + 1), at(t.values, i + 2)];
        const [u, v, w] = [3, 4, 5].map((k) => scale * at(t.values, i + k)) as [
            number,
            number,
            number,
        ];
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

/** Where the scales of arrows are said, one below the other. */
export function legendsOf(host: HTMLElement): Element {
    const there = host.querySelector('.legends');
    if (there) return there;
    const made = element('div', { class: 'legends' });
    host.append(made);
    return made;
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
    const colour = COLOURS[name] ?? COLOURS[kind] ?? '#c2410c';
    key.style.background = colour;
    const longest =
        kind === 'moment' && name === 'Torques'
            ? 'three quarters of a turn are'
            : 'the longest arrow is';
    legend.append(key, `${name}: ${longest} ${Number(most.toPrecision(3))} ${unit}`);
    legendsOf(host).append(legend);
    // What turns is an arc about its axis, at the body's joint; what pushes is an arrow.
    const arcs = kind === 'moment' && name === 'Torques';
    const arrows = traces.map((t) => {
        const arrow = arcs ? makeArc(colour, width) : makeArrow(colour, width);
        if (t.body < 0) onTop(arrow); // the ground's force goes through the leg
        group.add(arrow);
        return { t, arrow };
    });
    for (const t of traces)
        if (t.body < 0 && name === 'Ground forces')
            group.add(butterfly(t, most > 0 ? reach / most : 0));
    stage.beforeDraw(() => {
        if (!group.visible) return;
        const { frame, part } = moving.now();
        for (const { t, arrow } of arrows) {
            const world = t.body < 0;
            const value = vectorAt(t, frame, part, world ? 3 : 0, world ? 6 : 3).multiplyScalar(
                most > 0 ? reach / most : 0,
            );
            const from = world
                ? vectorAt(t, frame, part, 0, 6)
                : new THREE.Vector3(...figure.point(t.body, [0, 0, 0]));
            const along = world
                ? value
                : new THREE.Vector3(
                      ...turn(figure.poses, POSE * t.body + 3, [value.x, value.y, value.z]),
                  );
            if (arcs) bend(arrow, from, along, 0.085 * stage.size, reach, width);
            else aim(arrow, from, along, width);
        }
    });
    const made = overlay(
        stage,
        name,
        `${name} as ${arcs ? 'arcs' : 'arrows'} to one scale`,
        group,
        (on) => {
            legend.hidden = !on;
        },
    );
    const open = OPEN.includes(name) && most > 0;
    if (open) made.show(true);
    return { ...made, on: open };
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

function pointOverlay(
    stage: Stage,
    moving: Moving,
    name: string,
    traces: readonly Trace[],
): Overlay {
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

/** The polygon of the places that carry: its corners follow each other, and what is not finite is
 * none. */
function polygonOverlay(stage: Stage, moving: Moving, name: string, trace: Trace): Overlay {
    const samples = Math.floor((moving.motion.times.length + trace.every - 1) / trace.every) + 1;
    const corners = Math.floor(trace.values.length / 3 / samples);
    const group = new THREE.Group();
    const colour = COLOURS.polygon ?? '#0f766e';
    const shape = new THREE.BufferGeometry();
    const place = new THREE.Float32BufferAttribute(new Float32Array(3 * Math.max(corners, 3)), 3);
    shape.setAttribute('position', place);
    shape.setIndex(
        Array.from({ length: Math.max(corners - 2, 0) }, (_, i) => [0, i + 1, i + 2]).flat(),
    );
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
    // the same corners, without the triangles between them
    const outline = new THREE.BufferGeometry();
    outline.setAttribute('position', place);
    const edge = new THREE.LineLoop(
        outline,
        new THREE.LineBasicMaterial({ color: colour, depthTest: false }),
    );
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

/** What the traces of one group are drawn as. */
export function traceOverlay(
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
