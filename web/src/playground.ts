// The playground: drop a robot's file, and move the robot. Nothing leaves the page: the library is
// in it.

import arm from '../../robots/arm6.yaml';
import delta from '../../robots/delta.yaml';
import human from '../../robots/humanoid.yaml';
import { parsePage } from './data';
import { button, element } from './dom';
import { addHook } from './hook';
import { Live, type LiveFile, Mistakes } from './live';
import { mountRobot } from './robot-page';

const FOLDER = '/robot';
const isRobot = (name: string) => /\.(urdf|xml|ya?ml)$/i.test(name);
const baseName = (path: string) => path.slice(path.lastIndexOf('/') + 1);

interface Given {
    readonly name: string;
    readonly data: Uint8Array;
}

/** Where the robot's file says its meshes are, as places beside it: package://NAME/PATH is
 * NAME/PATH. */
function meshPlaces(text: string): Map<string, string[]> {
    const out = new Map<string, string[]>();
    for (const [, said = ''] of text.matchAll(
        /(?:filename\s*=\s*|mesh:\s*|file:\s*)["']?([^"'\s>,}]+)/g,
    )) {
        const place = said.replace(/^(package|model|file):\/\/\/?/, '').replace(/^\.?\//, '');
        if (place.includes('..')) continue;
        const name = baseName(place).toLowerCase();
        out.set(name, [...(out.get(name) ?? []), place]);
    }
    return out;
}

/** The robot first, then what lies beside it, each where the robot's file looks for it. */
function layOut(given: readonly Given[]): LiveFile[] {
    const robot = given.find((g) => isRobot(g.name));
    if (!robot)
        throw new Mistakes('A robot is a URDF file (.urdf, .xml) or a YAML file (.yaml, .yml).');
    const places = meshPlaces(new TextDecoder().decode(robot.data));
    const files: LiveFile[] = [{ path: `${FOLDER}/${baseName(robot.name)}`, data: robot.data }];
    for (const g of given) {
        if (g === robot) continue;
        const name = baseName(g.name);
        for (const place of places.get(name.toLowerCase()) ?? [name])
            files.push({ path: `${FOLDER}/${place}`, data: g.data });
    }
    return files;
}

async function read(files: Iterable<File>): Promise<Given[]> {
    const all = [...files].map(async (f) => ({
        name: f.name,
        data: new Uint8Array(await f.arrayBuffer()),
    }));
    return Promise.all(all);
}

class Playground {
    #says = element('div', { class: 'says-list', role: 'status' });
    #shown = element('div');
    #end: () => void = () => undefined;

    constructor(host: HTMLElement) {
        host.append(this.#dropZone(), this.#says, this.#shown);
        for (const kind of ['dragenter', 'dragover'] as const) {
            addEventListener(kind, (event) => {
                event.preventDefault();
                host.classList.add('dropping');
            });
        }
        addEventListener('dragleave', (event) => {
            if (!event.relatedTarget) host.classList.remove('dropping');
        });
        addEventListener('drop', (event) => {
            event.preventDefault();
            host.classList.remove('dropping');
            if (event.dataTransfer?.files.length) void this.take(event.dataTransfer.files);
        });
    }

    async take(files: Iterable<File>): Promise<void> {
        await this.open(await read(files));
    }

    /** Shows a robot in place of the one before; where it cannot be read, the mistakes. */
    async open(given: readonly Given[]): Promise<void> {
        this.#say([]);
        try {
            const live = await Live.open(layOut(given));
            const data = parsePage(live.scene());
            if (!data) throw new Mistakes('The robot cannot be shown.');
            this.#end();
            await this.#show(live, data);
            this.#say(live.warnings.map((w) => `Warning: ${w}`));
        } catch (e) {
            if (!(e instanceof Error)) throw e;
            this.#say(e.message.split('\n'), true);
        }
    }

    async #show(live: Live, data: NonNullable<ReturnType<typeof parsePage>>): Promise<void> {
        const name = data.robots[0]?.name ?? '';
        const stage = element('div', { id: 'stage', class: 'canvas' });
        const caption =
            'Drag an orange end to move it, drag elsewhere to turn the view, with the right button or two fingers to move it; click, then scroll or pinch to zoom.';
        const figure = element(
            'figure',
            { class: 'stage' },
            stage,
            element('figcaption', {}, caption),
        );
        const joints = element('div', { id: 'joints' });
        const numbers = element('div', { id: 'live' });
        this.#shown.replaceChildren(
            element('h2', { class: 'robot-name' }, name),
            element('div', { class: 'view' }, figure, joints),
            numbers,
        );
        this.#end = await mountRobot(data, { stage, joints, live: numbers }, live);
    }

    #say(lines: readonly string[], wrong = false): void {
        this.#says.classList.toggle('wrong', wrong);
        this.#says.replaceChildren(...lines.map((l) => element('p', {}, l)));
    }

    #dropZone(): HTMLElement {
        const input = element('input', { type: 'file', multiple: true, id: 'file', class: 'file' });
        input.addEventListener('change', () => {
            if (input.files?.length) void this.take(input.files);
        });
        const sample = (name: string, file: string, text: string) =>
            button(
                name,
                () => void this.open([{ name: file, data: new TextEncoder().encode(text) }]),
            );
        return element(
            'div',
            { class: 'drop' },
            element(
                'label',
                { for: 'file' },
                'Drop a URDF or YAML file here, with its meshes if it has any, or choose: ',
            ),
            input,
            element(
                'span',
                { class: 'samples' },
                'or try ',
                sample('an arm', 'arm6.yaml', arm),
                sample('a delta robot', 'delta.yaml', delta),
                sample('a humanoid', 'humanoid.yaml', human),
            ),
        );
    }
}

export async function mountPlayground(host: HTMLElement): Promise<void> {
    const playground = new Playground(host);
    addHook({ ready: () => true });
    await playground.open([{ name: 'arm6.yaml', data: new TextEncoder().encode(arm) }]);
}
