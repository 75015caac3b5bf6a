// Handles at the ends of a robot: drag one, and the joints follow by inverse kinematics.

import * as THREE from 'three';
import type { Robot } from './data';
import { styleColour } from './dom';
import type { Kinematics } from './kinematics';
import type { Stage } from './stage';

/** For each end of the robot the frame that is nearest to it. */
export function endFrames(robot: Robot): number[] {
    const out: number[] = [];
    for (const tip of robot.tips) {
        let best = -1;
        let least = Number.POSITIVE_INFINITY;
        robot.frames.forEach((f, i) => {
            if (f.body !== tip.body) return;
            const distance = Math.hypot(
                f.at[0] - tip.at[0],
                f.at[1] - tip.at[1],
                f.at[2] - tip.at[2],
            );
            if (distance >= least) return;
            best = i;
            least = distance;
        });
        if (best >= 0 && !out.includes(best)) out.push(best);
    }
    const last = robot.frames.length - 1;
    return out.length || last < 0 ? out : [last];
}

export interface DragOptions {
    readonly stage: Stage;
    readonly kinematics: Kinematics;
    readonly frames: readonly number[];
    /** Brings a frame towards a place. */
    reach(frame: number, to: readonly [number, number, number]): void;
    chosen(frame: number): void;
}

export class Handles {
    #options: DragOptions;
    #spheres: THREE.Mesh[];
    #held = -1;
    #plane = new THREE.Plane();
    #ray = new THREE.Raycaster();

    constructor(options: DragOptions) {
        this.#options = options;
        const { stage } = options;
        const material = new THREE.MeshBasicMaterial({
            transparent: true,
            opacity: 0.75,
            depthTest: false,
        });
        material.color.set(styleColour('--mark'));
        const geometry = new THREE.SphereGeometry(0.022 * stage.size, 20, 14);
        this.#spheres = options.frames.map(() => new THREE.Mesh(geometry, material));
        for (const s of this.#spheres) {
            s.renderOrder = 5;
            stage.scene.add(s);
        }
        stage.beforeDraw(() => this.#place());
        // Before the controls of the camera, which listen to the same element.
        stage.canvas.addEventListener('pointerdown', (e) => this.#take(e), { capture: true });
        stage.canvas.addEventListener('pointermove', (e) => this.#move(e));
        for (const end of ['pointerup', 'pointercancel'] as const)
            stage.canvas.addEventListener(end, () => this.#release());
    }

    /** Where handle i is in the picture, in pixels of the page. */
    where(i: number): [number, number] {
        const { stage } = this.#options;
        const box = stage.canvas.getBoundingClientRect();
        const p = this.#spheres[i]?.position.clone().project(stage.camera) ?? new THREE.Vector3();
        return [box.left + ((p.x + 1) / 2) * box.width, box.top + ((1 - p.y) / 2) * box.height];
    }

    #place(): void {
        this.#spheres.forEach((s, i) => {
            const pose = this.#options.kinematics.frame(this.#options.frames[i] ?? -1);
            s.position.set(pose[0], pose[1], pose[2]);
        });
    }

    #aim(event: PointerEvent): void {
        const { canvas, camera } = this.#options.stage;
        const box = canvas.getBoundingClientRect();
        const x = (2 * (event.clientX - box.left)) / box.width - 1;
        const y = 1 - (2 * (event.clientY - box.top)) / box.height;
        this.#ray.setFromCamera(new THREE.Vector2(x, y), camera);
    }

    #take(event: PointerEvent): void {
        const { stage, frames } = this.#options;
        if (event.button !== 0) return;
        this.#aim(event);
        // A finger is wider than a handle.
        const reach = (event.pointerType === 'touch' ? 0.07 : 0.035) * stage.size;
        const near = this.#spheres
            .map((s, i) => ({ i, off: this.#ray.ray.distanceToPoint(s.position) }))
            .filter((c) => c.off < reach)
            .sort((a, b) => a.off - b.off)[0];
        if (!near) return;
        this.#held = near.i;
        event.stopImmediatePropagation();
        event.preventDefault();
        stage.canvas.setPointerCapture(event.pointerId);
        const toward = stage.camera.getWorldDirection(new THREE.Vector3());
        this.#plane.setFromNormalAndCoplanarPoint(
            toward,
            this.#spheres[near.i]?.position ?? new THREE.Vector3(),
        );
        this.#options.chosen(frames[near.i] ?? -1);
    }

    #move(event: PointerEvent): void {
        if (this.#held < 0) return;
        this.#aim(event);
        const to = this.#ray.ray.intersectPlane(this.#plane, new THREE.Vector3());
        if (to) this.#options.reach(this.#options.frames[this.#held] ?? -1, [to.x, to.y, to.z]);
    }

    #release(): void {
        this.#held = -1;
    }
}
