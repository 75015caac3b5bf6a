// The bodies of a robot as they are drawn, and what is asked about them: how large, which side is
// which.

import * as THREE from 'three';
import type { Robot, Vec3 } from './data';
import { element, styleColour } from './dom';
import { loadMesh } from './meshes';
import { at, type Numbers, POSE, place } from './pose';
import { geometryOf, type Materials } from './solids';

interface Rod {
    readonly mesh: THREE.Mesh;
    readonly from: number;
    readonly to: number;
    readonly near: Vec3;
    readonly far: Vec3;
    readonly muscle: number;
}

/** Of a muscle that rests, and of one that pulls with all it has. */
export const RESTING = new THREE.Color('#2f4fb5');
export const ACTIVE = new THREE.Color('#d3201f');

export const vector = (v: Vec3) => new THREE.Vector3(...v);

/** The bodies of one robot. */
export class Figure {
    readonly robot: Robot;
    readonly group = new THREE.Group();
    readonly bodies: THREE.Group[];
    readonly poses: Float64Array;
    #rods: Rod[] = [];
    /** How many meshes are shown. */
    given = 0;
    #materials: Materials;
    #ghost: THREE.Material | null;

    constructor(robot: Robot, materials: Materials, ghost: THREE.Material | null) {
        this.robot = robot;
        this.#materials = materials;
        this.#ghost = ghost;
        this.bodies = robot.bodies.map(() => new THREE.Group());
        this.poses = new Float64Array(POSE * robot.bodies.length);
        this.group.add(...this.bodies);
        for (const s of robot.solids) {
            if (s.kind === 'mesh') continue;
            const own = s.colour && !ghost ? ownMaterial(s.colour) : null;
            const mesh = new THREE.Mesh(geometryOf(s), ghost ?? own ?? materials[s.tone]);
            mesh.castShadow = !ghost;
            mesh.receiveShadow = !ghost;
            if (s.kind === 'rod' && s.other !== undefined && s.far) {
                this.group.add(mesh);
                this.#rods.push({
                    mesh,
                    from: s.body,
                    to: s.other,
                    near: [s.at[0], s.at[1], s.at[2]],
                    far: s.far,
                    muscle: s.muscle ?? -1,
                });
                continue;
            }
            mesh.position.set(s.at[0], s.at[1], s.at[2]);
            mesh.quaternion.set(s.at[3], s.at[4], s.at[5], s.at[6]);
            this.bodies[s.body]?.add(mesh);
        }
    }

    /** Adds the meshes of the robot's file. */
    async load(): Promise<void> {
        await Promise.all(
            this.robot.solids.map(async (s) => {
                const file = s.kind === 'mesh' ? this.robot.meshes[s.mesh ?? -1] : undefined;
                if (!file) return;
                const plain = s.colour ? ownMaterial(s.colour) : this.#materials[s.tone];
                const mesh = await loadMesh(s, file, plain, this.#ghost);
                if (!mesh) return;
                this.given++;
                this.bodies[s.body]?.add(mesh);
            }),
        );
    }

    /** Puts the bodies where seven numbers for each say, from `start` on. */
    pose(poses: Numbers, start = 0): void {
        for (let i = 0; i < this.poses.length; i++) this.poses[i] = at(poses, start + i);
        this.bodies.forEach((body, i) => {
            const k = POSE * i;
            body.position.set(at(this.poses, k), at(this.poses, k + 1), at(this.poses, k + 2));
            body.quaternion.set(
                at(this.poses, k + 3),
                at(this.poses, k + 4),
                at(this.poses, k + 5),
                at(this.poses, k + 6),
            );
        });
        for (const rod of this.#rods) {
            const from = vector(this.point(rod.from, rod.near));
            const to = vector(this.point(rod.to, rod.far));
            const d = to.clone().sub(from);
            const length = d.length();
            rod.mesh.visible = length > 1e-9;
            rod.mesh.position.copy(from);
            rod.mesh.scale.set(1, 1, Math.max(length, 1e-9));
            if (length > 1e-9)
                rod.mesh.quaternion.setFromUnitVectors(
                    new THREE.Vector3(0, 0, 1),
                    d.divideScalar(length),
                );
        }
    }

    /** Colours muscles by what `activation` gives for the number of each; not a number: as it is. */
    activate(activation: (muscle: number) => number): void {
        for (const rod of this.#rods) {
            const a = rod.muscle < 0 ? Number.NaN : activation(rod.muscle);
            const { material } = rod.mesh;
            if (Number.isNaN(a) || !(material instanceof THREE.MeshPhongMaterial)) continue;
            material.color.lerpColors(RESTING, ACTIVE, Math.min(1, Math.max(0, a)));
        }
    }

    point(body: number, p: Vec3): [number, number, number] {
        return place(this.poses, POSE * body, p);
    }

    /** Lets one body stand out; -1: none. */
    highlight(index: number): void {
        this.bodies.forEach((body, i) => {
            body.traverse((o) => {
                if (!(o instanceof THREE.Mesh)) return;
                const keep: unknown = o.userData.material;
                if (i === index && !(keep instanceof THREE.Material)) {
                    o.userData.material = o.material;
                    const bright = (o.material as THREE.MeshPhongMaterial).clone();
                    bright.emissive?.set(styleColour('--mark')).multiplyScalar(0.45);
                    o.material = bright;
                } else if (i !== index && keep instanceof THREE.Material) {
                    (o.material as THREE.Material).dispose();
                    o.material = keep;
                    delete o.userData.material;
                }
            });
        });
    }
}

function ownMaterial(rgba: readonly [number, number, number, number]): THREE.MeshPhongMaterial {
    const material = new THREE.MeshPhongMaterial({
        shininess: 42,
        specular: 0x2c2c2c,
        side: THREE.DoubleSide,
    });
    material.color.setRGB(rgba[0], rgba[1], rgba[2], THREE.SRGBColorSpace);
    if (rgba[3] < 1) {
        material.transparent = true;
        material.opacity = rgba[3];
    }
    return material;
}

/** The box around figures as they stand. */
export function boundsOf(figures: readonly Figure[]): THREE.Box3 {
    const box = new THREE.Box3();
    for (const f of figures) {
        f.group.updateMatrixWorld(true);
        box.expandByObject(f.group);
    }
    if (box.isEmpty())
        box.set(new THREE.Vector3(-0.5, -0.5, -0.5), new THREE.Vector3(0.5, 0.5, 0.5));
    return box;
}

/** The height of the floor: below what the robot stands on. */
export function groundOf(figure: Figure): number | null {
    const { view, bodies } = figure.robot;
    if (view.ground === null) return null;
    let ground = view.ground;
    bodies.forEach((b, i) => {
        if (i > 0 && b.parent > 0) return;
        const box = new THREE.Box3();
        const group = figure.bodies[i];
        if (!group) return;
        group.updateMatrixWorld(true);
        box.expandByObject(group);
        if (box.isEmpty()) return;
        const low = Math.min(box.min.dot(vector(view.up)), box.max.dot(vector(view.up)));
        const reach = box.getSize(new THREE.Vector3()).length();
        if (low > ground - reach) ground = Math.min(ground, low);
    });
    return ground;
}

/** Says which colour is left, where a robot has sides. */
export function addSides(figure: Figure, host: HTMLElement): void {
    if (!figure.robot.solids.some((s) => s.tone === 'left')) return;
    const note = element('p', { class: 'sides' });
    for (const tone of ['left', 'right']) {
        const key = element('i');
        key.style.background = `var(--solid-${tone})`;
        note.append(key, tone);
    }
    host.append(note);
}

/** Where to look from at one that has a left and a right: from the front. Null for others. */
export function frontOf(figure: Figure): THREE.Vector3 | null {
    const sides = { left: new THREE.Vector3(), right: new THREE.Vector3() };
    const count = { left: 0, right: 0 };
    for (const s of figure.robot.solids) {
        if (s.tone !== 'left' && s.tone !== 'right') continue;
        sides[s.tone].add(vector(figure.point(s.body, [s.at[0], s.at[1], s.at[2]])));
        count[s.tone]++;
    }
    if (!count.left || !count.right) return null;
    const left = sides.left
        .divideScalar(count.left)
        .sub(sides.right.divideScalar(count.right))
        .normalize();
    const up = vector(figure.robot.view.up);
    return new THREE.Vector3()
        .crossVectors(left, up)
        .addScaledVector(left, 0.6)
        .addScaledVector(up, 0.3);
}
