// The library as a module of WebAssembly: what emscripten makes of web/wasm, and the bytes of its
// code. Bundles without it get web/src/no-live.ts in its place.
declare module 'arne-live' {
    export interface LiveModule {
        readonly HEAPF64: Float64Array;
        readonly FS: {
            mkdirTree(path: string): void;
            writeFile(path: string, data: string | Uint8Array): void;
        };
        UTF8ToString(pointer: number): string;
        stringToUTF8(text: string, pointer: number, room: number): void;
        lengthBytesUTF8(text: string): number;
        _malloc(size: number): number;
        _free(pointer: number): void;
        _live_open(path: number): number;
        _live_close(live: number): void;
        _live_mistakes(): number;
        _live_warnings(): number;
        _live_scene(live: number): number;
        _live_numbers(live: number, which: number): number;
        _live_count(live: number, which: number): number;
        _live_find_frame(live: number, name: number): number;
        _live_label(live: number, velocity: number): number;
        _live_choose(live: number, frame: number): void;
        _live_pose(live: number): number;
        _live_update(live: number): number;
        _live_reach(live: number, frame: number, x: number, y: number, z: number): number;
        _live_time(live: number, count: number): number;
    }
    const make: ((options: { wasmBinary: Uint8Array }) => Promise<LiveModule>) | null;
    export default make;
}
declare module 'arne-live-code' {
    /** Base64. */
    const code: string;
    export default code;
}
