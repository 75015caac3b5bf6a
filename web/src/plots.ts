// Plots over time: one cursor for all, a click goes to that time, a drag shows a part of it, limits
// as shaded bands.

import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import type { Clock } from './clock';
import type { Mark, PageData, PlotLine, PlotSpec } from './data';
import { element, onTheme, shown, styleColour } from './dom';

const SYNC = 'time';
const HEIGHT = 270;
const SMALL_HEIGHT = 128;
/** Pixels from which on a drag is one. */
const DRAG = 8;

interface Made {
    readonly plot: uPlot;
    readonly spec: PlotSpec;
    readonly now: HTMLElement;
    readonly legend: Legend;
}

/** Names and values beside their colours: those under the pointer, or else of the time that is
 * shown. A click on a name hides its line. */
class Legend {
    readonly root = element('ul', { class: 'legend-list' });
    #spec: PlotSpec;
    #plot: uPlot | null = null;
    #values: { readonly line: number; readonly reference: number; readonly at: HTMLElement }[] = [];

    constructor(spec: PlotSpec) {
        this.#spec = spec;
        spec.lines.forEach((line, i) => {
            if (line.reference) return;
            const reference = spec.lines[i + 1]?.reference ? i + 1 : -1;
            const key = element('i');
            key.style.background = `var(--c${line.colour % 8})`;
            const at = element('span', { class: 'value' });
            const name = element(
                'button',
                { type: 'button', class: 'name', title: 'Hide or show this line' },
                line.name,
            );
            name.setAttribute('aria-pressed', 'true');
            name.addEventListener('click', () => this.#hide(name, i, reference));
            this.root.append(element('li', {}, key, name, at));
            this.#values.push({ line: i, reference, at });
        });
        if (spec.lines.some((l) => l.reference))
            this.root.append(element('li', { class: 'aside' }, 'dotted: reference'));
        if (spec.lines.some((l) => l.low !== null || l.high !== null))
            this.root.append(element('li', { class: 'aside' }, 'dashed: limits'));
        if (spec.band)
            this.root.append(
                element('li', { class: 'aside' }, `shaded: ${spec.bandName ?? 'band'}`),
            );
    }

    attach(u: uPlot): void {
        this.#plot = u;
    }

    #hide(name: HTMLElement, line: number, reference: number): void {
        const show = name.getAttribute('aria-pressed') !== 'true';
        name.setAttribute('aria-pressed', String(show));
        this.#plot?.setSeries(line + 1, { show });
        if (reference >= 0) this.#plot?.setSeries(reference + 1, { show });
    }

    show(u: uPlot, index: number): void {
        if (this.#spec.small) return;
        if (index < 0) {
            for (const { at } of this.#values) at.textContent = '';
            return;
        }
        const value = (series: number) => {
            const v = u.data[series + 1]?.[index];
            return v === null || v === undefined ? '–' : shown(v, 4);
        };
        for (const { line, reference, at } of this.#values) {
            at.textContent = value(line);
            at.title = reference >= 0 ? `reference ${value(reference)}` : '';
        }
    }
}

function ticks(values: readonly number[]): string[] {
    const size = Math.max(...values.map(Math.abs));
    const power = size >= 1e5 || (size > 0 && size < 1e-3);
    return values.map((v) =>
        power ? shown(v, 3) : String(Number(v.toPrecision(12))).replace('-', '−'),
    );
}

/** Wide enough for its labels, so that none is cut. */
function axisSize(_: uPlot, labels: readonly string[] | null): number {
    const longest = Math.max(0, ...(labels ?? []).map((l) => l.length));
    return 16 + 6.6 * longest;
}

/** A limit far beyond the data is left out, lest it make the lines flat. */
function isNear(limit: number | null, low: number, high: number): limit is number {
    if (limit === null) return false;
    const size = Math.max(high - low, 0.1 * Math.max(Math.abs(low), Math.abs(high)));
    return limit <= high + 0.6 * size && limit >= low - 0.6 * size;
}

function yRange(lines: readonly PlotLine[]) {
    return (u: uPlot, dataLow: number | null, dataHigh: number | null): uPlot.Range.MinMax => {
        const low = dataLow ?? 0;
        const high = dataHigh ?? 1;
        const limits = lines
            .filter((_, i) => u.series[i + 1]?.show)
            .flatMap((l) => [l.low, l.high])
            .filter((v) => isNear(v, low, high)) as number[];
        const least = Math.min(low, ...limits);
        const most = Math.max(high, ...limits);
        const margin = most > least ? 0.06 * (most - least) : Math.max(1e-9, 0.1 * Math.abs(most));
        return [least - margin, most + margin];
    };
}

/** Shades what lies beyond limits that all lines share; limits of single lines are dashed in their
 * colours. */
function drawLimits(u: uPlot, spec: PlotSpec): void {
    const { ctx, bbox } = u;
    const seen = spec.lines.filter((l, i) => !l.reference && u.series[i + 1]?.show);
    const own = seen.filter((l) => l.low !== null || l.high !== null);
    const first = own[0];
    if (!first) return;
    const shared =
        own.length === seen.length &&
        own.every((l) => l.low === first.low && l.high === first.high);
    ctx.save();
    ctx.beginPath();
    ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
    ctx.clip();
    for (const line of shared ? [first] : own) {
        for (const [limit, upper] of [
            [line.high, true],
            [line.low, false],
        ] as const) {
            if (limit === null) continue;
            const y = u.valToPos(limit, 'y', true);
            if (y < bbox.top - 1 || y > bbox.top + bbox.height + 1) continue;
            ctx.fillStyle = styleColour('--limit');
            if (shared && upper) ctx.fillRect(bbox.left, bbox.top, bbox.width, y - bbox.top);
            if (shared && !upper)
                ctx.fillRect(bbox.left, y, bbox.width, bbox.top + bbox.height - y);
            ctx.strokeStyle = shared ? styleColour('--soft') : styleColour(`--c${line.colour % 8}`);
            ctx.lineWidth = devicePixelRatio;
            ctx.setLineDash([5 * devicePixelRatio, 4 * devicePixelRatio]);
            ctx.beginPath();
            ctx.moveTo(bbox.left, y);
            ctx.lineTo(bbox.left + bbox.width, y);
            ctx.stroke();
        }
    }
    ctx.restore();
}

function drawMarks(u: uPlot, marks: readonly Mark[]): void {
    const { ctx, bbox } = u;
    for (const mark of marks) {
        const x = u.valToPos(mark.time, 'x', true);
        ctx.save();
        ctx.strokeStyle = styleColour('--mark');
        ctx.fillStyle = styleColour('--mark');
        ctx.lineWidth = devicePixelRatio;
        ctx.setLineDash([2 * devicePixelRatio, 3 * devicePixelRatio]);
        ctx.beginPath();
        ctx.moveTo(x, bbox.top);
        ctx.lineTo(x, bbox.top + bbox.height);
        ctx.stroke();
        ctx.setLineDash([]);
        ctx.beginPath();
        ctx.arc(x, bbox.top, 3.5 * devicePixelRatio, 0, 7);
        ctx.fill();
        ctx.restore();
    }
}

function series(line: PlotLine): uPlot.Series {
    return {
        label: line.reference ? `${line.name} (reference)` : line.name,
        stroke: () => styleColour(`--c${line.colour % 8}`),
        width: line.reference ? 1.2 : 1.7,
        ...(line.reference ? { dash: [2, 4] } : {}),
        points: { show: false },
        value: (_, v) => (v === null || v === undefined ? '–' : shown(v, 4)),
    };
}

function axes(spec: PlotSpec): uPlot.Axis[] {
    const ink = () => styleColour('--soft');
    const grid = { stroke: () => styleColour('--grid'), width: 1 };
    const tick = { stroke: () => styleColour('--grid'), width: 1, size: 4 };
    // Whole pixels: uPlot reads no others where a screen has more pixels than it says.
    const font = `${spec.small ? 10 : 12}px system-ui, sans-serif`;
    return [
        {
            stroke: ink,
            grid,
            ticks: tick,
            font,
            size: spec.small ? 22 : 30,
            space: spec.small ? 46 : 60,
            values: (_, v) => ticks(v),
            ...(spec.small
                ? {}
                : { label: spec.xLabel, labelSize: 18, labelGap: 2, labelFont: font }),
        },
        {
            stroke: ink,
            grid,
            ticks: tick,
            font,
            size: axisSize,
            space: spec.small ? 24 : 34,
            values: (_, v) => ticks(v),
        },
    ];
}

export class Plots {
    #data: PageData;
    #clock: Clock;
    #made: Made[] = [];
    #waiting: HTMLElement[] = [];
    #shown: { min: number; max: number } | null = null;
    #dragged = 0;

    constructor(data: PageData, clock: Clock) {
        this.#data = data;
        this.#clock = clock;
        for (const host of document.querySelectorAll<HTMLElement>('[data-plot]')) {
            const spec = this.#specOf(host);
            if (spec) host.style.minHeight = `${spec.small ? SMALL_HEIGHT : HEIGHT}px`;
            this.#waiting.push(host);
        }
        for (const folded of document.querySelectorAll('details.group'))
            folded.addEventListener('toggle', () => this.#makeSome());
        addEventListener('beforeprint', () => this.#makeSome(Number.POSITIVE_INFINITY));
        this.#makeSome();
        clock.listen((time) => {
            for (const m of this.#made) this.#place(m, time);
        });
        onTheme(() => {
            for (const { plot } of this.#made) plot.redraw(false, true);
        });
    }

    /** Shows this part of the time in all plots over time. */
    zoom(from: number, to: number): void {
        const min = Math.max(this.#clock.start, from);
        const max = Math.min(this.#clock.end, to);
        if (!(max > min)) return;
        this.#shown = { min, max };
        for (const m of this.#made) {
            if (!m.spec.time) continue;
            m.plot.setScale('x', this.#shown);
            this.#place(m, this.#clock.time);
        }
    }

    zoomed(): [number, number][] {
        return this.#made
            .filter((m) => m.spec.time)
            .map((m) => [m.plot.scales.x?.min ?? Number.NaN, m.plot.scales.x?.max ?? Number.NaN]);
    }

    /** The times that the cursors of all plots over time show. */
    times(): number[] {
        return this.#made
            .filter((m) => m.spec.time && m.plot.status === 1)
            .map((m) => m.plot.posToVal(Number.parseFloat(m.now.dataset.left ?? '0'), 'x'));
    }

    /** Makes plots that can be seen, from the top and a few at a time, so that the page stays
     * quick. */
    #makeSome(most = 6): void {
        const seen = this.#waiting.filter((host) => host.offsetParent !== null).slice(0, most);
        if (!seen.length) return;
        this.#waiting = this.#waiting.filter((host) => !seen.includes(host));
        for (const host of seen) this.#make(host);
        requestAnimationFrame(() => this.#makeSome(most));
    }

    #specOf(host: HTMLElement): PlotSpec | null {
        return this.#data.plots[Number(host.dataset.plot)] ?? null;
    }

    #make(host: HTMLElement): void {
        const spec = this.#specOf(host);
        const x = spec && this.#data.columns[spec.x];
        if (!spec || !x) return;
        // A line has gaps where its run has no values.
        const column = (index: number) => {
            const all = this.#data.columns[index] ?? new Float32Array(x.length);
            return all.some(Number.isNaN)
                ? Array.from(all, (v) => (Number.isNaN(v) ? null : v))
                : all;
        };
        const unit = spec.small ? '' : spec.yLabel;
        host.append(
            element(
                'figcaption',
                { class: 'plot-title' },
                element('b', {}, spec.title),
                element('span', {}, unit),
            ),
        );
        const marks = spec.time ? this.#data.marks.filter((m) => m.kind === spec.kind) : [];
        const values: uPlot.AlignedData = [x, ...spec.lines.map((l) => column(l.column))];
        const all: uPlot.Series[] = [
            { label: spec.xLabel, value: (_, v) => (v === null ? '–' : shown(v, 4)) },
            ...spec.lines.map(series),
        ];
        const bands: uPlot.Band[] = [];
        if (spec.band) {
            const plain = { points: { show: false }, stroke: 'transparent' };
            values.push(column(spec.band[1]), column(spec.band[0]));
            all.push(
                { ...plain, label: `${spec.bandName ?? 'band'}, upper` },
                { ...plain, label: `${spec.bandName ?? 'band'}, lower` },
            );
            bands.push({
                series: [all.length - 2, all.length - 1],
                fill: () => styleColour('--band'),
            });
        }
        const legend = new Legend(spec);
        const plot = new uPlot(
            {
                width: host.clientWidth - 12,
                height: spec.small ? SMALL_HEIGHT : HEIGHT,
                padding: [8, 10, 0, 0],
                pxAlign: 0,
                scales: { x: { time: false }, y: { range: yRange(spec.lines) } },
                series: all,
                bands,
                axes: axes(spec),
                legend: { show: false },
                cursor: {
                    drag: { x: spec.time, y: false, setScale: false, dist: DRAG },
                    points: { size: 6 },
                    ...(spec.time ? { sync: { key: SYNC } } : {}),
                },
                hooks: {
                    ready: [
                        (u) => {
                            const made = this.#made.find((m) => m.plot === u);
                            if (made) this.#place(made, this.#clock.time);
                        },
                    ],
                    drawClear: [(u) => drawLimits(u, spec)],
                    draw: [(u) => drawMarks(u, marks)],
                    setSelect: [
                        (u) => {
                            if (u.select.width < DRAG) return;
                            const end = u.select.left + u.select.width;
                            this.zoom(u.posToVal(u.select.left, 'x'), u.posToVal(end, 'x'));
                            u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
                            this.#dragged = performance.now();
                        },
                    ],
                    setCursor: [
                        (u) => {
                            const index = u.cursor.idx;
                            legend.show(
                                u,
                                index ?? (spec.time ? u.valToIdx(this.#clock.time) : -1),
                            );
                        },
                    ],
                },
            },
            values,
            host,
        );
        legend.attach(plot);
        const now = element('div', { class: 'now-line' });
        plot.over.append(now);
        if (spec.small) this.#smallLegend(host, spec);
        else host.append(legend.root);
        legend.show(plot, spec.time ? plot.valToIdx(this.#clock.time) : -1);
        for (const { text } of marks)
            if (text) host.append(element('p', { class: 'mark-text' }, text));
        const made = { plot, spec, now, legend };
        this.#made.push(made);
        if (spec.time) {
            plot.over.title =
                'Click: go to this time. Drag: show a part of it. Double-click: all of it.';
            plot.over.addEventListener('dblclick', () =>
                this.zoom(this.#clock.start, this.#clock.end),
            );
            plot.over.addEventListener('click', () => {
                const left = plot.cursor.left ?? -1;
                if (left < 0 || performance.now() - this.#dragged < 300) return;
                this.#clock.play(false);
                this.#clock.seek(plot.posToVal(left, 'x'));
            });
            if (this.#shown) plot.setScale('x', this.#shown);
            this.#place(made, this.#clock.time);
        } else {
            now.hidden = true;
        }
        new ResizeObserver(() => {
            plot.setSize({
                width: host.clientWidth - 12,
                height: spec.small ? SMALL_HEIGHT : HEIGHT,
            });
            this.#place(made, this.#clock.time);
        }).observe(host);
    }

    #smallLegend(host: HTMLElement, spec: PlotSpec): void {
        const lines = spec.lines.filter((l) => !l.reference);
        if (lines.length < 2) return;
        const legend = element('span', { class: 'small-legend' });
        for (const l of lines) {
            const key = element('i');
            key.style.background = styleColour(`--c${l.colour % 8}`);
            legend.append(key, l.name);
        }
        host.querySelector('.plot-title span')?.replaceWith(legend);
    }

    #place({ plot, spec, now, legend }: Made, time: number): void {
        if (!spec.time) return;
        const left = plot.valToPos(time, 'x');
        now.hidden = left < 0 || left > plot.over.clientWidth;
        now.dataset.left = String(left);
        now.style.transform = `translateX(${left.toFixed(2)}px)`;
        // Beside the names stand the values of that time, unless somebody points elsewhere.
        if ((plot.cursor.left ?? -1) < 0) legend.show(plot, plot.valToIdx(time));
    }
}
