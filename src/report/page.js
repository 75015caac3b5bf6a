'use strict';
(() => {
    const NS = 'http://www.w3.org/2000/svg';
    const byId = id => document.getElementById(id);
    const add = (parent, tag, attributes) => {
        const e = document.createElementNS(NS, tag);
        for (const key in attributes) e.setAttribute(key, attributes[key]);
        return parent.appendChild(e);
    };
    const clamp = (x, low, high) => Math.min(high, Math.max(low, x));
    const shown = (v, digits = 4) => {
        const text = v === 0 ? '0' : Math.abs(v) >= 1e6 || Math.abs(v) < 1e-4 ? v.toExponential(digits - 1)
                                                                             : String(Number(v.toPrecision(digits)));
        return text.replace('-', '\u2212');
    };
    const seekers = []; // told when the time changes
    let seek = () => {};

    // --- plots: values are read off the drawing itself, whose scales are in data-scales -------------------

    const tip = document.createElement('div');
    tip.id = 'tip';
    tip.hidden = true;
    document.body.appendChild(tip);

    const showTip = (head, rows, event) => {
        const table = document.createElement('table');
        for (const [line, ...cells] of rows) {
            const row = table.insertRow(), key = add(row.insertCell(), 'svg', {viewBox: '0 0 14 10'});
            add(key, 'path', {class: line, d: 'M0 5H14'});
            for (const text of cells) row.insertCell().textContent = text;
        }
        tip.textContent = head;
        tip.appendChild(table);
        tip.hidden = false;
        const room = document.documentElement.clientWidth - tip.offsetWidth - 12;
        const right = event.clientX + 18 < room;
        tip.style.left = scrollX + (right ? event.clientX + 18 : Math.max(4, event.clientX - tip.offsetWidth - 18)) + 'px';
        tip.style.top = scrollY + event.clientY + 14 + 'px';
    };

    const makePlot = svg => {
        const [x0, x1, xLow, xHigh, y0, y1, yLow, yHigh] = svg.dataset.scales.split(' ').map(Number);
        const kind = svg.dataset.kind, names = [...svg.querySelectorAll('.n')].map(n => n.parentNode.firstChild.textContent);
        const toX = x => x0 + (x - xLow) / (xHigh - xLow) * (x1 - x0);
        const fromX = px => xLow + (px - x0) / (x1 - x0) * (xHigh - xLow);
        const fromY = py => yLow + (py - y0) / (y1 - y0) * (yHigh - yLow);
        let lines = null;
        const read = () => {
            let k = -1;
            lines = [...svg.querySelectorAll(':scope > .l')].map(path => {
                const reference = path.classList.contains('r');
                if (!reference) k++;
                const numbers = path.getAttribute('d').slice(1).split(/[ L]/).map(Number), points = [];
                for (let i = 0; i + 1 < numbers.length; i += 2) points.push([numbers[i], numbers[i + 1]]);
                return {path, points, reference, name: names[k]};
            });
        };
        const at = (points, px) => {
            let low = 0, high = points.length - 1;
            if (px < points[0][0] - 1 || px > points[high][0] + 1) return null;
            while (high - low > 1) {
                const middle = (low + high) >> 1;
                if (points[middle][0] <= px) low = middle; else high = middle;
            }
            const [a, b] = [points[low], points[high]], run = b[0] - a[0];
            return a[1] + (run > 0 ? clamp((px - a[0]) / run, 0, 1) : 0) * (b[1] - a[1]);
        };
        const nearest = (px, py) => {
            let best = null, least = 900;
            for (const line of lines)
                for (const p of line.points) {
                    const d = (p[0] - px) ** 2 + (p[1] - py) ** 2;
                    if (d < least) { least = d; best = {line, p}; }
                }
            return best;
        };
        const layer = add(svg, 'g', {}), now = kind === 'time' ? add(svg, 'path', {class: 'now'}) : null;
        const place = event => {
            const box = svg.getBoundingClientRect(), view = svg.viewBox.baseVal;
            return [(event.clientX - box.left) / box.width * view.width, (event.clientY - box.top) / box.height * view.height];
        };
        const leave = () => { layer.replaceChildren(); tip.hidden = true; };
        const dot = (line, x, y) => add(layer, 'circle', {class: 'dot ' + line.path.getAttribute('class').split(' ')[1], cx: x, cy: y, r: 3.2});
        const hover = event => {
            const [px, py] = place(event);
            leave();
            if (px < x0 - 3 || px > x1 + 3 || py < y1 || py > y0) return;
            if (!lines) read();
            if (kind === 'path') {
                const found = nearest(px, py);
                if (!found) return;
                dot(found.line, ...found.p);
                showTip(found.line.name, [[found.line.path.getAttribute('class'),
                                           svg.dataset.x + ' ' + shown(fromX(found.p[0])), shown(fromY(found.p[1]))]], event);
                return;
            }
            const x = clamp(px, x0, x1), rows = [];
            add(layer, 'path', {class: 'hair', d: `M${x} ${y0}V${y1}`});
            for (const line of lines) {
                const y = line.points.length ? at(line.points, x) : null;
                if (y === null) continue;
                if (line.reference) { // beside the value it is for
                    rows[rows.length - 1].push('reference ' + shown(fromY(y)));
                    continue;
                }
                dot(line, x, y);
                rows.push([line.path.getAttribute('class'), line.name, shown(fromY(y))]);
            }
            showTip(svg.dataset.x + ' ' + shown(fromX(x)), rows, event);
        };
        svg.addEventListener('pointermove', event => {
            hover(event);
            if (now && event.buttons & 1) seek(fromX(clamp(place(event)[0], x0, x1)));
        });
        svg.addEventListener('pointerleave', leave);
        if (!now) return;
        svg.addEventListener('pointerdown', event => {
            const px = place(event)[0];
            if (px >= x0 && px <= x1) seek(fromX(px));
        });
        seekers.push(t => {
            const x = toX(clamp(t, xLow, xHigh)).toFixed(1);
            now.setAttribute('d', `M${x} ${y0}V${y1}`);
        });
    };
    document.querySelectorAll('svg[data-scales]').forEach(makePlot);

    // --- the moving figure ----------------------------------------------------------------------------------

    const source = byId('motion');
    if (!source) return;
    const data = JSON.parse(source.textContent), stage = byId('stage');
    const {times, frames, sticks, joints, tips, unit, follow} = data, count = frames[0].length / 3;
    const start = times[0], end = times[times.length - 1];
    const slider = byId('time'), clock = byId('clock'), play = byId('play');
    const WIDTH = 800, HEIGHT = 500;
    let turn = data.turn, raise = data.raise, zoom = 1, time = start, playing = false;

    const floor = add(stage, 'path', {class: 'floor'}), shade = add(stage, 'path', {class: 'shade'});
    const trails = tips.length <= 4 ? tips.map(() => add(stage, 'path', {class: 'trail'})) : [];
    const bars = sticks.map(s => add(stage, 'path', {class: 's s' + s[2]}));
    const foot = add(stage, 'path', {class: 'foot'});
    const pins = joints.map(j => j[1] ? add(stage, 'rect', {class: 'pin', width: 11, height: 11}) : add(stage, 'circle', {class: 'pin', r: 5.5}));
    const ends = tips.map(() => add(stage, 'circle', {class: 'tip', r: 4.5}));
    const triad = add(stage, 'path', {class: 'triad'});
    const letters = ['x', 'y', 'z'].map(name => {
        const letter = add(stage, 'text', {'text-anchor': 'middle'});
        letter.textContent = name;
        return letter;
    });

    // Right and up of the picture, as the view is now.
    const axes = () => {
        const c = Math.cos(turn), s = Math.sin(turn), u = Math.sin(raise);
        return [[c, s, 0], [-s * u, c * u, Math.cos(raise)]];
    };
    const dot3 = (a, x, y, z) => a[0] * x + a[1] * y + a[2] * z;
    // Chosen once, for the first view and the whole motion, so that nothing jumps when it is turned.
    const fit = (() => {
        const [right, up] = axes(), low = [Infinity, Infinity], high = [-Infinity, -Infinity];
        for (const f of frames) {
            const o = follow < 0 ? [0, 0] : [f[3 * follow], f[3 * follow + 1]];
            for (let i = 0; i < f.length; i += 3)
                [right, up].forEach((a, k) => {
                    const at = unit * dot3(a, f[i] - o[0], f[i + 1] - o[1], f[i + 2]);
                    low[k] = Math.min(low[k], at);
                    high[k] = Math.max(high[k], at);
                });
        }
        const middle = [0, 1].map(k => (low[k] + high[k]) / 2);
        const box = [0, 1, 2].map(k => (data.low[k] + data.high[k]) / 2);
        const off = [middle[0] - dot3(right, ...box), middle[1] - dot3(up, ...box)];
        return {
            scale: Math.min(0.8 * WIDTH / Math.max(high[0] - low[0], 1e-9), 0.78 * HEIGHT / Math.max(high[1] - low[1], 1e-9)),
            centre: [0, 1, 2].map(k => box[k] + off[0] * right[k] + off[1] * up[k]),
        };
    })();

    // Points between two frames, in metres.
    const pointsAt = t => {
        let low = 0, high = times.length - 1;
        while (high - low > 1) {
            const i = (low + high) >> 1;
            if (times[i] <= t) low = i; else high = i;
        }
        const span = times[high] - times[low], part = span > 0 ? clamp((t - times[low]) / span, 0, 1) : 0;
        const a = frames[low], b = frames[high], out = new Float64Array(3 * count);
        for (let i = 0; i < out.length; i++) out[i] = unit * (a[i] + part * (b[i] - a[i]));
        return [out, low];
    };

    const niceStep = size => {
        const power = 10 ** Math.floor(Math.log10(size)), digit = size / power;
        return power * (digit <= 1 ? 1 : digit <= 2 ? 2 : digit <= 5 ? 5 : 10);
    };

    const draw = () => {
        const [right, up] = axes(), [p, frame] = pointsAt(time), k = fit.scale * zoom;
        const origin = follow < 0 ? [0, 0, 0] : [p[3 * follow], p[3 * follow + 1], 0];
        const centre = [0, 1, 2].map(i => fit.centre[i] + origin[i]);
        const put = (x, y, z) => [WIDTH / 2 + k * dot3(right, x - centre[0], y - centre[1], z - centre[2]),
                                  HEIGHT / 2 - k * dot3(up, x - centre[0], y - centre[1], z - centre[2])];
        const text = (x, y, z) => put(x, y, z).map(v => v.toFixed(1)).join(' ');
        const point = i => text(p[3 * i], p[3 * i + 1], p[3 * i + 2]);
        sticks.forEach((s, i) => bars[i].setAttribute('d', `M${point(s[0])}L${point(s[1])}`));
        joints.forEach((j, i) => {
            const [x, y] = put(p[3 * j[0]], p[3 * j[0] + 1], p[3 * j[0] + 2]);
            pins[i].setAttribute(j[1] ? 'x' : 'cx', (x - (j[1] ? 5.5 : 0)).toFixed(1));
            pins[i].setAttribute(j[1] ? 'y' : 'cy', (y - (j[1] ? 5.5 : 0)).toFixed(1));
        });
        tips.forEach((t, i) => {
            const [x, y] = put(p[3 * t], p[3 * t + 1], p[3 * t + 2]);
            ends[i].setAttribute('cx', x.toFixed(1));
            ends[i].setAttribute('cy', y.toFixed(1));
        });
        trails.forEach((trail, i) => {
            const t = 3 * tips[i];
            let d = '';
            for (let f = 0; f <= frame; f++)
                d += (f ? 'L' : 'M') + text(unit * frames[f][t], unit * frames[f][t + 1], unit * frames[f][t + 2]);
            trail.setAttribute('d', d + 'L' + point(tips[i]));
        });
        drawGround(p, origin, text);
        drawTriad(right, up);
    };

    const drawGround = (p, origin, text) => {
        if (data.ground === null) return;
        const z = data.ground, size = Math.max(data.high[0] - data.low[0], data.high[1] - data.low[1], data.high[2] - data.low[2]);
        const step = niceStep(size / 5), lines = [];
        const [x0, x1, y0, y1] = [data.low[0], data.high[0], data.low[1], data.high[1]].map((v, i) =>
            step * (Math.round((v + origin[i >> 1]) / step) + (i & 1 ? 2 : -2)));
        for (let x = x0; x <= x1 + step / 2; x += step) lines.push(`M${text(x, y0, z)}L${text(x, y1, z)}`);
        for (let y = y0; y <= y1 + step / 2; y += step) lines.push(`M${text(x0, y, z)}L${text(x1, y, z)}`);
        floor.setAttribute('d', lines.join(''));
        shade.setAttribute('d', raise < 0.02 ? '' : sticks.map(s => s.slice(0, 2).map((i, end) =>
            (end ? 'L' : 'M') + text(p[3 * i], p[3 * i + 1], z)).join('')).join(''));
    };

    // The axes of the world; in the picture z is up, whichever of them that is.
    const drawTriad = (right, up) => {
        const at = [52, HEIGHT - 48], tipOf = (a, r) => [at[0] + r * dot3(right, ...a), at[1] - r * dot3(up, ...a)];
        triad.setAttribute('d', data.axes.map(a => `M${at.join(' ')}L${tipOf(a, 24).map(v => v.toFixed(1)).join(' ')}`).join(''));
        letters.forEach((letter, i) => {
            const a = data.axes[i], [x, y] = tipOf(a, 34);
            letter.style.display = Math.hypot(dot3(right, ...a), dot3(up, ...a)) < 0.1 ? 'none' : '';
            letter.setAttribute('x', x.toFixed(1));
            letter.setAttribute('y', (y + 4).toFixed(1));
        });
    };

    seek = t => {
        time = clamp(t, start, end);
        slider.value = String(end > start ? 1000 * (time - start) / (end - start) : 0);
        clock.textContent = time.toFixed(end - start < 10 ? 3 : 2) + ' s';
        for (const told of seekers) told(time);
        draw();
    };
    const setPlaying = on => {
        playing = on;
        play.textContent = on ? 'Pause' : 'Play';
        play.setAttribute('aria-label', play.textContent);
        if (!on) return;
        if (time >= end) time = start;
        let last = null;
        const step = stamp => {
            if (!playing) return;
            if (last !== null) seek(time + (stamp - last) / 1000 * Number(byId('speed').value));
            last = stamp;
            if (time >= end) setPlaying(false); else requestAnimationFrame(step);
        };
        requestAnimationFrame(step);
    };
    slider.addEventListener('input', () => {
        setPlaying(false);
        seek(start + Number(slider.value) / 1000 * (end - start));
    });
    play.addEventListener('click', () => setPlaying(!playing));

    // --- turning and zooming --------------------------------------------------------------------------------

    const look = (dTurn, dRaise, dZoom) => {
        turn -= dTurn;
        raise = clamp(raise + dRaise, -Math.PI / 2, Math.PI / 2);
        zoom = clamp(zoom * dZoom, 0.2, 20);
        draw();
    };
    const held = new Map();
    stage.tabIndex = 0;
    stage.addEventListener('pointerdown', event => {
        stage.setPointerCapture(event.pointerId);
        held.set(event.pointerId, event);
    });
    stage.addEventListener('pointermove', event => {
        const before = held.get(event.pointerId);
        if (!before) return;
        const others = [...held.values()].filter(e => e.pointerId !== event.pointerId);
        if (others.length) { // two fingers
            const apart = e => Math.hypot(e.clientX - others[0].clientX, e.clientY - others[0].clientY);
            look(0, 0, apart(event) / Math.max(apart(before), 1));
        } else {
            look((event.clientX - before.clientX) * 0.008, (event.clientY - before.clientY) * 0.008, 1);
        }
        held.set(event.pointerId, event);
    });
    for (const over of ['pointerup', 'pointercancel']) stage.addEventListener(over, event => held.delete(event.pointerId));
    stage.addEventListener('wheel', event => {
        if (!event.ctrlKey && document.activeElement !== stage) return; // the page scrolls
        event.preventDefault();
        look(0, 0, Math.exp(-event.deltaY * 0.002));
    }, {passive: false});
    stage.addEventListener('keydown', event => {
        const keys = {ArrowLeft: [0.1, 0, 1], ArrowRight: [-0.1, 0, 1], ArrowUp: [0, 0.1, 1], ArrowDown: [0, -0.1, 1],
                      '+': [0, 0, 1.15], '-': [0, 0, 1 / 1.15]};
        if (event.key === ' ') setPlaying(!playing);
        else if (keys[event.key]) look(...keys[event.key]);
        else return;
        event.preventDefault();
    });
    byId('home').addEventListener('click', () => {
        turn = data.turn;
        raise = data.raise;
        zoom = 1;
        draw();
    });
    setPlaying(false);
    seek(start);
})();
