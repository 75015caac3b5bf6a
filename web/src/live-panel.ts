// What a posture takes, live: the most loaded joints, how well a frame can be moved, the mass
// matrix.

import { element, onTheme, shown, styleColour } from './dom';
import type { Label, Live } from './live';
import { at } from './pose';

/** Up to here the mass matrix has its numbers in it. */
const NUMBERS_UP_TO = 8;
const MOST = 10;

export interface LivePanelOptions {
    readonly live: Live;
    /** Frames of which one can be chosen. */
    readonly frames: readonly string[];
    readonly chosen: string;
    /** How many of the first velocities are those of a free base, which no motor holds. */
    readonly base: number;
    choose(frame: string): void;
}

export class LivePanel {
    readonly root = element('section', { class: 'live', 'aria-label': 'What this posture takes' });
    #live: Live;
    #labels: readonly Label[];
    #base: number;
    #loads = element('tbody');
    #loadHead = element('h3');
    #facts = element('dl', { class: 'live-facts' });
    #matrix = element('canvas', { class: 'matrix', role: 'img' });
    #select = element('select');
    #choose: (frame: string) => void;
    #note = element('p', { class: 'note', role: 'status' });

    constructor(options: LivePanelOptions) {
        this.#live = options.live;
        this.#labels = options.live.labels();
        this.#base = options.base;
        const select = this.#select;
        select.setAttribute('aria-label', 'The frame whose manipulability is shown');
        for (const name of options.frames) {
            select.append(
                element('option', { value: name, selected: name === options.chosen }, name),
            );
        }
        this.#choose = options.choose;
        select.addEventListener('change', () => this.#choose(select.value));
        const count = this.#live.array('active').length;
        const card = (...parts: (Node | string)[]) =>
            element('div', { class: 'live-card' }, ...parts);
        const scale = element(
            'p',
            { class: 'note' },
            'Rows and columns are the joints; colour goes with the root of an entry, blue above zero, orange below.',
        );
        this.root.append(
            card(this.#loadHead, element('table', { class: 'loads' }, this.#loads), this.#note),
            card(element('h3', {}, 'Manipulability of a frame'), select, this.#facts),
            card(element('h3', {}, `Mass matrix, ${count} × ${count}`), this.#matrix, scale),
        );
        onTheme(() => this.show());
    }

    /** Chooses a frame as its list does. */
    select(frame: string): void {
        if (this.#select.value === frame) return;
        this.#select.value = frame;
        this.#choose(frame);
    }

    /** Computes and shows everything at the posture as it is. */
    show(): void {
        this.#note.textContent = this.#live.update();
        this.#showLoads();
        this.#showFacts();
        this.#showMatrix();
    }

    #showLoads(): void {
        const torque = this.#live.array('gravity');
        const used = this.#live.array('used');
        const limited = used.some((u) => !Number.isNaN(u));
        const size = (v: number) => (limited ? at(used, v) || 0 : Math.abs(at(torque, v)));
        const active = [...this.#live.array('active')].filter((v) => v >= this.#base);
        const order = active.sort((a, b) => size(b) - size(a)).slice(0, MOST);
        const largest = Math.max(...order.map(size), 1e-12);
        const what = limited ? 'share of the limit of effort' : 'no limits of effort in the file';
        const most =
            order.length < active.length
                ? `${order.length} most loaded joints`
                : 'Loads of the joints';
        this.#loadHead.replaceChildren(
            `${most} `,
            element('span', { class: 'unit' }, `gravity, ${what}`),
        );
        this.#loads.replaceChildren(
            ...order.map((v) => {
                const label = this.#labels[v];
                const share = at(used, v);
                const bar = element('i', { class: share > 100 ? 'load-bar over' : 'load-bar' });
                bar.style.width = `${Math.min(100, limited ? share || 0 : (100 * size(v)) / largest).toFixed(1)}%`;
                const percent = Number.isNaN(share) ? '' : `${shown(share, 3)} %`;
                return element(
                    'tr',
                    {},
                    element('th', { scope: 'row' }, label?.name ?? ''),
                    element(
                        'td',
                        { class: 'num' },
                        `${shown(at(torque, v), 4)} ${label?.unit ?? ''}`,
                    ),
                    element('td', { class: 'track' }, bar),
                    element('td', { class: 'num' }, percent),
                );
            }),
        );
    }

    #showFacts(): void {
        const [measure = Number.NaN, ...axes] = this.#live.array('manipulability');
        const com = this.#live.array('com');
        const text = (list: ArrayLike<number>, unit: string) =>
            `${Array.from(list, (v) => shown(Math.abs(v) < 1e-9 ? 0 : v, 3)).join(', ')} ${unit}`;
        const rows: [string, string, string][] = [
            [
                'Measure',
                shown(Math.abs(measure) < 1e-12 ? 0 : measure, 4),
                'Yoshikawa’s: 0 where it is stuck in a direction',
            ],
            ['Linear', text(axes.slice(0, 3), 'm/s'), 'what joint speeds of unit norm do to it'],
            ['Angular', text(axes.slice(3), 'rad/s'), ''],
            ['Centre of mass', text(com, 'm'), 'of the whole robot'],
        ];
        this.#facts.replaceChildren(
            ...rows.flatMap(([name, value, why]) => [
                element('dt', {}, name),
                element('dd', {}, value, ...(why ? [element('span', { class: 'says' }, why)] : [])),
            ]),
        );
    }

    #showMatrix(): void {
        const mass = this.#live.array('mass');
        const n = Math.round(Math.sqrt(mass.length));
        const cell = Math.max(4, Math.min(44, Math.floor(330 / Math.max(n, 1))));
        const ratio = Math.min(devicePixelRatio, 2);
        const canvas = this.#matrix;
        canvas.width = canvas.height = n * cell * ratio;
        canvas.style.width = `${n * cell}px`;
        const largest = mass.reduce((most, v) => Math.max(most, Math.abs(v) || 0), 0);
        canvas.setAttribute(
            'aria-label',
            `Mass matrix of ${n} rows; its largest entry is ${shown(largest, 3)}`,
        );
        const g = canvas.getContext('2d');
        if (!g) return;
        g.scale(ratio, ratio);
        const [ink, more, less] = ['--ink', '--c0', '--c1'].map(styleColour) as [
            string,
            string,
            string,
        ];
        g.font = `${Math.min(11, cell / 3.6)}px system-ui, sans-serif`;
        g.textAlign = 'center';
        g.textBaseline = 'middle';
        for (let i = 0; i < n * n; i++) {
            const value = at(mass, i);
            const x = (i % n) * cell;
            const y = Math.floor(i / n) * cell;
            g.globalAlpha = 0.06 + 0.74 * Math.sqrt(Math.abs(value) / (largest || 1)) || 0.03;
            g.fillStyle = value < 0 ? less : more;
            g.fillRect(x, y, cell - 1, cell - 1);
            g.globalAlpha = 1;
            g.fillStyle = ink;
            if (n <= NUMBERS_UP_TO)
                g.fillText(
                    shown(Math.abs(value) < 1e-9 ? 0 : value, 2),
                    x + cell / 2,
                    y + cell / 2,
                );
        }
    }
}
