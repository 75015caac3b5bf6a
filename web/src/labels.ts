// Names beside points of the view, as text of the page.

import * as THREE from 'three';
import type { Vec3 } from './data';
import { element } from './dom';
import type { Stage } from './stage';

export class Labels {
    #stage: Stage;
    #layer = element('div', { class: 'labels', 'aria-hidden': 'true' });

    constructor(stage: Stage, host: HTMLElement) {
        this.#stage = stage;
        host.append(this.#layer);
    }

    add(text: string): HTMLElement {
        const label = element('span', { hidden: true }, text);
        this.#layer.append(label);
        return label;
    }

    place(label: HTMLElement, point: Vec3): void {
        const p = new THREE.Vector3(...point).project(this.#stage.camera);
        const { clientWidth, clientHeight } = this.#stage.canvas;
        const x = ((p.x + 1) / 2) * clientWidth;
        const y = ((1 - p.y) / 2) * clientHeight;
        label.style.transform = `translate(${x.toFixed(1)}px, ${y.toFixed(1)}px)`;
        label.style.visibility = p.z < 1 ? 'visible' : 'hidden';
    }
}
