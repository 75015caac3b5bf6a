// The data block of a page: what src/report/scene.c and plot_block.c write, and the only place that
// reads it.

export type Vec3 = readonly [number, number, number];
/** x, y, z and the unit quaternion x, y, z, w. */
export type Pose = readonly [number, number, number, number, number, number, number];
export type JointKind =
    | 'base'
    | 'fixed'
    | 'revolute'
    | 'continuous'
    | 'prismatic'
    | 'helical'
    | 'ball'
    | 'universal'
    | 'planar'
    | 'free'
    | 'strain'
    | 'exponential';
export type LoopKind =
    | 'fixed'
    | 'revolute'
    | 'prismatic'
    | 'universal'
    | 'ball'
    | 'planar_point'
    | 'rod';
export type Tone = 'link' | 'joint' | 'base' | 'slide' | 'left' | 'right';

export interface Body {
    readonly parent: number;
    readonly kind: JointKind;
    /** Where its coordinates start in those of the tree. */
    readonly q: number;
    readonly pitch?: number;
    readonly at?: Pose;
    readonly mass?: number;
    readonly spread?: Vec3;
    readonly cloud?: Pose;
}

export interface Joint {
    readonly name: string;
    readonly kind: JointKind;
    readonly body: number;
    readonly q: number;
    readonly count: number;
    readonly v: number;
    readonly passive: boolean;
    readonly lower: number | null;
    readonly upper: number | null;
    readonly effort: number | null;
    readonly unit: string;
    readonly mimic?: number;
}

export interface Frame {
    readonly name: string;
    readonly body: number;
    /** A link with mass, not a sensor or a tool's point. */
    readonly heavy: boolean;
    readonly at: Pose;
}

export interface Loop {
    readonly kind: LoopKind;
    readonly bodies: readonly [number, number];
    readonly at: readonly [Pose, Pose];
    readonly length: number | null;
}

export interface Solid {
    readonly kind: 'capsule' | 'cylinder' | 'box' | 'ellipsoid' | 'plate' | 'rod' | 'mesh';
    readonly tone: Tone;
    readonly body: number;
    readonly at: Pose;
    readonly size: Vec3;
    readonly other?: number;
    readonly far?: Vec3;
    readonly corners?: readonly Vec3[];
    /** Red, green, blue, opacity from 0 to 1, where the robot's file has a colour. */
    readonly colour?: readonly [number, number, number, number];
    readonly mesh?: number;
    /** Of a rod: the number of the muscle that it is part of. */
    readonly muscle?: number;
}

export interface MeshFile {
    readonly name: string;
    readonly format: 'packed' | 'stl' | 'obj' | 'dae' | 'gltf' | 'glb';
    readonly data: string;
    /** Of an OBJ: the file of its colours. */
    readonly material?: string;
}

export interface View {
    readonly turn: number;
    readonly raise: number;
    /** The body that the camera moves with, or -1. */
    readonly follow: number;
    readonly up: Vec3;
    readonly right: Vec3;
    readonly ground: number | null;
}

/** A polynomial c0, c1, ...; amplitude, frequency, phase and offset of a sine; pieces of five after
 * period and start. */
export interface Stage {
    readonly form: 'polynomial' | 'sine' | 'pieces';
    readonly numbers: readonly number[];
}

/** factor times functions, one of the other, of a coordinate, or times it and another one (times,
 * else -1). */
export interface Bend {
    readonly q: number;
    readonly from: number;
    readonly times: number;
    readonly factor: number;
    readonly stages: readonly Stage[];
}

/** The exponential of a twist, which strains make up: see docs/theory/rods.md. Columns: from,
 * strain, two weights. */
export interface Exponent {
    readonly q: number;
    readonly length: number;
    readonly rest: readonly [readonly number[], readonly number[]];
    readonly columns: readonly (readonly [number, number, number, number])[];
}

export interface Robot {
    readonly name: string;
    readonly base: number;
    readonly gravity: Vec3;
    readonly q: readonly number[];
    readonly bodies: readonly Body[];
    /** Coordinates of the tree as [offset, from, ratio, from, ratio, ...] of the user's; empty
     * where they are the same. */
    readonly tree: readonly (readonly number[])[];
    /** What coordinates of the tree take up besides, by functions or as products. */
    readonly bends: readonly Bend[];
    /** Seven coordinates each, of bodies of the kind free. */
    readonly exponents?: readonly Exponent[];
    readonly joints: readonly Joint[];
    readonly frames: readonly Frame[];
    readonly loops: readonly Loop[];
    readonly solids: readonly Solid[];
    readonly tips: readonly { readonly body: number; readonly at: Vec3 }[];
    readonly view: View;
    readonly meshes: readonly MeshFile[];
}

/** How bodies move: poses of all bodies for each time, seven numbers each. */
export interface Motion {
    readonly name: string;
    /** Which of the page's robots moves so. */
    readonly robot: number;
    readonly ghost: boolean;
    readonly times: Float32Array;
    readonly poses: Float32Array;
    readonly coms: Float32Array;
    /** Of all muscles for each time, from 0 to 1; not a number where it is not known. */
    readonly activations?: Float32Array;
}

/** An arrow or a point over time: three numbers for each sample, six in the world: a place and a
 * vector. */
export interface Trace {
    readonly name: string;
    readonly kind: 'force' | 'moment' | 'point' | 'polygon';
    readonly group: string;
    /** Where it acts: of a body, or in the world where that is -1. */
    readonly body: number;
    /** One sample for so many frames of the motion. */
    readonly every: number;
    readonly values: Float32Array;
}

export interface PlotLine {
    readonly name: string;
    readonly column: number;
    readonly colour: number;
    readonly reference: boolean;
    readonly low: number | null;
    readonly high: number | null;
}

export interface PlotSpec {
    readonly title: string;
    readonly x: number;
    readonly xLabel: string;
    readonly yLabel: string;
    /** What its columns' names start with. */
    readonly kind: string;
    readonly time: boolean;
    readonly small: boolean;
    readonly lines: readonly PlotLine[];
    readonly band?: readonly [number, number];
    readonly bandName?: string;
}

/** A moment that matters, such as the worst of a constraint. */
export interface Mark {
    readonly time: number;
    /** Under the plot; empty where an earlier mark says it. */
    readonly text: string;
    /** The kind of the plots it stands in. */
    readonly kind: string;
}

export interface PageData {
    readonly kind: 'robot' | 'run';
    readonly robots: readonly Robot[];
    readonly motions: readonly Motion[];
    readonly traces: readonly Trace[];
    readonly columns: readonly Float32Array[];
    /** Null where the page has a drawing instead. */
    readonly plots: readonly (PlotSpec | null)[];
    readonly marks: readonly Mark[];
    readonly cycle: boolean;
    /** The robot as a file, for pages that compute. */
    readonly live: string | null;
}

interface RawMotion extends Omit<Motion, 'times' | 'poses' | 'coms' | 'activations'> {
    readonly times: string;
    readonly poses: string;
    readonly coms: string;
    readonly activations?: string;
}

interface RawPage {
    readonly version: number;
    readonly kind: 'robot' | 'run';
    readonly robots: readonly Robot[];
    readonly motions?: readonly RawMotion[];
    readonly traces?: readonly (Omit<Trace, 'values'> & { readonly values: string })[];
    readonly columns?: readonly string[];
    readonly plots?: readonly (PlotSpec | null)[];
    readonly marks?: readonly Mark[];
    readonly cycle?: boolean;
    /** Base64 of its text. */
    readonly live?: string;
}

const VERSION = 1;

export function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
    const text = atob(base64);
    const bytes = new Uint8Array(text.length);
    for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
    return bytes;
}

/** Packed float32, low byte first. */
export function floatsOf(base64: string): Float32Array {
    const bytes = bytesOf(base64);
    const view = new DataView(bytes.buffer);
    const out = new Float32Array(bytes.length >> 2);
    for (let i = 0; i < out.length; i++) out[i] = view.getFloat32(4 * i, true);
    return out;
}

function isPage(value: unknown): value is RawPage {
    return (
        typeof value === 'object' &&
        value !== null &&
        'version' in value &&
        value.version === VERSION &&
        'robots' in value &&
        Array.isArray(value.robots)
    );
}

/** What a text holds that is a data block; null where it is none. */
export function parsePage(text: string): PageData | null {
    const raw: unknown = JSON.parse(text);
    if (!isPage(raw)) return null;
    return {
        kind: raw.kind,
        robots: raw.robots,
        motions: (raw.motions ?? []).map(({ activations, ...m }) => ({
            ...m,
            times: floatsOf(m.times),
            poses: floatsOf(m.poses),
            coms: floatsOf(m.coms),
            ...(activations && { activations: floatsOf(activations) }),
        })),
        traces: (raw.traces ?? []).map((t) => ({ ...t, values: floatsOf(t.values) })),
        columns: (raw.columns ?? []).map(floatsOf),
        plots: raw.plots ?? [],
        marks: raw.marks ?? [],
        cycle: raw.cycle ?? false,
        live: raw.live ? new TextDecoder().decode(bytesOf(raw.live)) : null,
    };
}

/** The block of this page; null where there is none. */
export function readPage(): PageData | null {
    const text = document.getElementById('arne-data')?.textContent;
    return text ? parsePage(text) : null;
}
