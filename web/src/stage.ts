// The view: bodies of one robot or several, a camera that people turn, and pictures drawn only when
// something changed.

import * as THREE from 'three';
import { OrbitControls } from 'three/addons/controls/OrbitControls.js';
import type { Robot } from './data';
import { onTheme, styleColour } from './dom';
import { type Figure, vector } from './figure';
import { colour, type Materials } from './solids';

const at3 = (bytes: Uint8Array, i: number) => bytes[i] ?? 0;

export interface StageOptions {
    readonly materials: Materials;
    readonly label: string;
    /** Boxes that the first picture should hold. */
    readonly bounds: THREE.Box3;
    /** The height of the floor; null: there is none. */
    readonly ground: number | null;
}

/** 1, 2 or 5 times a power of ten. */
export function niceStep(size: number): number {
    const power = 10 ** Math.floor(Math.log10(size));
    const digit = size / power;
    return power * (digit <= 1 ? 1 : digit <= 2 ? 2 : digit <= 5 ? 5 : 10);
}

function cornersOf(box: THREE.Box3): THREE.Vector3[] {
    const { min, max } = box;
    const along = (i: number) =>
        [i & 1 ? max.x : min.x, i & 2 ? max.y : min.y, i & 4 ? max.z : min.z] as const;
    return [0, 1, 2, 3, 4, 5, 6, 7].map((i) => new THREE.Vector3(...along(i)));
}

export class Stage {
    readonly scene = new THREE.Scene();
    readonly camera = new THREE.PerspectiveCamera(28, 1.6, 0.01, 1000);
    readonly canvas: HTMLCanvasElement;
    readonly materials: Materials;
    readonly figures: Figure[] = [];
    readonly size: number;
    readonly up: THREE.Vector3;
    frameTime = 0;
    #renderer: THREE.WebGLRenderer;
    #controls: OrbitControls;
    #floor = new THREE.Group();
    #sun = new THREE.DirectionalLight(0xffffff, 1.9);
    #fill = new THREE.DirectionalLight(0xeaf2ff, 0.75);
    #sky = new THREE.HemisphereLight(0xffffff, 0xa5a29c, 1.7);
    #home = { bounds: new THREE.Box3(), from: new THREE.Vector3(1, 0, 0) };
    #atHome = true;
    #asked = false;
    #before: (() => void)[] = [];
    #robot: Robot;
    #followed = new THREE.Vector3();
    #ground: number | null;
    #sizes: ResizeObserver;

    constructor(host: HTMLElement, robot: Robot, options: StageOptions) {
        this.#robot = robot;
        this.materials = options.materials;
        this.up = vector(robot.view.up);
        this.#ground = options.ground;
        const extent = options.bounds.getSize(new THREE.Vector3());
        this.size = Math.max(extent.x, extent.y, extent.z, 1e-3);
        this.#renderer = new THREE.WebGLRenderer({ antialias: true, alpha: true });
        this.#renderer.shadowMap.enabled = true;
        this.#renderer.shadowMap.type = THREE.PCFShadowMap;
        this.canvas = this.#renderer.domElement;
        this.canvas.tabIndex = 0;
        this.canvas.setAttribute('role', 'img');
        this.canvas.setAttribute('aria-label', options.label);
        host.prepend(this.canvas);
        this.camera.up.copy(this.up);
        this.#controls = new OrbitControls(this.camera, this.canvas);
        this.#controls.enableDamping = false;
        this.#controls.zoomToCursor = true;
        this.#controls.addEventListener('change', () => this.draw());
        this.#controls.addEventListener('start', () => {
            this.#atHome = false;
        });
        this.#light();
        this.#makeFloor(options.bounds);
        this.scene.add(this.#floor);
        this.#keys();
        this.#sizes = new ResizeObserver(() => this.#resize(host));
        this.#sizes.observe(host);
        onTheme(() => {
            colour(this.materials);
            this.#makeFloor(options.bounds);
            this.draw();
        });
        this.#resize(host);
        this.look(options.bounds);
    }

    /** Lets go of the graphics; nothing is drawn from here on. */
    close(): void {
        this.#asked = true;
        this.#sizes.disconnect();
        this.#controls.dispose();
        this.#renderer.dispose();
        this.#renderer.forceContextLoss();
        this.canvas.remove();
    }

    add(figure: Figure): void {
        this.figures.push(figure);
        this.scene.add(figure.group);
    }

    /** Called before each picture. */
    beforeDraw(action: () => void): void {
        this.#before.push(action);
    }

    /** Asks for a picture; many calls make one. */
    draw(): void {
        if (this.#asked) return;
        this.#asked = true;
        requestAnimationFrame(() => this.drawNow());
    }

    drawNow(): void {
        this.#asked = false;
        const start = performance.now();
        this.#follow();
        for (const action of this.#before) action();
        this.#renderer.render(this.scene, this.camera);
        this.frameTime = performance.now() - start;
    }

    /** How many colours the picture has, a number that changes with it, and whether the robot's box
     * is all in it. */
    inspect(): { colours: number; hash: number; whole: boolean } {
        this.drawNow();
        const gl = this.#renderer.getContext();
        const { drawingBufferWidth: width, drawingBufferHeight: height } = gl;
        const pixels = new Uint8Array(4 * width * height);
        gl.readPixels(0, 0, width, height, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
        const colours = new Set<number>();
        let hash = 0;
        for (let i = 0; i < pixels.length; i += 4) {
            const c = (at3(pixels, i) << 16) | (at3(pixels, i + 1) << 8) | at3(pixels, i + 2);
            colours.add(c);
            hash = (Math.imul(hash, 31) + c) | 0;
        }
        const whole = cornersOf(this.#home.bounds).every((corner) => {
            const seen = corner.add(this.#followed).project(this.camera);
            return Math.abs(seen.x) <= 1 && Math.abs(seen.y) <= 1;
        });
        return { colours: colours.size, hash, whole };
    }

    /** Finishes all drawing, for those who measure. */
    finish(): void {
        this.#renderer.getContext().finish();
    }

    /** Lets the camera see the whole of a box from the robot's own side. */
    look(bounds: THREE.Box3, direction?: THREE.Vector3, isHome = !direction): void {
        const { turn, raise } = this.#robot.view;
        const x = vector(this.#robot.view.right);
        const y = new THREE.Vector3().crossVectors(this.up, x);
        const from =
            direction ??
            new THREE.Vector3()
                .addScaledVector(x, Math.sin(turn) * Math.cos(raise))
                .addScaledVector(y, -Math.cos(turn) * Math.cos(raise))
                .addScaledVector(this.up, Math.sin(raise));
        // The camera must not look straight along its own up.
        if (from.clone().normalize().cross(this.up).length() < 1e-3) from.addScaledVector(y, -1e-3);
        from.normalize();
        if (isHome) {
            this.#home = { bounds: bounds.clone(), from: from.clone() };
            this.#sun.target.position.copy(bounds.getCenter(new THREE.Vector3()));
            this.#aimLight(from);
        }
        this.#place(bounds, from);
        this.#atHome = isHome;
    }

    /** The camera so far away that it sees the whole of a box. */
    #place(bounds: THREE.Box3, from: THREE.Vector3): void {
        const centre = bounds.getCenter(new THREE.Vector3());
        this.camera.position.copy(centre).add(from);
        this.camera.lookAt(centre);
        this.camera.updateMatrixWorld();
        const distance = this.#distanceFor(bounds, centre, from);
        centre.add(this.#followed);
        this.camera.position.copy(centre).addScaledVector(from, distance);
        this.camera.near = distance / 100;
        this.camera.far = distance * 40;
        this.camera.updateProjectionMatrix();
        this.#controls.target.copy(centre);
        this.#controls.minDistance = 0.05 * distance;
        this.#controls.maxDistance = 12 * distance;
        this.#controls.update();
        this.draw();
    }

    home(): void {
        this.#place(this.#home.bounds, this.#home.from);
        this.#atHome = true;
    }

    /** Looks along an axis, keeping what is in the middle and how far away it is. */
    face(side: 'front' | 'side' | 'top'): void {
        this.#atHome = false;
        const x = vector(this.#robot.view.right);
        const y = new THREE.Vector3().crossVectors(this.up, x);
        const from =
            side === 'front'
                ? x
                : side === 'side'
                  ? y.clone().negate()
                  : this.up.clone().addScaledVector(y, -1e-3);
        const distance = this.camera.position.distanceTo(this.#controls.target);
        this.camera.position
            .copy(this.#controls.target)
            .addScaledVector(from.normalize(), distance);
        this.#controls.update();
        this.draw();
    }

    /** The picture as it is now, as PNG. */
    async png(): Promise<Blob | null> {
        this.drawNow();
        return new Promise((resolve) => this.canvas.toBlob(resolve, 'image/png'));
    }

    #distanceFor(bounds: THREE.Box3, centre: THREE.Vector3, from: THREE.Vector3): number {
        const inverse = this.camera.quaternion.clone().invert();
        const tall = Math.tan(THREE.MathUtils.degToRad(this.camera.fov / 2));
        const wide = tall * this.camera.aspect;
        let distance = 0;
        for (const corner of cornersOf(bounds)) {
            corner.sub(centre);
            const toward = corner.dot(from);
            corner.applyQuaternion(inverse);
            distance = Math.max(
                distance,
                toward + Math.abs(corner.x) / wide,
                toward + Math.abs(corner.y) / tall,
            );
        }
        return Math.max(1.06 * distance, 1e-3);
    }

    #follow(): void {
        const body = this.#robot.view.follow;
        const figure = this.figures[0];
        if (body < 0 || !figure) return;
        const now = vector(figure.point(body, [0, 0, 0]));
        now.addScaledVector(this.up, -now.dot(this.up)); // heights are seen, not followed
        const moved = now.clone().sub(this.#followed);
        this.#followed.copy(now);
        this.camera.position.add(moved);
        this.#controls.target.add(moved);
        this.#sun.position.add(moved);
        this.#sun.target.position.add(moved);
        this.#moveFloor(now);
        this.camera.updateMatrixWorld();
    }

    /** Light from above, the left and the front of who looks from `toward`. */
    #aimLight(toward: THREE.Vector3): void {
        const near = toward.clone().addScaledVector(this.up, -toward.dot(this.up)).normalize();
        const right = new THREE.Vector3().crossVectors(this.up, near);
        const from = this.up
            .clone()
            .multiplyScalar(1.9)
            .addScaledVector(right, -0.9)
            .addScaledVector(near, 1.0);
        this.#sun.position.copy(this.#sun.target.position).addScaledVector(from, 1.6 * this.size);
        this.#fill.position.copy(
            right.multiplyScalar(1.4).addScaledVector(near, 0.7).addScaledVector(this.up, 0.3),
        );
    }

    #light(): void {
        this.#sun.castShadow = true;
        this.#sun.shadow.mapSize.set(1024, 1024);
        const box = this.#sun.shadow.camera;
        box.left = box.bottom = -1.5 * this.size;
        box.right = box.top = 1.5 * this.size;
        box.near = 0.1 * this.size;
        box.far = 9 * this.size;
        this.#sun.shadow.bias = -0.0006;
        this.#sun.shadow.normalBias = 0.004 * this.size;
        this.#sun.shadow.radius = 3;
        this.#sky.position.copy(this.up);
        this.scene.add(this.#sun, this.#sun.target, this.#fill, this.#sky);
    }

    // Lines that fade towards their ends, on a plane that takes the shadow.
    #makeFloor(bounds: THREE.Box3): void {
        const ground = this.#ground;
        this.#floor.clear();
        if (ground === null) return;
        const x = vector(this.#robot.view.right);
        const y = new THREE.Vector3().crossVectors(this.up, x);
        const step = niceStep(this.size / 6);
        const reach = 12;
        const half = reach * step;
        const ink = new THREE.Color(styleColour('--floor'));
        const position: number[] = [];
        const shade: number[] = [];
        const parts = 16;
        for (const [a, b] of [
            [x, y],
            [y, x],
        ] as const) {
            for (let i = -reach; i <= reach; i++) {
                for (let k = 0; k < parts; k++) {
                    for (const end of [k, k + 1]) {
                        const along = -half + (2 * half * end) / parts;
                        const p = a
                            .clone()
                            .multiplyScalar(i * step)
                            .addScaledVector(b, along);
                        position.push(p.x, p.y, p.z);
                        const far = Math.min(1, p.length() / half);
                        shade.push(ink.r, ink.g, ink.b, (1 - far) ** 1.5);
                    }
                }
            }
        }
        const geometry = new THREE.BufferGeometry();
        geometry.setAttribute('position', new THREE.Float32BufferAttribute(position, 3));
        geometry.setAttribute('color', new THREE.Float32BufferAttribute(shade, 4));
        const lines = new THREE.LineSegments(
            geometry,
            new THREE.LineBasicMaterial({
                vertexColors: true,
                transparent: true,
                depthWrite: false,
            }),
        );
        const plane = new THREE.Mesh(
            new THREE.PlaneGeometry(4 * half, 4 * half),
            new THREE.ShadowMaterial({ opacity: 0.17, depthWrite: false }),
        );
        plane.quaternion.setFromUnitVectors(new THREE.Vector3(0, 0, 1), this.up);
        plane.receiveShadow = true;
        plane.renderOrder = -2;
        lines.renderOrder = -1;
        this.#floor.add(plane, lines);
        this.#floor.userData.step = step;
        const centre = bounds.getCenter(new THREE.Vector3());
        this.#moveFloor(centre);
    }

    #moveFloor(centre: THREE.Vector3): void {
        const ground = this.#ground;
        const step: unknown = this.#floor.userData.step;
        if (ground === null || typeof step !== 'number') return;
        const flat = centre.clone().addScaledVector(this.up, -centre.dot(this.up));
        flat.set(
            Math.round(flat.x / step) * step,
            Math.round(flat.y / step) * step,
            Math.round(flat.z / step) * step,
        );
        flat.addScaledVector(this.up, -flat.dot(this.up));
        this.#floor.position.copy(flat).addScaledVector(this.up, ground - 0.0005 * this.size);
    }

    #keys(): void {
        const turns: Readonly<Record<string, readonly [number, number, number]>> = {
            ArrowLeft: [-0.1, 0, 1],
            ArrowRight: [0.1, 0, 1],
            ArrowUp: [0, -0.1, 1],
            ArrowDown: [0, 0.1, 1],
            '+': [0, 0, 1 / 1.15],
            '-': [0, 0, 1.15],
        };
        this.canvas.addEventListener('keydown', (event) => {
            const change = turns[event.key];
            if (!change || event.ctrlKey || event.metaKey) return;
            event.preventDefault();
            this.#atHome = false;
            const around = this.camera.position.clone().sub(this.#controls.target);
            const side = new THREE.Vector3().crossVectors(this.up, around).normalize();
            const angle = around.angleTo(this.up);
            const raised = Math.min(Math.PI - 0.02, Math.max(0.02, angle + change[1])) - angle;
            around
                .applyAxisAngle(side, raised)
                .applyAxisAngle(this.up, change[0])
                .multiplyScalar(change[2]);
            this.camera.position.copy(this.#controls.target).add(around);
            this.#controls.update();
            this.draw();
        });
        // The page scrolls unless the view has been chosen.
        this.canvas.addEventListener(
            'wheel',
            (event) => {
                if (document.activeElement !== this.canvas && !event.ctrlKey)
                    event.stopImmediatePropagation();
            },
            { capture: true },
        );
        this.canvas.addEventListener('pointerdown', () =>
            this.canvas.focus({ preventScroll: true }),
        );
    }

    #resize(host: HTMLElement): void {
        const width = Math.max(host.clientWidth, 50);
        const height = Math.max(host.clientHeight, 50);
        this.#renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
        this.#renderer.setSize(width, height, false);
        this.camera.aspect = width / height;
        this.camera.updateProjectionMatrix();
        // A view of another shape still holds the whole robot, until somebody has turned it.
        if (this.#atHome && !this.#home.bounds.isEmpty()) this.home();
        this.draw();
    }
}
