// The bar of a view: what is shown, from where, and pictures to take along.

import type { Clock } from './clock';
import { button, download, element, toggle } from './dom';
import type { Overlay } from './overlay';
import type { Stage } from './stage';

const fileName = (name: string) =>
    name.replace(/[^A-Za-z0-9_-]+/g, '-').replace(/^-+|-+$/g, '') || 'robot';

/** Records one pass of the motion as WebM, in real time. */
function record(stage: Stage, clock: Clock, name: string, at: HTMLButtonElement): void {
    const type = ['video/webm;codecs=vp9', 'video/webm'].find((t) =>
        MediaRecorder.isTypeSupported(t),
    );
    if (!type) {
        at.textContent = 'No WebM here';
        return;
    }
    const parts: Blob[] = [];
    const recorder = new MediaRecorder(stage.canvas.captureStream(30), {
        mimeType: type,
        videoBitsPerSecond: 8e6,
    });
    const loops = clock.loop;
    recorder.addEventListener('dataavailable', (event) => parts.push(event.data));
    recorder.addEventListener('stop', () => {
        clock.loop = loops;
        at.disabled = false;
        at.textContent = 'WebM';
        download(new Blob(parts, { type: 'video/webm' }), `${fileName(name)}.webm`);
    });
    at.disabled = true;
    at.textContent = 'Recording …';
    clock.loop = false;
    clock.seek(clock.start);
    recorder.start();
    clock.play(true);
    const wait = () => {
        if (clock.playing) requestAnimationFrame(wait);
        else setTimeout(() => recorder.stop(), 150);
    };
    requestAnimationFrame(wait);
}

export function addTools(
    stage: Stage,
    host: HTMLElement,
    overlays: readonly Overlay[],
    name: string,
    clock?: Clock,
): void {
    const shows = element('div', { class: 'tools', role: 'group', 'aria-label': 'Show' });
    for (const o of overlays) shows.append(toggle(o.name, o.title, (on) => o.show(on), o.on));
    const views = element('div', { class: 'tools views', role: 'group', 'aria-label': 'View' });
    views.append(
        button('Reset', () => stage.home(), { title: 'The view as it was' }),
        button('Front', () => stage.face('front'), { title: 'Along x' }),
        button('Side', () => stage.face('side'), { title: 'Along y' }),
        button('Top', () => stage.face('top'), { title: 'From above' }),
        button(
            'PNG',
            () => {
                void stage.png().then((blob) => {
                    if (blob) download(blob, `${fileName(name)}.png`);
                });
            },
            { title: 'This picture as a file' },
        ),
    );
    if (clock?.moves) {
        const webm = button('WebM', () => record(stage, clock, name, webm), {
            title: 'The motion as a film, once through',
        });
        views.append(webm);
    }
    if (document.fullscreenEnabled) {
        const whole = host.closest('figure') ?? host;
        views.append(
            button('Full screen', () => {
                if (document.fullscreenElement) void document.exitFullscreen();
                else void whole.requestFullscreen();
            }),
        );
    }
    host.after(element('div', { class: 'toolbar' }, shows, views));
}
