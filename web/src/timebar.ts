// Play, loop, scrub, step and speed: the clock as people hold it.

import type { Clock } from './clock';
import type { Mark } from './data';
import { button, element, toggle } from './dom';

const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 4];

export function timeBar(clock: Clock, step: number, marks: readonly Mark[]): HTMLElement {
    const length = clock.end - clock.start;
    const decimals = length < 10 ? 3 : 2;
    const play = button('Play', () => clock.play(!clock.playing), {
        class: 'play',
        title: 'Play or pause (space)',
    });
    const slider = element('input', {
        type: 'range',
        min: 0,
        max: 1000,
        step: 'any',
        value: 0,
        'aria-label': 'Time',
    });
    const now = element('output', { class: 'clock' });
    const speed = element('select', { 'aria-label': 'Speed' });
    for (const s of SPEEDS)
        speed.append(element('option', { value: s, selected: s === 1 }, `${s}×`));
    const skip = (steps: number) => {
        clock.play(false);
        clock.seek(clock.time + steps * step);
    };
    slider.addEventListener('input', () => {
        clock.play(false);
        clock.seek(clock.start + (Number(slider.value) / 1000) * length);
    });
    speed.addEventListener('change', () => {
        clock.speed = Number(speed.value);
    });
    clock.listen((time, playing) => {
        const part = length > 0 ? (time - clock.start) / length : 0;
        slider.value = String(1000 * part);
        slider.style.setProperty('--part', `${(100 * part).toFixed(2)}%`);
        slider.setAttribute('aria-valuetext', `${time.toFixed(decimals)} seconds`);
        now.textContent = `${time.toFixed(decimals)} s`;
        play.textContent = playing ? 'Pause' : 'Play';
    });
    document.addEventListener('keydown', (event) => {
        const target = event.target;
        if (event.ctrlKey || event.metaKey || event.altKey) return;
        if (
            target instanceof HTMLElement &&
            target.matches('input, select, textarea, button, summary, a')
        )
            return;
        if (event.key === ' ') clock.play(!clock.playing);
        else if (event.key === ',') skip(-1);
        else if (event.key === '.') skip(1);
        else return;
        event.preventDefault();
    });
    const line = element('div', { class: 'scrub' }, slider);
    for (const mark of marks) line.append(tick(clock, mark));
    return element(
        'div',
        { class: 'timebar' },
        play,
        button('‹', () => skip(-1), { title: 'One step back (,)', 'aria-label': 'One step back' }),
        button('›', () => skip(1), { title: 'One step on (.)', 'aria-label': 'One step on' }),
        line,
        now,
        toggle(
            'Loop',
            'Start again at the end',
            (on) => {
                clock.loop = on;
            },
            clock.loop,
        ),
        speed,
    );
}

function tick(clock: Clock, mark: Mark): HTMLElement {
    const part = (mark.time - clock.start) / (clock.end - clock.start || 1);
    const b = button('', () => clock.seek(mark.time), {
        class: 'mark',
        title: mark.text,
        'aria-label': mark.text,
    });
    b.style.left = `${(100 * part).toFixed(2)}%`;
    return b;
}
