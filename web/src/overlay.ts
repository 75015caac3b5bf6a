// Something that is drawn over the bodies while its button is pressed.

import type * as THREE from 'three';
import type { Motion, Trace } from './data';
import type { Stage } from './stage';

export interface Overlay {
    readonly name: string;
    readonly title: string;
    readonly on: boolean;
    show(on: boolean): void;
}

/** What overlays of a run need to know of its time. */
export interface Moving {
    readonly motion: Motion;
    readonly traces: readonly Trace[];
    /** The place between two frames, and the first of them, for the time that is shown. */
    now(): { readonly frame: number; readonly part: number };
}

export function overlay(
    stage: Stage,
    name: string,
    title: string,
    group: THREE.Object3D,
    more?: (on: boolean) => void,
): Overlay {
    group.visible = false;
    stage.scene.add(group);
    return {
        name,
        title,
        on: false,
        show: (on) => {
            group.visible = on;
            more?.(on);
            stage.draw();
        },
    };
}
