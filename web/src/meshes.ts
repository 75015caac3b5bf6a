// Meshes of robots' files: STL, OBJ with its colours, Collada, glTF. Only the bundle for pages with
// meshes has the readers.

import * as THREE from 'three';
import { ColladaLoader } from 'three/addons/loaders/ColladaLoader.js';
import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';
import { MTLLoader } from 'three/addons/loaders/MTLLoader.js';
import { OBJLoader } from 'three/addons/loaders/OBJLoader.js';
import { STLLoader } from 'three/addons/loaders/STLLoader.js';
import { bytesOf, type MeshFile, type Solid } from './data';

/** Set by the build. */
declare const WITH_MESHES: boolean;

const textOf = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

/** Pictures beside a file are not in the page: what would ask for them is taken out. */
function withoutPictures(collada: string): string {
    return collada
        .replace(/<library_images[\s\S]*?<\/library_images>/g, '')
        .replace(/<texture [^>]*\/>|<texture [\s\S]*?<\/texture>/g, '<color>0.8 0.8 0.8 1</color>');
}

/** The reader of Collada tells the console about versions and axes. */
function silently<T>(action: () => T): T {
    const { log, warn, debug } = console;
    console.log = console.warn = console.debug = () => undefined;
    try {
        return action();
    } finally {
        Object.assign(console, { log, warn, debug });
    }
}

/** What the program makes of STL files: places in whole steps, and the three corners of each
 * triangle. */
function unpacked(bytes: Uint8Array): THREE.BufferGeometry {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const corners = view.getUint32(0, true);
    const triangles = view.getUint32(4, true);
    const wide = corners > 65536;
    const places = 32;
    const indices = places + 6 * corners;
    const position = new Float32Array(9 * triangles);
    for (let i = 0; i < 3 * triangles; i++) {
        const corner = wide
            ? view.getUint32(indices + 4 * i, true)
            : view.getUint16(indices + 2 * i, true);
        for (let k = 0; k < 3; k++) {
            const step = view.getUint16(places + 6 * corner + 2 * k, true);
            position[3 * i + k] =
                view.getFloat32(8 + 4 * k, true) + step * view.getFloat32(20 + 4 * k, true);
        }
    }
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute('position', new THREE.BufferAttribute(position, 3));
    return geometry;
}

async function parse(file: MeshFile, plain: THREE.Material): Promise<THREE.Object3D> {
    const bytes = bytesOf(file.data);
    switch (file.format) {
        case 'packed':
        case 'stl': {
            const geometry =
                file.format === 'stl' ? new STLLoader().parse(bytes.buffer) : unpacked(bytes);
            geometry.computeVertexNormals(); // many files have none
            return new THREE.Mesh(geometry, plain);
        }
        case 'obj': {
            const loader = new OBJLoader();
            if (file.material) {
                const text = textOf(bytesOf(file.material)).replace(/^\s*map_.*$/gm, '');
                const materials = new MTLLoader().parse(text, '');
                materials.preload();
                loader.setMaterials(materials);
            }
            const group = loader.parse(textOf(bytes));
            if (!file.material) paint(group, plain);
            return group;
        }
        case 'dae': {
            const { scene } =
                silently(() => new ColladaLoader().parse(withoutPictures(textOf(bytes)), '')) ?? {};
            if (!scene) throw new Error('no scene');
            // Frames of links are the robot's; only the unit of the file counts.
            scene.position.set(0, 0, 0);
            scene.quaternion.identity();
            return scene;
        }
        case 'gltf':
        case 'glb': {
            const { scene } = await new GLTFLoader().parseAsync(bytes.buffer, '');
            return scene;
        }
    }
}

function paint(object: THREE.Object3D, material: THREE.Material): void {
    object.traverse((o) => {
        if (o instanceof THREE.Mesh) o.material = material;
    });
}

const isLight = (o: THREE.Object3D) => o instanceof THREE.Light || o instanceof THREE.Camera;

/** The mesh of a solid, in its place; null where it cannot be read. */
export async function loadMesh(
    s: Solid,
    file: MeshFile,
    plain: THREE.Material,
    ghost: THREE.Material | null,
): Promise<THREE.Object3D | null> {
    return WITH_MESHES ? place(s, file, plain, ghost) : null;
}

async function place(
    s: Solid,
    file: MeshFile,
    plain: THREE.Material,
    ghost: THREE.Material | null,
): Promise<THREE.Object3D | null> {
    try {
        const object = await parse(file, plain);
        const holder = new THREE.Group();
        const unwanted: THREE.Object3D[] = [];
        object.traverse((o) => {
            if (isLight(o)) unwanted.push(o);
            if (!(o instanceof THREE.Mesh)) return;
            o.castShadow = !ghost;
            o.receiveShadow = !ghost;
            if (ghost) o.material = ghost;
            else if (Array.isArray(o.material))
                for (const m of o.material) m.side = THREE.DoubleSide;
            else o.material.side = THREE.DoubleSide;
        });
        for (const o of unwanted) o.removeFromParent();
        holder.add(object);
        holder.scale.set(...s.size);
        holder.position.set(s.at[0], s.at[1], s.at[2]);
        holder.quaternion.set(s.at[3], s.at[4], s.at[5], s.at[6]);
        return holder;
    } catch {
        return null;
    }
}
