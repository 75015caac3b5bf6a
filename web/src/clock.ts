// The one time of a page: views and plots listen to it.

export type Listener = (time: number, playing: boolean) => void;

export class Clock {
    readonly start: number;
    readonly end: number;
    speed = 1;
    loop: boolean;
    #time: number;
    #playing = false;
    #listeners: Listener[] = [];
    #last: number | null = null;

    constructor(start: number, end: number, loop: boolean) {
        this.start = start;
        this.end = end;
        this.loop = loop;
        this.#time = start;
    }

    get time(): number {
        return this.#time;
    }

    get playing(): boolean {
        return this.#playing;
    }

    get moves(): boolean {
        return this.end > this.start;
    }

    listen(listener: Listener): void {
        this.#listeners.push(listener);
        listener(this.#time, this.#playing);
    }

    seek(time: number): void {
        this.#time = Math.min(this.end, Math.max(this.start, time));
        this.#tell();
    }

    play(on: boolean): void {
        if (on === this.#playing || !this.moves) return;
        this.#playing = on;
        if (on && this.#time >= this.end) this.#time = this.start;
        this.#last = null;
        this.#tell();
        if (on) requestAnimationFrame(this.#step);
    }

    #step = (stamp: number): void => {
        if (!this.#playing) return;
        const passed = this.#last === null ? 0 : Math.min((stamp - this.#last) / 1000, 0.25);
        this.#last = stamp;
        const next = this.#time + passed * this.speed;
        const length = this.end - this.start;
        if (next < this.end) {
            this.#time = next;
        } else if (this.loop) {
            this.#time = this.start + ((next - this.start) % length);
        } else {
            this.#time = this.end;
            this.#playing = false;
        }
        this.#tell();
        if (this.#playing) requestAnimationFrame(this.#step);
    };

    #tell(): void {
        for (const listener of this.#listeners) listener(this.#time, this.#playing);
    }
}
