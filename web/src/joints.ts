// A slider for every coordinate that people can choose, and the posture as text.

import type { Joint, Robot } from './data';
import { button, element, shown } from './dom';
import type { Kinematics } from './kinematics';
import { at, exponential, fromAngles, logarithm, toAngles } from './pose';

/** One slider: what it reads from q and writes to it. */
interface Handle {
    readonly joint: Joint;
    readonly label: string;
    readonly unit: string;
    readonly low: number;
    readonly high: number;
    read(q: Float64Array): number;
    write(q: Float64Array, value: number): void;
}

const AXES = ['x', 'y', 'z'] as const;

function entry(
    joint: Joint,
    k: number,
    label: string,
    unit: string,
    low: number,
    high: number,
): Handle {
    return {
        joint,
        label,
        unit,
        low,
        high,
        read: (q) => at(q, joint.q + k),
        write: (q, value) => {
            q[joint.q + k] = value;
        },
    };
}

function turned(joint: Joint, start: number, k: number): Handle {
    return {
        joint,
        label: `${joint.name} r${AXES[k]}`,
        unit: 'rad',
        low: -Math.PI,
        high: Math.PI,
        read: (q) => at(logarithm(q, start), k),
        write: (q, value) => {
            const r = logarithm(q, start);
            r[k] = value;
            q.set(exponential(r), start);
        },
    };
}

function freeAngles(joint: Joint): Handle[] {
    const kept: { rpy: [number, number, number] } = { rpy: [0, 0, 0] };
    return ANGLES.map((_, k) => angleHandle(joint, joint.q + 3, k, kept));
}

const ANGLES = ['roll', 'pitch', 'yaw'] as const;

/** One of roll, pitch and yaw of the quaternion at `start`; while it is moved the other two keep
 * what they were told. */
function angleHandle(
    joint: Joint,
    start: number,
    k: number,
    kept: { rpy: [number, number, number] },
): Handle {
    const now = (q: Float64Array): [number, number, number] => {
        const same = fromAngles(kept.rpy).map((x, i) => x * at(q, start + i));
        if (Math.abs(Math.abs(same.reduce((sum, x) => sum + x, 0)) - 1) > 1e-9)
            kept.rpy = toAngles(q, start);
        return kept.rpy;
    };
    return {
        joint,
        label: `${joint.name} ${ANGLES[k]}`,
        unit: 'rad',
        low: k === 1 ? -Math.PI / 2 : -Math.PI,
        high: k === 1 ? Math.PI / 2 : Math.PI,
        read: (q) => at(now(q), k),
        write: (q, value) => {
            const rpy = [...now(q)] as [number, number, number];
            rpy[k] = value;
            kept.rpy = rpy;
            q.set(fromAngles(rpy), start);
        },
    };
}

function handlesOf(joint: Joint, reach: number): Handle[] {
    const range = (unit: string): [number, number] => {
        const wide = unit === 'm' ? reach : Math.PI;
        const low = joint.lower ?? -wide;
        const high = joint.upper ?? wide;
        return [Math.min(low, high), Math.max(low, high)];
    };
    switch (joint.kind) {
        case 'free':
            return [
                ...AXES.map((a, k) => entry(joint, k, `${joint.name} ${a}`, 'm', -reach, reach)),
                ...freeAngles(joint),
            ];
        case 'ball':
            return AXES.map((_, k) => turned(joint, joint.q, k));
        case 'planar':
            return [
                entry(joint, 0, `${joint.name} x`, 'm', -reach, reach),
                entry(joint, 1, `${joint.name} y`, 'm', -reach, reach),
                entry(joint, 2, `${joint.name} turn`, 'rad', -Math.PI, Math.PI),
            ];
        case 'universal':
            return [0, 1].map((k) =>
                entry(joint, k, `${joint.name} ${k + 1}`, 'rad', ...range('rad')),
            );
        default:
            return [entry(joint, 0, joint.name, joint.unit, ...range(joint.unit))];
    }
}

/** The ends of a slider, as its robot has them; a joint without limits says so. */
function limitsOf({ joint, unit, low, high }: Handle): HTMLElement {
    const text = (value: number) => (unit === 'rad' ? degrees(value) : `${shown(value, 3)} m`);
    const own = joint.lower !== null || joint.upper !== null;
    return element(
        'span',
        {
            class: own ? 'limits' : 'limits none',
            title: own ? 'Limits of the joint' : 'The joint has no limits',
        },
        element('span', {}, text(low)),
        ...(own ? [] : [element('span', {}, 'no limits')]),
        element('span', {}, text(high)),
    );
}

const degrees = (value: number) => `${shown((value * 180) / Math.PI, 3)}°`;

interface Row {
    readonly handle: Handle;
    readonly slider: HTMLInputElement;
    readonly value: HTMLInputElement;
    readonly aside: HTMLElement;
}

export interface JointPanelOptions {
    readonly kinematics: Kinematics;
    /** The size of the robot, for sliders without limits. */
    readonly reach: number;
    changed(): void;
    highlight(body: number): void;
}

export class JointPanel {
    readonly root = element('section', { class: 'joints-panel', 'aria-label': 'Joints' });
    #options: JointPanelOptions;
    #rows: Row[] = [];
    #text = element('input', {
        class: 'posture',
        readonly: true,
        'aria-label': 'The posture as an option of arne',
    });
    #note = element('p', { class: 'note', role: 'status' });
    #home: Float64Array;

    constructor(options: JointPanelOptions) {
        this.#options = options;
        const { robot } = options.kinematics;
        this.#home = Float64Array.from(options.kinematics.q);
        const own = robot.joints.filter((j) => j.count > 0);
        const active = own.filter((j) => !j.passive);
        const passive = own.filter((j) => j.passive);
        const list = element('div', { class: 'joint-list' });
        for (const j of active) this.#addJoint(list, j, false);
        this.root.append(this.#head(robot), list);
        if (passive.length) {
            const more = element(
                'details',
                {},
                element('summary', {}, `${passive.length} joints that follow`),
            );
            const rows = element('div', { class: 'joint-list' });
            for (const j of passive) this.#addJoint(rows, j, true);
            more.append(rows);
            this.root.append(more);
        }
        if (!active.length)
            list.append(element('p', { class: 'note' }, 'This robot has no joints that move.'));
        this.root.append(this.#foot(), this.#note);
        this.show();
    }

    /** Moves a joint as its slider does. Returns whether the loops could be closed. */
    move(name: string, value: number, coordinate = 0): boolean {
        const rows = this.#rows.filter((r) => r.handle.joint.name === name);
        const row = rows[coordinate];
        return row ? this.#apply(row, value) : false;
    }

    /** Shows q as it is, after others changed it. */
    changed(): void {
        this.#note.textContent = '';
        this.show();
        this.#options.changed();
    }

    /** Shows q as it is. */
    show(): void {
        const { q } = this.#options.kinematics;
        for (const row of this.#rows) {
            const value = row.handle.read(q);
            row.slider.value = String(value);
            if (document.activeElement !== row.value)
                row.value.value = String(Number(value.toFixed(4)));
            row.aside.textContent = row.handle.unit === 'rad' ? `rad, ${degrees(value)}` : 'm';
            const { low, high } = row.handle;
            const part = high > low ? (100 * (value - low)) / (high - low) : 0;
            row.slider.style.setProperty(
                '--part',
                `${Math.min(100, Math.max(0, part)).toFixed(1)}%`,
            );
        }
        this.#text.value = `--q ${[...q].map((v) => String(Number(v.toPrecision(9)))).join(',')}`;
    }

    #apply(row: Row, value: number): boolean {
        const { kinematics } = this.#options;
        const fine = kinematics.set((q) => row.handle.write(q, value));
        this.#note.textContent = fine
            ? ''
            : `${row.handle.label}: the loops cannot be closed there.`;
        this.show();
        this.#options.changed();
        return fine;
    }

    #addJoint(list: HTMLElement, joint: Joint, passive: boolean): void {
        for (const handle of handlesOf(joint, this.#options.reach)) {
            const step = (handle.high - handle.low) / 1000 || 0.001;
            const name = element(
                'span',
                { class: 'name', title: `${joint.name}, ${joint.kind}` },
                handle.label,
            );
            const slider = element('input', {
                type: 'range',
                min: handle.low,
                max: handle.high,
                step: 'any',
                'aria-label': `${handle.label} [${handle.unit}]`,
                disabled: passive,
            });
            const value = element('input', {
                type: 'number',
                step: Number(step.toPrecision(1)),
                'aria-label': `${handle.label} [${handle.unit}], as a number`,
                disabled: passive,
            });
            const aside = element('span', { class: 'unit' });
            const row: Row = { handle, slider, value, aside };
            slider.addEventListener('input', () => this.#apply(row, Number(slider.value)));
            value.addEventListener('change', () => this.#apply(row, Number(value.value)));
            const line = element(
                'div',
                { class: passive ? 'joint passive' : 'joint' },
                name,
                slider,
                value,
                aside,
            );
            line.append(limitsOf(handle));
            line.addEventListener('pointerenter', () => this.#options.highlight(joint.body));
            line.addEventListener('pointerleave', () => this.#options.highlight(-1));
            line.addEventListener('focusin', () => this.#options.highlight(joint.body));
            line.addEventListener('focusout', () => this.#options.highlight(-1));
            list.append(line);
            this.#rows.push(row);
        }
    }

    #head(robot: Robot): HTMLElement {
        const count = robot.joints.filter((j) => j.count > 0 && !j.passive).length;
        return element(
            'div',
            { class: 'panel-head' },
            element('h2', {}, count === 1 ? '1 joint' : `${count} joints`),
            button('Home', () => this.#go(() => this.#home)),
            button('Random', () => this.#go((q) => this.#random(q))),
        );
    }

    #foot(): HTMLElement {
        const copy = button('Copy', () => {
            this.#text.select();
            const fine = document.execCommand('copy');
            copy.textContent = fine ? 'Copied' : 'Select and copy';
            setTimeout(() => {
                copy.textContent = 'Copy';
            }, 1500);
        });
        return element('div', { class: 'panel-foot' }, this.#text, copy);
    }

    #go(target: (q: Float64Array) => Float64Array): void {
        const { kinematics } = this.#options;
        const fine = kinematics.set((q) => q.set(target(q.slice())));
        this.#note.textContent = fine ? '' : 'No closed posture was found there; try again.';
        this.show();
        this.#options.changed();
    }

    #random(q: Float64Array): Float64Array {
        for (const { handle } of this.#rows) {
            if (handle.joint.passive || handle.joint.kind === 'free') continue;
            const closed = this.#options.kinematics.robot.loops.length > 0;
            const now = handle.read(this.#home);
            const value = handle.low + Math.random() * (handle.high - handle.low);
            handle.write(q, closed ? now + 0.25 * (value - now) : value);
        }
        return q;
    }
}
