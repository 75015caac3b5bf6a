// What tests ask a page in a browser, and what moves the robot of a page that follows a program.

import type { Pose } from './data';
import type { Label, LiveArray } from './live';

export interface Hook {
    /** Moves a joint as its slider does. */
    move?(joint: string, value: number, coordinate?: number): boolean;
    /** Where a frame is in the world. */
    frame?(name: string): Pose | null;
    seek?(time: number): void;
    time?(): number;
    /** The cursors of all plots over time. */
    plotTimes?(): number[];
    /** Milliseconds of one picture, drawn `count` times. */
    frameTime?(count: number): number;
    q?(): number[];
    /** Takes all positions at once: those of a robot that moves elsewhere. */
    pose?(q: readonly number[]): void;
    /** How many meshes of the robot's file are shown. */
    solids?(): number;
    /** Picks the body of a link as a click does, and what is then shown. */
    pick?(link: string): string;
    picked?(): string;
    /** Shows a part of the time in all plots over time. */
    zoom?(from: number, to: number): void;
    /** The times that plots over time show. */
    zoomed?(): [number, number][];
    /** Of a page that computes: its arrays, what velocities are called, where handles are, inverse
     * kinematics. */
    live?(name: LiveArray): number[];
    labels?(): Label[];
    handle?(index: number): { frame: string; at: [number, number] };
    reach?(frame: string, to: readonly [number, number, number]): number;
    /** Microseconds of one call. */
    callTime?(count: number): number;
    /** The playground has started. */
    ready?(): boolean;
    /** How many colours the picture has, and a number that changes with it. */
    inspect?(): { colours: number; hash: number };
}

declare global {
    interface Window {
        arne?: Hook;
    }
}

export function addHook(part: Hook): void {
    window.arne = { ...window.arne, ...part };
}
