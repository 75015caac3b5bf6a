// The page of a run: bodies that move, plots that listen to the same clock.

import * as THREE from 'three';
import { Clock } from './clock';
import type { Motion, PageData } from './data';
import { element, prefersStillness, toggle } from './dom';
import { ACTIVE, addSides, boundsOf, Figure, groundOf, RESTING } from './figure';
import { legendsOf } from './forces';
import { addHook } from './hook';
import type { Moving } from './overlay';
import { addOverlays } from './overlays';
import { Picker, speedBetween } from './pick';
import { Plots } from './plots';
import { at, compose, POSE } from './pose';
import { measure } from './robot-page';
import { type Materials, makeMaterials } from './solids';
import { Stage } from './stage';
import { timeBar } from './timebar';
import { addTools } from './tools';

/** The frame before a time, and how far on to the next. */
export function findFrame(times: Float32Array, time: number): { frame: number; part: number } {
    let low = 0;
    let high = times.length - 1;
    while (high - low > 1) {
        const middle = (low + high) >> 1;
        if (at(times, middle) <= time) low = middle;
        else high = middle;
    }
    const span = at(times, high) - at(times, low);
    const part = span > 0 ? Math.min(1, Math.max(0, (time - at(times, low)) / span)) : 0;
    return { frame: low, part };
}

/** Poses between two frames: places in a line, turns by the shorter way. */
function blend(motion: Motion, bodies: number, time: number, out: Float64Array): void {
    const { frame, part } = findFrame(motion.times, time);
    const stride = POSE * bodies;
    const a = frame * stride;
    const b = Math.min(frame + 1, motion.times.length - 1) * stride;
    const { poses } = motion;
    for (let i = 0; i < stride; i += POSE) {
        let dot = 0;
        for (let k = 3; k < POSE; k++) dot += at(poses, a + i + k) * at(poses, b + i + k);
        const sign = dot < 0 ? -1 : 1;
        let length = 0;
        for (let k = 0; k < POSE; k++) {
            const to = at(poses, b + i + k) * (k < 3 ? 1 : sign);
            const value = at(poses, a + i + k) * (1 - part) + to * part;
            out[i + k] = value;
            if (k >= 3) length += value * value;
        }
        for (let k = 3; k < POSE; k++) out[i + k] = at(out, i + k) / Math.sqrt(length || 1);
    }
}

interface Mover {
    readonly motion: Motion;
    readonly figure: Figure;
    readonly room: Float64Array;
}

function makeMovers(data: PageData, materials: Materials): Mover[] {
    const ghostly = new THREE.MeshPhongMaterial({
        color: '#c9781f',
        transparent: true,
        opacity: 0.32,
        depthWrite: false,
    });
    return data.motions.flatMap((motion) => {
        const robot = data.robots[motion.robot];
        if (!robot) return [];
        const figure = new Figure(robot, materials, motion.ghost ? ghostly : null);
        return [{ motion, figure, room: new Float64Array(POSE * robot.bodies.length) }];
    });
}

/** What all of the motion needs, seen from what the camera follows. */
function boundsOver(movers: readonly Mover[], clock: Clock): THREE.Box3 {
    const box = new THREE.Box3();
    const steps = 12;
    const first = movers[0];
    if (!first) return box;
    const follow = first.figure.robot.view.follow;
    const up = new THREE.Vector3(...first.figure.robot.view.up);
    for (let k = 0; k <= steps; k++) {
        const time = clock.start + ((clock.end - clock.start) * k) / steps;
        for (const m of movers) pose(m, time);
        const part = boundsOf(movers.map((m) => m.figure));
        if (follow >= 0) {
            const here = new THREE.Vector3(...first.figure.point(follow, [0, 0, 0]));
            part.translate(here.addScaledVector(up, -here.dot(up)).negate());
        }
        box.union(part);
    }
    return box;
}

function pose(m: Mover, time: number): void {
    const { activations, times } = m.motion;
    blend(m.motion, m.figure.robot.bodies.length, time, m.room);
    m.figure.pose(m.room);
    if (!activations) return;
    const { frame, part } = findFrame(times, time);
    const muscles = activations.length / times.length;
    const next = Math.min(frame + 1, times.length - 1);
    m.figure.activate(
        (i) =>
            (1 - part) * at(activations, muscles * frame + i) +
            part * at(activations, muscles * next + i),
    );
}

/** Says what the colours of muscles mean. */
function addActivations(motion: Motion, host: HTMLElement): void {
    if (!motion.activations) return;
    const scale = element('span', { class: 'scale' });
    scale.style.background = `linear-gradient(90deg, #${RESTING.getHexString()}, #${ACTIVE.getHexString()})`;
    const legend = element('p', { class: 'legend' });
    legend.append('Activation of muscles: 0', scale, '1');
    legendsOf(host).append(legend);
}

function ghostToggles(movers: readonly Mover[], stage: Stage): HTMLElement[] {
    const ghosts = movers.filter((m) => m.motion.ghost);
    const box: HTMLElement[] = [];
    for (const g of ghosts) {
        const reference = g.motion.robot === 0;
        g.figure.group.visible = !reference;
        const show = (on: boolean) => {
            g.figure.group.visible = on;
            stage.draw();
        };
        box.push(
            toggle(
                reference ? 'Reference' : g.motion.name,
                'As a ghost in the same view',
                show,
                !reference,
            ),
        );
    }
    return box;
}

async function mountStage(data: PageData, host: HTMLElement, clock: Clock): Promise<void> {
    const materials = makeMaterials();
    const movers = makeMovers(data, materials);
    const first = movers[0];
    if (!first) return;
    await Promise.all(movers.map((m) => m.figure.load()));
    const bounds = boundsOver(movers, clock);
    for (const m of movers) pose(m, clock.start);
    const { robot } = first.figure;
    const label = `${robot.name}, moving, in three dimensions`;
    const stage = new Stage(host, robot, {
        materials,
        bounds,
        label,
        ground: groundOf(first.figure),
    });
    for (const m of movers) stage.add(m.figure);
    const moving: Moving = {
        motion: first.motion,
        traces: data.traces,
        now: () => findFrame(first.motion.times, clock.time),
    };
    addSides(first.figure, host);
    addActivations(first.motion, host);
    const overlays = addOverlays(stage, first.figure, moving);
    addTools(stage, host, overlays, robot.name, clock);
    const bodies = robot.bodies.length;
    const before = new Float64Array(POSE * bodies);
    const after = new Float64Array(POSE * bodies);
    const picker = new Picker(stage, first.figure, host, (body) => {
        const { times } = first.motion;
        const step = (clock.end - clock.start) / Math.max(1, times.length - 1);
        const from = Math.max(clock.start, clock.time - step / 2);
        const to = Math.min(clock.end, clock.time + step / 2);
        blend(first.motion, bodies, from, before);
        blend(first.motion, bodies, to, after);
        return speedBetween(before, after, body, to - from || 1);
    });
    const ghosts = ghostToggles(movers, stage);
    host.nextElementSibling?.querySelector('.tools')?.prepend(...ghosts);
    if (clock.moves) {
        const step = (clock.end - clock.start) / Math.max(1, first.motion.times.length - 1);
        host.after(timeBar(clock, step, data.marks));
    }
    clock.listen((time) => {
        for (const m of movers) pose(m, time);
        stage.draw();
    });
    addHook({
        frame: (name) => {
            const f = robot.frames.find((g) => g.name === name);
            return f ? compose(first.figure.poses, POSE * f.body, f.at) : null;
        },
        solids: () => first.figure.given,
        pick: (name) => picker.pick(robot.frames.find((f) => f.name === name)?.body ?? -1),
        picked: () => picker.text,
        frameTime: (count) => measure(stage, count),
        inspect: () => stage.inspect(),
    });
}

function timesOf(data: PageData): Float32Array {
    const motion = data.motions[0];
    if (motion) return motion.times;
    const plot = data.plots.find((p) => p?.time);
    return (plot && data.columns[plot.x]) ?? new Float32Array([0, 1]);
}

export async function mountRun(data: PageData, host: HTMLElement | null): Promise<void> {
    const times = timesOf(data);
    const clock = new Clock(at(times, 0), at(times, times.length - 1), data.cycle);
    const plots = new Plots(data, clock);
    if (host) await mountStage(data, host, clock);
    addHook({
        seek: (time) => {
            clock.play(false);
            clock.seek(time);
        },
        time: () => clock.time,
        plotTimes: () => plots.times(),
        zoom: (from, to) => plots.zoom(from, to),
        zoomed: () => plots.zoomed(),
    });
    // A gait walks by itself, unless people want stillness.
    if (data.cycle && !prefersStillness()) clock.play(true);
}
