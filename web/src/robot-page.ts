// The page of a robot: its bodies, a slider for each joint, and the posture as text.

import type { PageData } from './data';
import { addHook } from './hook';
import { JointPanel } from './joints';
import { Kinematics } from './kinematics';
import { addOverlays } from './overlays';
import { makeMaterials } from './solids';
import { addSides, boundsOf, Figure, frontOf, groundOf, Stage } from './stage';
import { addTools } from './tools';

export async function mountRobot(data: PageData, host: HTMLElement): Promise<void> {
    const robot = data.robots[0];
    if (!robot) return;
    const kinematics = new Kinematics(robot);
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
    const panel = new JointPanel({
        kinematics,
        reach: stage.size,
        changed: () => {
            figure.pose(kinematics.poses);
            stage.draw();
        },
        highlight: (body) => {
            figure.highlight(body);
            stage.draw();
        },
    });
    document.getElementById('joints')?.append(panel.root);
    addHook({
        move: (joint, value, coordinate) => panel.move(joint, value, coordinate),
        frame: (name) => {
            const index = robot.frames.findIndex((f) => f.name === name);
            return index < 0 ? null : kinematics.frame(index);
        },
        q: () => [...kinematics.q],
        solids: () => figure.given,
        frameTime: (count) => measure(stage, count),
        inspect: () => stage.inspect(),
    });
    stage.draw();
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
