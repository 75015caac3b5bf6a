// The library in the page: one robot, its posture, and what follows from it. web/wasm/live.c is the
// other side.

import make, { type LiveModule } from 'arne-live';
import code from 'arne-live-code';
import { bytesOf } from './data';
import type { Engine } from './kinematics';

/** The arrays of live.c, in its order. */
const ARRAYS = [
    'q',
    'poses',
    'gravity',
    'limit',
    'used',
    'mass',
    'active',
    'com',
    'manipulability',
] as const;
export type LiveArray = (typeof ARRAYS)[number];

export interface Label {
    readonly name: string;
    readonly unit: string;
}

let module: Promise<LiveModule> | null = null;

export const hasLive = make !== null;

function start(): Promise<LiveModule> {
    if (!make) return Promise.reject(new Error('This page does not carry the library.'));
    module ??= make({ wasmBinary: bytesOf(code) });
    return module;
}

function withText<T>(m: LiveModule, text: string, action: (pointer: number) => T): T {
    const room = m.lengthBytesUTF8(text) + 1;
    const pointer = m._malloc(room);
    m.stringToUTF8(text, pointer, room);
    try {
        return action(pointer);
    } finally {
        m._free(pointer);
    }
}

export interface LiveFile {
    /** Where it lies in the module's own file system. */
    readonly path: string;
    readonly data: string | Uint8Array;
}

const lines = (text: string) => text.split('\n').filter((l) => l !== '');

/** The lines of its message are mistakes in a file. */
export class Mistakes extends Error {}

export class Live implements Engine {
    readonly warnings: readonly string[];
    #m: LiveModule;
    #handle: number;

    private constructor(m: LiveModule, handle: number) {
        this.#m = m;
        this.#handle = handle;
        this.warnings = lines(m.UTF8ToString(m._live_warnings()));
    }

    /** Reads the robot in the first of these files; the others are its meshes. */
    static async open(files: readonly LiveFile[]): Promise<Live> {
        const m = await start();
        for (const f of files) {
            m.FS.mkdirTree(f.path.slice(0, f.path.lastIndexOf('/')) || '/');
            m.FS.writeFile(f.path, f.data);
        }
        const handle = withText(m, files[0]?.path ?? '', (p) => m._live_open(p));
        if (!handle) throw new Mistakes(m.UTF8ToString(m._live_mistakes()).trim());
        return new Live(m, handle);
    }

    close(): void {
        if (this.#handle) this.#m._live_close(this.#handle);
        this.#handle = 0;
    }

    /** The data block of its page. */
    scene(): string {
        return this.#m.UTF8ToString(this.#m._live_scene(this.#handle));
    }

    /** An array where it lies: it must be used before anything else is called. */
    array(name: LiveArray): Float64Array {
        const which = ARRAYS.indexOf(name);
        const start = this.#m._live_numbers(this.#handle, which) / Float64Array.BYTES_PER_ELEMENT;
        return this.#m.HEAPF64.subarray(start, start + this.#m._live_count(this.#handle, which));
    }

    labels(): Label[] {
        return [...this.array('gravity').keys()].map((v) => {
            const text = this.#m.UTF8ToString(this.#m._live_label(this.#handle, v));
            const tab = text.lastIndexOf('\t');
            return { name: text.slice(0, tab), unit: text.slice(tab + 1) };
        });
    }

    frame(name: string): number {
        return withText(this.#m, name, (p) => this.#m._live_find_frame(this.#handle, p));
    }

    choose(frame: number): void {
        this.#m._live_choose(this.#handle, frame);
    }

    pose(q: Float64Array, poses: Float64Array): boolean {
        this.array('q').set(q);
        const fine = this.#m._live_pose(this.#handle) === 0;
        q.set(this.array('q'));
        poses.set(this.array('poses'));
        return fine;
    }

    /** Finds the rest at the posture; what cannot be found is NaN, and the text says why. */
    update(): string {
        return this.#m._live_update(this.#handle) === 0
            ? ''
            : this.#m.UTF8ToString(this.#m._live_mistakes()).trim();
    }

    /** Brings a frame's origin to a place, or as near as it goes. Returns the distance left. */
    reach(q: Float64Array, frame: number, to: readonly [number, number, number]): number {
        this.array('q').set(q);
        const left = this.#m._live_reach(this.#handle, frame, ...to);
        q.set(this.array('q'));
        return left;
    }

    /** Microseconds of one call for the torques of gravity. */
    time(count: number): number {
        return this.#m._live_time(this.#handle, count);
    }
}
