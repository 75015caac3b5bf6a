// Arrows and arcs to be stretched and bent.

import * as THREE from 'three';

/** An arrow along z of unit length whose shaft and head are stretched by aim. */
export function makeArrow(colour: string, width: number): THREE.Group {
    const material = new THREE.MeshBasicMaterial({ color: colour });
    const shaft = new THREE.Mesh(
        new THREE.CylinderGeometry(width, width, 1, 10).rotateX(Math.PI / 2),
        material,
    );
    const head = new THREE.Mesh(
        new THREE.ConeGeometry(2.6 * width, 7 * width, 16).rotateX(Math.PI / 2),
        material,
    );
    const arrow = new THREE.Group();
    arrow.add(shaft, head);
    arrow.renderOrder = 3;
    return arrow;
}

export function aim(
    arrow: THREE.Group,
    from: THREE.Vector3,
    along: THREE.Vector3,
    width: number,
): void {
    const length = along.length();
    const [shaft, head] = arrow.children;
    arrow.visible = length > 1e-9;
    if (!shaft || !head || !arrow.visible) return;
    const tip = Math.min(7 * width, 0.6 * length);
    arrow.position.copy(from);
    arrow.quaternion.setFromUnitVectors(
        new THREE.Vector3(0, 0, 1),
        along.clone().divideScalar(length),
    );
    shaft.scale.set(1, 1, Math.max(length - tip, 1e-9));
    shaft.position.set(0, 0, (length - tip) / 2);
    head.scale.setScalar(tip / (7 * width));
    head.position.set(0, 0, length - tip / 2);
}

/** Seen through bodies. */
export function onTop(object: THREE.Object3D): void {
    object.traverse((o) => {
        if (o instanceof THREE.Mesh && o.material instanceof THREE.MeshBasicMaterial)
            o.material.depthTest = false;
    });
}

/** An arc about z with a head at its end, to be bent. */
export function makeArc(colour: string, width: number): THREE.Group {
    const material = new THREE.MeshBasicMaterial({ color: colour });
    const arc = new THREE.Group();
    arc.add(
        new THREE.Mesh(new THREE.BufferGeometry(), material),
        new THREE.Mesh(new THREE.ConeGeometry(2.6 * width, 7 * width, 16), material),
    );
    return arc;
}

/** Three quarters of a turn are the largest moment; the sense is that of the moment. */
export function bend(
    arc: THREE.Group,
    from: THREE.Vector3,
    along: THREE.Vector3,
    radius: number,
    reach: number,
    width: number,
): void {
    const [ring, head] = arc.children;
    const size = along.length();
    arc.visible = size > 0.02 * reach;
    if (!(ring instanceof THREE.Mesh) || !head || !arc.visible) return;
    const angle = 1.5 * Math.PI * (size / reach);
    const old: unknown = arc.userData.angle;
    if (typeof old !== 'number' || Math.abs(old - angle) > 0.01) {
        ring.geometry.dispose();
        ring.geometry = new THREE.TorusGeometry(radius, width, 8, 40, angle);
        arc.userData.angle = angle;
    }
    head.position.set(radius * Math.cos(angle), radius * Math.sin(angle), 0);
    head.rotation.set(0, 0, angle);
    arc.position.copy(from);
    arc.quaternion.setFromUnitVectors(new THREE.Vector3(0, 0, 1), along.clone().divideScalar(size));
}
