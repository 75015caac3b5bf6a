// Geometry of the solids in a data block, in metres, along z as the block has them.

import * as THREE from 'three';
import { RoundedBoxGeometry } from 'three/addons/geometries/RoundedBoxGeometry.js';
import type { Solid, Tone, Vec3 } from './data';
import { styleColour } from './dom';

/** A cylinder along z whose edges are broken, so that light finds them. */
function drum(radius: number, length: number): THREE.BufferGeometry {
    const bevel = Math.min(0.12 * radius, 0.2 * length);
    const half = length / 2;
    const profile = [
        [0, -half],
        [radius - bevel, -half],
        [radius - 0.3 * bevel, -half + 0.3 * bevel],
        [radius, -half + bevel],
        [radius, half - bevel],
        [radius - 0.3 * bevel, half - 0.3 * bevel],
        [radius - bevel, half],
        [0, half],
    ] as const;
    const points = profile.map(([x, y]) => new THREE.Vector2(x, y));
    return new THREE.LatheGeometry(points, 36).rotateX(Math.PI / 2);
}

/** A slab of some thickness over corners that go around it. */
function slab(corners: readonly Vec3[], thickness: number): THREE.BufferGeometry {
    const points = corners.map((c) => new THREE.Vector3(...c));
    const centre = points
        .reduce((sum, p) => sum.add(p), new THREE.Vector3())
        .divideScalar(points.length);
    const normal = new THREE.Vector3();
    points.forEach((p, i) => {
        const next = points[(i + 1) % points.length] ?? p;
        normal.add(
            new THREE.Vector3().crossVectors(p.clone().sub(centre), next.clone().sub(centre)),
        );
    });
    if (normal.lengthSq() === 0) return new THREE.BufferGeometry();
    normal.normalize().multiplyScalar(thickness / 2);
    const position: number[] = [];
    const triangle = (...v: THREE.Vector3[]) => {
        for (const p of v) position.push(p.x, p.y, p.z);
    };
    points.forEach((p, i) => {
        const q = points[(i + 1) % points.length] ?? p;
        const [a, b, c] = [p, q, centre].map((v) => v.clone().add(normal)) as [
            THREE.Vector3,
            THREE.Vector3,
            THREE.Vector3,
        ];
        const [d, e, f] = [p, q, centre].map((v) => v.clone().sub(normal)) as [
            THREE.Vector3,
            THREE.Vector3,
            THREE.Vector3,
        ];
        triangle(a, b, c);
        triangle(e, d, f);
        triangle(a, d, b);
        triangle(b, d, e);
    });
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute('position', new THREE.Float32BufferAttribute(position, 3));
    geometry.computeVertexNormals();
    return geometry;
}

function smallest(size: Vec3): number {
    return Math.min(...size);
}

/** A sphere that fills more of its box: bodies that stand on each other then meet without a waist.
 * */
function pillow(a: number, b: number, c: number): THREE.BufferGeometry {
    const geometry = new THREE.SphereGeometry(1, 36, 24);
    const p = geometry.getAttribute('position');
    for (let i = 0; i < p.count; i++) {
        const [x, y, z] = [p.getX(i), p.getY(i), p.getZ(i)];
        const n = (Math.abs(x) ** 2.9 + Math.abs(y) ** 2.9 + Math.abs(z) ** 2.9) ** (-1 / 2.9);
        p.setXYZ(i, n * x, n * y, n * z);
    }
    geometry.scale(0.95 * a, 0.95 * b, 0.95 * c);
    geometry.computeVertexNormals();
    return geometry;
}

/** Rods are of unit length along z from their origin: the stage stretches them. */
export function geometryOf(s: Solid): THREE.BufferGeometry {
    const [a, b, c] = s.size;
    switch (s.kind) {
        case 'capsule':
            return new THREE.CapsuleGeometry(a, b, 8, 24).rotateX(Math.PI / 2);
        case 'cylinder':
            return drum(a, b);
        case 'box':
            return new RoundedBoxGeometry(a, b, c, 3, 0.12 * smallest(s.size));
        case 'ellipsoid':
            return a === b && b === c ? new THREE.SphereGeometry(a, 32, 20) : pillow(a, b, c);
        case 'plate':
            return slab(s.corners ?? [], a);
        case 'rod':
            return new THREE.CylinderGeometry(a, a, 1, 20)
                .rotateX(Math.PI / 2)
                .translate(0, 0, 0.5);
        case 'mesh':
            return new THREE.BufferGeometry();
    }
}

export type Materials = Readonly<Record<Tone, THREE.MeshPhongMaterial>>;

export function makeMaterials(): Materials {
    const make = () =>
        new THREE.MeshPhongMaterial({ shininess: 42, specular: 0x2c2c2c, side: THREE.DoubleSide });
    const all = {
        link: make(),
        joint: make(),
        base: make(),
        slide: make(),
        left: make(),
        right: make(),
    };
    colour(all);
    return all;
}

/** Takes the colours of the page's style, which may just have become dark. */
export function colour(materials: Materials): void {
    for (const [tone, material] of Object.entries(materials))
        material.color.set(styleColour(`--solid-${tone}`));
}
