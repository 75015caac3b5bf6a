// The library as a module of WebAssembly against the program: module.mjs WASM ARNE ROBOTS. Every
// robot of the folder, read by the module from its file and from the text that pages carry, must
// give the same numbers to rounding: poses, torques of gravity, shares of the limits of effort,
// mass matrix, manipulability, and inverse kinematics that arrives.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { webcrypto } from 'node:crypto';
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const [wasm, arne, robots] = process.argv.slice(2);
globalThis.crypto ??= webcrypto; // Debian's node 18 has it under another name
// It is a module by its text, which older nodes go by the name for.
const own = mkdtempSync(path.join(tmpdir(), 'arne-wasm-'));
copyFileSync(path.join(wasm, 'live.js'), path.join(own, 'live.mjs'));
const { default: make } = await import(pathToFileURL(path.join(own, 'live.mjs')));
rmSync(own, { recursive: true });
const m = await make({ wasmBinary: readFileSync(path.join(wasm, 'live.wasm')) });
const ARRAYS = ['q', 'poses', 'gravity', 'limit', 'used', 'mass', 'active', 'com',
                'manipulability'];

function withText(text, action) {
    const room = m.lengthBytesUTF8(text) + 1;
    const p = m._malloc(room);
    m.stringToUTF8(text, p, room);
    const out = action(p);
    m._free(p);
    return out;
}
const open = (file) => withText(file, (p) => m._live_open(p));
const array = (live, name) => {
    const which = ARRAYS.indexOf(name);
    const start = m._live_numbers(live, which) / 8;
    return m.HEAPF64.subarray(start, start + m._live_count(live, which));
};
const run = (...words) =>
    execFileSync(arne, words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
const compute = (what, file, q, ...more) => {
    const list = q.length ? ['--q', q.join(',')] : [];
    return JSON.parse(run('compute', what, file, '--quiet', '--json', ...list, ...more))[0];
};
const flat = (value) => (Array.isArray(value) ? value.flatMap(flat) : [value]);

let worst = 0;
function close(got, wanted, what) {
    const size = Math.max(1e-9, ...wanted.map(Math.abs));
    assert.equal(got.length, wanted.length, `${what}: ${got.length} numbers, not ${wanted.length}`);
    got.forEach((v, i) => {
        const off = Math.abs(v - wanted[i]) / size;
        worst = Math.max(worst, off);
        assert.ok(off < 1e-9, `${what}: entry ${i} is ${v}, not ${wanted[i]}`);
    });
}

// A posture a little off the one it starts with, loops closed by the module.
function moved(live) {
    const q = array(live, 'q');
    const seed = q.slice();
    q.forEach((v, i) => {
        q[i] = v + 0.05 * Math.sin(1 + 2.3 * i);
    });
    if (m._live_pose(live) !== 0) {
        array(live, 'q').set(seed);
        assert.equal(m._live_pose(live), 0, m.UTF8ToString(m._live_mistakes()));
    }
}

function turned([a, b, c, w]) {
    return [
        [1 - 2 * (b * b + c * c), 2 * (a * b - c * w), 2 * (a * c + b * w)],
        [2 * (a * b + c * w), 1 - 2 * (a * a + c * c), 2 * (b * c - a * w)],
        [2 * (a * c - b * w), 2 * (b * c + a * w), 1 - 2 * (a * a + b * b)],
    ];
}

function compare(live, file) {
    const scene = JSON.parse(m.UTF8ToString(m._live_scene(live))).robots[0];
    const tip = scene.frames.at(-1).name;
    m._live_choose(live, withText(tip, (p) => m._live_find_frame(live, p)));
    assert.equal(m._live_update(live), 0, m.UTF8ToString(m._live_mistakes()));
    const q = [...array(live, 'q')];
    const poses = array(live, 'poses').slice();
    // Links that are bodies of their own: the module says where bodies are.
    const { frames } = compute('pose', file, q);
    for (const f of scene.frames) {
        const [x, y, z, ...h] = poses.subarray(7 * f.body, 7 * f.body + 7);
        const R = turned(h);
        const place =
            [x, y, z].map((v, i) => v + R[i][0] * f.at[0] + R[i][1] * f.at[1] + R[i][2] * f.at[2]);
        // The place of a frame in its body has 9 digits in the page.
        place.forEach((v, i) =>
            assert.ok(Math.abs(v - frames[f.name].p[i]) < 1e-7, `${f.name} is elsewhere`));
    }
    const active = [...array(live, 'active')];
    const loops = scene.loops.length > 0;
    const gravity = [...array(live, 'gravity')];
    close(loops ? active.map((v) => gravity[v]) : gravity, compute('gravity', file, q).tau,
          'gravity');
    close([...array(live, 'mass')], flat(compute('mass-matrix', file, q).M), 'mass matrix');
    const { measure, ...axes } = compute('manipulability', file, q, '--frame', tip);
    const found = [...array(live, 'manipulability')];
    close(found.slice(1), Object.values(axes), 'manipulability, axes');
    assert.ok(Math.abs(found[0] - measure) < 1e-9 * Math.max(1, measure), 'manipulability');
    const used = [...array(live, 'used')].filter((v) => !Number.isNaN(v));
    if (used.length)
        assert.ok(Math.abs(Math.max(...used) - largestShare(file, q)) < 1e-7, 'utilisation');
    return tip;
}

function largestShare(file, q) {
    return compute('effort-utilisation', file, q).largest;
}

// The tip to a place near where it is, and back: it arrives, and the program agrees that it is
// there.
function reach(live, file, tip) {
    const frame = withText(tip, (p) => m._live_find_frame(live, p));
    const { p } = compute('pose', file, [...array(live, 'q')]).frames[tip];
    const start = array(live, 'q').slice();
    m._live_choose(live, frame);
    m._live_update(live);
    if (!(array(live, 'manipulability')[3] > 1e-3)) return 'stuck'; // it cannot go everywhere
    const to = [p[0] + 0.01, p[1] - 0.008, p[2] - 0.006];
    const left = m._live_reach(live, frame, ...to);
    const there = compute('pose', file, [...array(live, 'q')]).frames[tip].p;
    const off = Math.hypot(...there.map((v, i) => v - to[i]));
    array(live, 'q').set(start);
    assert.ok(Math.abs(off - left) < 1e-6, `says ${left} m, and ${off} m are left`);
    return off < 1e-4 ? 'reached' : 'limit';
}

m.FS.mkdirTree('/robots');
const files = readdirSync(robots).filter((f) => /\.(yaml|urdf)$/.test(f));
for (const f of files) m.FS.writeFile(`/robots/${f}`, readFileSync(path.join(robots, f)));
const ends = {};
for (const f of files) {
    const file = path.join(robots, f);
    m.FS.writeFile('/text.yaml', run('convert', file, '--quiet'));
    for (const source of [`/robots/${f}`, '/text.yaml']) {
        const live = open(source);
        assert.notEqual(live, 0, `${f}: ${m.UTF8ToString(m._live_mistakes())}`);
        try {
            if (source === '/text.yaml') assert.equal(m._live_pose(live), 0);
            else moved(live);
            const tip = compare(live, file);
            const how = reach(live, file, tip);
            ends[how] = (ends[how] ?? 0) + 1;
        } catch (e) {
            console.error(`${f} (${source})`);
            throw e;
        }
        m._live_close(live);
    }
}
assert.ok(ends.reached >= files.length / 2, `inverse kinematics: ${JSON.stringify(ends)}`);

// What is wrong is said line by line, and the module goes on.
m.FS.writeFile('/bad.yaml',
               readFileSync(path.join(robots, 'arm6.yaml'), 'utf8')
                   .replaceAll(/mass: [0-9.]+/g, 'mass: heavy'));
assert.equal(open('/bad.yaml'), 0);
const mistakes = m.UTF8ToString(m._live_mistakes()).trim().split('\n');
assert.ok(mistakes.length > 1 && mistakes.every((l) => /^line \d+: .*heavy/.test(l)),
          mistakes.join(' | '));
const last = open('/robots/arm6.yaml');
assert.notEqual(last, 0);
console.log(
    `${files.length} robots, worst difference ${worst.toExponential(1)}, inverse kinematics ${JSON.stringify(ends)}, ` +
    `${m._live_time(last, 20000).toFixed(2)} us for gravity of arm6`);
