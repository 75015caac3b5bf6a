// A click on a link: which one it is, where it is, how heavy, and in a run how fast.

import * as THREE from 'three';
import { element, shown } from './dom';
import type { Figure } from './figure';
import { compose, POSE, toAngles, turn } from './pose';
import type { Stage } from './stage';

/** A click that moved by more than this turned the view, and picks nothing. */
const STILL = 4;

/** Velocity of a body: of its origin [m/s], and its turn [rad/s], both in the axes of the world. */
export interface Speed {
    readonly linear: readonly [number, number, number];
    readonly angular: readonly [number, number, number];
}

/** The velocity between two poses of seven numbers, `step` seconds apart. */
export function speedBetween(a: Float64Array, b: Float64Array, body: number, step: number): Speed {
    const i = POSE * body;
    const part = (p: Float64Array, k: number) => p[i + k] ?? 0;
    const quaternion = (p: Float64Array) =>
        new THREE.Quaternion(part(p, 3), part(p, 4), part(p, 5), part(p, 6));
    const d = quaternion(b).multiply(quaternion(a).invert());
    const sign = d.w < 0 ? -1 : 1;
    const sine = Math.hypot(d.x, d.y, d.z);
    const f = sine > 1e-12 ? (2 * sign * Math.atan2(sine, Math.abs(d.w))) / (sine * step) : 0;
    return {
        linear: [0, 1, 2].map((k) => (part(b, k) - part(a, k)) / step) as [number, number, number],
        angular: [f * d.x, f * d.y, f * d.z],
    };
}

function row(name: string, value: string, unit: string): HTMLElement[] {
    return [element('dt', {}, name), element('dd', {}, `${value}${unit ? ` ${unit}` : ''}`)];
}

const list = (values: readonly number[], digits = 3) =>
    values.map((v) => shown(Math.abs(v) < 5e-5 ? 0 : v, digits)).join(', ');

export class Picker {
    #stage: Stage;
    #figure: Figure;
    #speed: ((body: number) => Speed) | null;
    #body = -1;
    #facts = element('dl', {});
    #title = element('b', {});
    #card: HTMLElement;

    constructor(
        stage: Stage,
        figure: Figure,
        host: HTMLElement,
        speed: ((body: number) => Speed) | null,
    ) {
        this.#stage = stage;
        this.#figure = figure;
        this.#speed = speed;
        this.#card = element(
            'div',
            { class: 'picked', hidden: true, 'aria-live': 'polite' },
            this.#title,
            this.#facts,
        );
        host.append(this.#card);
        let start: [number, number] | null = null;
        stage.canvas.addEventListener('pointerdown', (e) => {
            start = e.button === 0 ? [e.clientX, e.clientY] : null;
        });
        stage.canvas.addEventListener('pointerup', (e) => {
            if (start && Math.hypot(e.clientX - start[0], e.clientY - start[1]) < STILL)
                this.pickAt(e.clientX, e.clientY);
            start = null;
        });
        stage.canvas.addEventListener('keydown', (e) => {
            if (e.key === 'Escape') this.pick(-1);
        });
        stage.beforeDraw(() => this.#show());
    }

    /** The link under a place of the page. */
    pickAt(x: number, y: number): void {
        const { canvas, camera } = this.#stage;
        const box = canvas.getBoundingClientRect();
        const ray = new THREE.Raycaster();
        ray.setFromCamera(
            new THREE.Vector2(
                (2 * (x - box.left)) / box.width - 1,
                1 - (2 * (y - box.top)) / box.height,
            ),
            camera,
        );
        const hit = ray
            .intersectObjects(this.#figure.bodies, true)
            .find((h) => h.object instanceof THREE.Mesh && h.object.visible);
        let at: THREE.Object3D | null = hit?.object ?? null;
        while (at && !this.#figure.bodies.includes(at as THREE.Group)) at = at.parent;
        this.pick(at ? this.#figure.bodies.indexOf(at as THREE.Group) : -1);
    }

    /** Shows a body; -1: none. Returns the name of its link. */
    pick(body: number): string {
        this.#body = body;
        this.#figure.highlight(body);
        this.#card.hidden = body < 0;
        this.#stage.draw();
        this.#show();
        return this.#title.textContent ?? '';
    }

    get text(): string {
        return this.#card.hidden ? '' : (this.#card.textContent ?? '');
    }

    #show(): void {
        const { robot, poses } = this.#figure;
        const own = robot.frames.filter((f) => f.body === this.#body);
        const main = own.find((f) => f.heavy) ?? own[0];
        const body = robot.bodies[this.#body];
        if (this.#body < 0 || !main || !body) return;
        const X = compose(poses, POSE * this.#body, main.at);
        this.#title.textContent = main.name;
        const facts = [
            ...row('position', list([X[0], X[1], X[2]], 4), 'm'),
            ...row('roll, pitch, yaw', list(toAngles(X, 3).map((a) => (a * 180) / Math.PI)), '°'),
        ];
        if (body.mass)
            facts.push(
                ...row(
                    own.length > 1 ? 'mass, all that is fixed to it' : 'mass',
                    shown(body.mass, 4),
                    'kg',
                ),
            );
        if (this.#speed) {
            const v = this.#speed(this.#body);
            const arm = turn(poses, POSE * this.#body + 3, [main.at[0], main.at[1], main.at[2]]);
            const [wx, wy, wz] = v.angular;
            const linear = [
                v.linear[0] + wy * arm[2] - wz * arm[1],
                v.linear[1] + wz * arm[0] - wx * arm[2],
                v.linear[2] + wx * arm[1] - wy * arm[0],
            ];
            facts.push(
                ...row('velocity', list(linear), 'm/s'),
                ...row('angular velocity', list(v.angular), 'rad/s'),
            );
        }
        this.#facts.replaceChildren(...facts);
    }
}
