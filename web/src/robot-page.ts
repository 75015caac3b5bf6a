// The page of a robot: its bodies, a slider for each joint, and the posture as text; with the
// library in the page also what the posture takes, and ends that can be dragged.

import type { PageData, Robot } from './data';
import { endFrames, Handles } from './drag';
import { addSides, boundsOf, Figure, frontOf, groundOf } from './figure';
import { addHook } from './hook';
import { JointPanel } from './joints';
import { Kinematics } from './kinematics';
import type { Live } from './live';
import { LivePanel } from './live-panel';
import { addOverlays } from './overlays';
import { Picker } from './pick';
import { makeMaterials } from './solids';
import { Stage } from './stage';
import { addTools } from './tools';

/** Set by the build. */
declare const WITH_LIVE: boolean;

/** arne_base of the library. */
const FREE_BASE = 3;

export interface Places {
    readonly stage: HTMLElement;
    readonly joints: HTMLElement | null;
    readonly live: HTMLElement | null;
}

interface Parts {
    readonly robot: Robot;
    readonly kinematics: Kinematics;
    readonly stage: Stage;
    readonly panel: JointPanel;
}

/** What the library adds. Returns what is to be done after each change of the posture. */
function addLive(
    live: Live,
    host: HTMLElement | null,
    { robot, kinematics, stage, panel }: Parts,
): () => void {
    const ends = endFrames(robot);
    const nameOf = (frame: number) => robot.frames[frame]?.name ?? '';
    const choose = (name: string) => {
        live.choose(live.frame(name));
        numbers.show();
    };
    const numbers = new LivePanel({
        live,
        frames: robot.frames.map((f) => f.name),
        chosen: nameOf(ends[0] ?? -1),
        base: robot.base === FREE_BASE ? 6 : 0,
        choose,
    });
    host?.append(numbers.root);
    const reach = (frame: number, to: readonly [number, number, number]) => {
        let left = 0;
        kinematics.set((q) => {
            left = live.reach(q, live.frame(nameOf(frame)), to);
        });
        panel.changed();
        return left;
    };
    const handles = new Handles({
        stage,
        kinematics,
        frames: ends,
        reach: (frame, to) => void reach(frame, to),
        chosen: (frame) => numbers.select(nameOf(frame)),
    });
    choose(nameOf(ends[0] ?? -1));
    addHook({
        live: (name) => [...live.array(name)],
        labels: () => live.labels(),
        handle: (i) => ({ frame: nameOf(ends[i] ?? -1), at: handles.where(i) }),
        reach: (name, to) =>
            reach(
                robot.frames.findIndex((f) => f.name === name),
                to,
            ),
        callTime: (count) => live.time(count),
    });
    return () => numbers.show();
}

/** Brings the page to life; what it returns takes it down again. */
export async function mountRobot(
    data: PageData,
    places: Places,
    live: Live | null = null,
): Promise<() => void> {
    const robot = data.robots[0];
    if (!robot) return () => undefined;
    const host = places.stage;
    const kinematics = new Kinematics(robot, WITH_LIVE ? live : null);
    const materials = makeMaterials();
    const figure = new Figure(robot, materials, null);
    await figure.load();
    figure.pose(kinematics.poses);
    const bounds = boundsOf([figure]);
    const label = `${robot.name}, in three dimensions`;
    const stage = new Stage(host, robot, { materials, bounds, label, ground: groundOf(figure) });
    stage.add(figure);
    const front = frontOf(figure);
    if (front) stage.look(bounds, front, true);
    addSides(figure, host);
    const overlays = addOverlays(stage, figure, null);
    addTools(stage, host, overlays, robot.name);
    const picker = new Picker(stage, figure, host, null);
    let follow: () => void = () => undefined;
    const panel = new JointPanel({
        kinematics,
        reach: stage.size,
        changed: () => {
            figure.pose(kinematics.poses);
            follow();
            stage.draw();
        },
        highlight: (body) => {
            figure.highlight(body);
            stage.draw();
        },
    });
    places.joints?.append(panel.root);
    if (WITH_LIVE && live) follow = addLive(live, places.live, { robot, kinematics, stage, panel });
    addHook({
        move: (joint, value, coordinate) => panel.move(joint, value, coordinate),
        frame: (name) => {
            const index = robot.frames.findIndex((f) => f.name === name);
            return index < 0 ? null : kinematics.frame(index);
        },
        q: () => [...kinematics.q],
        pose: (q) => {
            kinematics.set((own) => {
                for (let i = 0; i < own.length; i++) own[i] = q[i] ?? own[i] ?? 0;
            });
            panel.changed();
        },
        solids: () => figure.given,
        pick: (name) => picker.pick(robot.frames.find((f) => f.name === name)?.body ?? -1),
        picked: () => picker.text,
        frameTime: (count) => measure(stage, count),
        inspect: () => stage.inspect(),
    });
    stage.draw();
    return () => {
        stage.close();
        if (WITH_LIVE) live?.close();
    };
}

/** The mean time of a picture, with the drawing finished. */
export function measure(stage: Stage, count: number): number {
    stage.drawNow();
    stage.finish();
    const start = performance.now();
    for (let i = 0; i < count; i++) {
        stage.drawNow();
        stage.finish();
    }
    return (performance.now() - start) / count;
}
