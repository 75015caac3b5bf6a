// Pages in a real browser: pages.mjs ARNE MAKE_RUN ROBOTS [PICTURES]. Poses are those of the
// library, plots and view share one time, nothing is asked from a network or said, names stay text,
// phones and keyboards work. Screenshots are left in PICTURES, where that is given, for a person to
// look at: they take as long as all else.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync,
         writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openPage, seriousFlaws, startBrowser } from './browser.mjs';

const [arne, makeRun, robots, pictures] = process.argv.slice(2);
const work = mkdtempSync(path.join(tmpdir(), 'arne-pages-'));
if (pictures) mkdirSync(pictures, { recursive: true });
const run = (...words) =>
    execFileSync(arne, words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });

const { browser, stop } = await startBrowser();
let failed = 0;
// ONLY in the environment: a pattern of the names of tests to run.
async function test(name, action) {
    if (process.env.ONLY && !name.match(process.env.ONLY)) return;
    const start = performance.now();
    try {
        const more = await action();
        const seconds = ((performance.now() - start) / 1000).toFixed(1);
        console.log(`ok    ${seconds} s  ${name}${more ? `: ${more}` : ''}`);
    } catch (e) {
        failed++;
        console.log(`FAIL  ${name}: ${e.message}`);
    }
}
const picture = (page, name, fullPage = true) => pictures
    && page.screenshot({ path: path.join(pictures, `${name}.png`), fullPage });
const quiet = (page) => assert.deepEqual(page.heard, [], 'the page asks for or says something');
const ask = (page, what, ...args) => page.evaluate((w, a) => window.arne[w](...a), what, args);
const settled = (page) =>
    page.evaluate(() => new Promise((r) => requestAnimationFrame(() => requestAnimationFrame(r))));

function robotFile(name) {
    return path.join(robots, name);
}

function viewRobot(name) {
    const page = path.join(work, `${name}.html`);
    run('view', robotFile(name), '--quiet', '-o', page);
    return page;
}

// --- robots --------------------------------------------------------------------------------------

// Every frame of the page against what the program computes for the same q. The page's numbers pass
// through 12 digits.
async function compareFrames(page, name) {
    const q = await ask(page, 'q');
    const answer =
        JSON.parse(
            run('compute', 'pose', robotFile(name), '--quiet', '--json', '--q',
                q.map((v) => v.toPrecision(15)).join(',')));
    const { frames } = Array.isArray(answer) ? answer[0] : answer;
    const names = Object.keys(frames);
    assert.ok(names.length > 0);
    for (const frame of names) {
        const [x, y, z, a, b, c, w] = await ask(page, 'frame', frame);
        const { p, R } = frames[frame];
        const size = Math.max(1, ...p.map(Math.abs));
        const places = [x - p[0], y - p[1], z - p[2]].map(Math.abs);
        assert.ok(Math.max(...places) < 1e-7 * size, `${frame} is ${Math.max(...places)} m off`);
        const turned = [
            [1 - 2 * (b * b + c * c), 2 * (a * b - c * w), 2 * (a * c + b * w)],
            [2 * (a * b + c * w), 1 - 2 * (a * a + c * c), 2 * (b * c - a * w)],
            [2 * (a * c - b * w), 2 * (b * c + a * w), 1 - 2 * (a * a + b * b)],
        ];
        for (let i = 0; i < 3; i++)
            for (let k = 0; k < 3; k++)
                assert.ok(Math.abs(turned[i][k] - R[i][k]) < 1e-7, `${frame} is turned wrongly`);
    }
    return names.length;
}

// Moves a slider as a person does: by its input event.
async function moveSliders(page, part) {
    return page.evaluate((share) => {
        const sliders = [...document.querySelectorAll('.joint:not(.passive) input[type=range]')];
        sliders.forEach((s, i) => {
            const low = Number(s.min);
            const high = Number(s.max);
            const now = Number(s.value);
            const wanted = low + (high - low) * (0.5 + 0.4 * Math.sin(1 + 2.3 * i));
            s.value = String(now + share * (wanted - now));
            s.dispatchEvent(new Event('input'));
        });
        return sliders.length;
    }, part);
}

const ROBOTS = [
    ['arm6.yaml', 1], ['arm7_gripper.yaml', 1], ['stanford.yaml', 1], ['human.yaml', 1],
    ['quadruped.urdf', 1],
    ['palletiser.yaml', 0.1], ['delta.yaml', 0.1], ['gough_stewart.yaml', 0.1],
];
for (const [name, part] of ROBOTS) {
    await test(`robot ${name}`, async () => {
        const page = await openPage(browser, viewRobot(name));
        const before = await ask(page, 'inspect');
        assert.ok(before.colours > 200, 'the view is blank');
        assert.ok(before.whole, 'the view cuts the robot off');
        const frames = await compareFrames(page, name);
        const sliders = await moveSliders(page, part);
        assert.ok(sliders > 0, 'there are no sliders');
        await compareFrames(page, name);
        const after = await ask(page, 'inspect');
        assert.notEqual(after.hash, before.hash, 'sliders do not move the bodies');
        quiet(page);
        const text = await page.$eval('.posture', (e) => e.value);
        assert.match(text, /^--q [-0-9.e,]+$/);
        await picture(page, `robot-${path.parse(name).name}`);
        await page.close();
        return `${frames} frames, ${sliders} sliders`;
    });
}

// A tetrahedron in every format that URDF files name, one that is missing, and primitives.
function writeMeshes(dir) {
    mkdirSync(path.join(dir, 'looks', 'meshes'), { recursive: true });
    const mesh = (name, text) => writeFileSync(path.join(dir, 'looks', 'meshes', name), text);
    const v = [[0, 0, 0], [0.3, 0, 0], [0, 0.3, 0], [0, 0, 0.3]];
    const f = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
    const corner = (i) => `vertex ${v[i].map((c) => 1000 * c).join(' ')}`;
    mesh('a.stl',
         `solid a\n${f.map((t) => `facet normal 0 0 0\nouter loop\n${t.map(corner).join('\n')}\nendloop\nendfacet`).join('\n')}\nendsolid a\n`);
    mesh('b.mtl', 'newmtl red\nKd 0.8 0.1 0.1\nmap_Kd missing.png\n');
    mesh('b.obj',
         `mtllib b.mtl\n${v.map((p) => `v ${p.join(' ')}`).join('\n')}\nusemtl red\n${f.map((t) => `f ${t.map((i) => i + 1).join(' ')}`).join('\n')}\n`);
    mesh('c.dae',
         `<?xml version="1.0"?><COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1"><asset><unit meter="0.01"/><up_axis>Z_UP</up_axis></asset><library_geometries><geometry id="g"><mesh><source id="p"><float_array id="a" count="12">${v.flat().map((c) => 100 * c).join(' ')}</float_array><technique_common><accessor source="#a" count="4" stride="3"><param name="X" type="float"/><param name="Y" type="float"/><param name="Z" type="float"/></accessor></technique_common></source><vertices id="v"><input semantic="POSITION" source="#p"/></vertices><triangles count="4"><input semantic="VERTEX" source="#v" offset="0"/><p>${f.flat().join(' ')}</p></triangles></mesh></geometry></library_geometries><library_visual_scenes><visual_scene id="s"><node><instance_geometry url="#g"/></node></visual_scene></library_visual_scenes><scene><instance_visual_scene url="#s"/></scene></COLLADA>`);
    const buffer =
        Buffer.concat(
            [Buffer.from(Float32Array.from(v.flat()).buffer),
             Buffer.from(Uint16Array.from(f.flat()).buffer)]);
    mesh('d.gltf', JSON.stringify({
        asset: { version: '2.0' }, scene: 0, scenes: [{ nodes: [0] }], nodes: [{ mesh: 0 }],
        meshes: [{ primitives: [{ attributes: { POSITION: 0 }, indices: 1 }] }],
        buffers: [
            { byteLength: buffer.length,
              uri: `data:application/octet-stream;base64,${buffer.toString('base64')}` }],
        bufferViews: [{ buffer: 0, byteLength: 48 }, { buffer: 0, byteOffset: 48, byteLength: 24 }],
        accessors: [
            { bufferView: 0, componentType: 5126, count: 4, type: 'VEC3', min: [0, 0, 0],
              max: [0.3, 0.3, 0.3] },
              { bufferView: 1, componentType: 5123, count: 12, type: 'SCALAR' }],
    }));
    const looks = [
        '<mesh filename="package://looks/meshes/a.stl" scale="0.001 0.001 0.001"/>',
        '<mesh filename="meshes/b.obj"/>',
        '<mesh filename="package://looks/meshes/c.dae"/>',
        '<mesh filename="package://looks/meshes/d.gltf"/>',
        '<mesh filename="package://nowhere/e.stl"/>', '<capsule radius="0.05" length="0.2"/>',
    ];
    const inertial =
        '<inertial><mass value="1"/><inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>';
    const links = looks.map((g, i) =>
        `<link name="l${i}">${inertial}<visual><geometry>${g}</geometry></visual></link>`);
    const joints = looks.slice(1)
        .map(
            (_, i) =>
                `<joint name="j${i}" type="revolute"><parent link="l${i}"/><child link="l${i + 1}"/><origin xyz="0.4 0 0"/><axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="1" velocity="1"/></joint>`);
    const file = path.join(dir, 'looks', 'robot.urdf');
    writeFileSync(file, `<robot name="looks">${links.join('')}${joints.join('')}</robot>`);
    return file;
}

await test('meshes', async () => {
    const robot = writeMeshes(work);
    const file = path.join(work, 'meshes.html');
    const said = spawnSync(arne, ['view', robot, '-o', file], { encoding: 'utf8' });
    assert.equal(said.status, 0, said.stderr);
    assert.equal(said.stderr.split('\n').filter((l) => l.includes('nowhere')).length, 1,
                 'one warning');
    const page = await openPage(browser, file);
    await page.waitForFunction(() => window.arne?.solids);
    assert.equal(await ask(page, 'solids'), 4, 'meshes that are shown');
    assert.ok((await ask(page, 'inspect')).colours > 200);
    quiet(page);
    await picture(page, 'robot-meshes', false);
    await page.close();
});

// A run keeps the meshes of its robot: its page can be made again where the robot is gone.
await test('meshes of a run', async () => {
    const home = path.join(work, 'home');
    mkdirSync(home);
    writeMeshes(home);
    const scenario = path.join(home, 'fall.yaml');
    writeFileSync(scenario, 'robot: looks/robot.urdf\nduration: 0.1\n');
    const dir = path.join(work, 'fall');
    run('simulate', scenario, '-o', dir, '--quiet');
    rmSync(home, { recursive: true });
    run('report', dir);
    const page = await openPage(browser, path.join(dir, 'report.html'));
    await page.waitForFunction(() => window.arne?.solids);
    assert.equal(await ask(page, 'solids'), 4, 'meshes that are shown');
    assert.match(readFileSync(path.join(dir, 'inputs', 'meshes', 'b.mtl'), 'utf8'), /newmtl red/);
    quiet(page);
    await page.close();
});

await test('a robot by keyboard', async () => {
    const page = await openPage(browser, path.join(work, 'arm6.yaml.html'));
    const before = await ask(page, 'inspect');
    await page.focus('#stage canvas');
    await page.keyboard.press('ArrowLeft');
    await settled(page);
    const turned = await ask(page, 'inspect');
    assert.notEqual(turned.hash, before.hash, 'arrow keys do not turn the view');
    await page.focus('.joint input[type=range]');
    await page.keyboard.press('ArrowRight');
    assert.notEqual((await ask(page, 'q'))[0], 0, 'arrow keys do not move a joint');
    for (const name of ['Frames', 'Axes', 'Centre of mass', 'Inertia']) {
        const old = await ask(page, 'inspect');
        await page.evaluate((n) =>
            [...document.querySelectorAll('.toggle')].find((b) => b.textContent === n).click(),
            name);
        assert.notEqual((await ask(page, 'inspect')).hash, old.hash, `${name} shows nothing`);
    }
    quiet(page);
    await picture(page, 'robot-overlays', false);
    await page.close();
});

await test('frame time of the human', async () => {
    const page = await openPage(browser, path.join(work, 'human.yaml.html'));
    const ms = await ask(page, 'frameTime', 20);
    await page.close();
    return `${ms.toFixed(1)} ms for a picture in software`;
});

await test('page sizes', async () => {
    const size = statSync(path.join(work, 'arm6.yaml.html')).size;
    assert.ok(size < 3e6);
    return `robot arm6 ${(size / 1e6).toFixed(2)} MB`;
});

// --- runs ----------------------------------------------------------------------------------------

function makeRunPage(robot, rows, seconds, extra = '') {
    const dir = path.join(work, `run-${path.parse(robot).name}`);
    mkdirSync(dir);
    execFileSync(makeRun,
                 [robot === 'hostile' ? robot : robotFile(robot), dir, String(rows),
                  String(seconds), extra]);
    run('report', dir);
    return path.join(dir, 'report.html');
}

const runPages = {
    stanford: () => makeRunPage('stanford.yaml', 2000, 4),
    arm6: () => makeRunPage('arm6.yaml', 20000, 4),
    gait: () =>
        makeRunPage('human.yaml', 400, 1, '"gait": {"speed": 1.2, "step": 0.6}, "snapshots": 6,'),
};
for (const [name, make] of Object.entries(runPages)) {
    await test(`run ${name}`, async () => {
        const file = make();
        const page = await openPage(browser, file);
        const first = await ask(page, 'inspect');
        assert.ok(first.colours > 200, 'the view is blank');
        assert.ok(first.whole, 'the view cuts the robot off');
        await ask(page, 'seek', 0.37);
        const later = await ask(page, 'inspect');
        assert.notEqual(later.hash, first.hash, 'nothing moves');
        await page.waitForFunction(() => window.arne.plotTimes().length > 0);
        const times = await ask(page, 'plotTimes');
        assert.ok(times.every((t) => Math.abs(t - 0.37) < 2e-3), `plots show ${times}`);
        const length = Number(await page.$eval('.scrub input', (s) => s.max));
        assert.equal(length, 1000);
        // A click in a plot goes to that time.
        const over = await page.$('.u-over');
        await over.scrollIntoView();
        const box = await over.boundingBox();
        await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
        const clicked = await ask(page, 'time');
        assert.ok(Math.abs(clicked - 0.37) > 1e-3, 'a click in a plot does not set the time');
        assert.ok((await ask(page, 'plotTimes')).every((t) => Math.abs(t - clicked) < 2e-3));
        // A click on a name hides its line, another shows it again.
        const drawn = () =>
            page.$eval('.legend-list .name',
                       (n) => n.closest('.plot').querySelector('canvas').toDataURL());
        const whole = await drawn();
        const clickName = async () => {
            await page.$eval('.legend-list .name', (n) => n.click());
            await settled(page);
            return drawn();
        };
        assert.notEqual(await clickName(), whole, 'a name does not hide its line');
        await clickName();
        assert.equal(await page.$eval('.legend-list .name', (n) => n.getAttribute('aria-pressed')),
                     'true');
        // Steps and play, by keyboard.
        await page.evaluate(() => document.activeElement?.blur());
        await page.keyboard.press('.');
        const stepped = await ask(page, 'time');
        assert.ok(stepped > clicked, 'a full stop does not step');
        await page.keyboard.press(' ');
        await page.waitForFunction((t) => window.arne.time() !== t, {}, stepped);
        await page.keyboard.press(' ');
        await page.$eval('details.group > summary', (folded) => folded.click());
        await settled(page);
        quiet(page);
        await ask(page, 'seek', 0.37);
        await page.evaluate(() => scrollTo(0, 0));
        await picture(page, `run-${name}`);
        await page.close();
        return `${(statSync(file).size / 1e6).toFixed(2)} MB`;
    });
}

await test('a run of arm6 is below 1.3 MB', async () => {
    assert.ok(statSync(path.join(work, 'run-arm6', 'report.html')).size < 1.3e6);
});

const words = (line) => line.trim().split(',');
const traceOf = (block, group) => block.traces.filter((t) => t.group === group);
const floats = (base64) => {
    const bytes = Buffer.from(base64, 'base64');
    return new Float32Array(bytes.buffer, bytes.byteOffset, bytes.length >> 2);
};

// The feet of a standing quadruped carry it: forces are those of the table, and the centre of
// pressure is their mean place.
await test('contacts', async () => {
    const dir = path.join(work, 'push');
    run('simulate', path.join(robots, '..', 'examples', 'quadruped_push', 'scenario.yaml'), '-o',
        dir, '--quiet');
    const html = readFileSync(path.join(dir, 'report.html'), 'utf8');
    const block = JSON.parse(html.match(/id="arne-data">(.*?)<\/script>/s)[1]);
    const table = readFileSync(path.join(dir, 'result.csv'), 'utf8').trim().split('\n');
    const names = words(table[0]).map((n) => n.replace(/ \[.*/, ''));
    const last = words(table.at(-1)).map(Number);
    const column = (name) => last[names.indexOf(name)];
    const states = path.join(work, 'last.csv');
    writeFileSync(states, `${table[0]}\n${table.at(-1)}\n`);
    const answer =
        JSON.parse(
            run('compute', 'pose', robotFile('quadruped.yaml'), '--quiet', '--json', '--states',
                states));
    const feet = ['front_left_foot', 'front_right_foot', 'rear_left_foot', 'rear_right_foot'];
    const press = feet.map((f) => column(`contact.${f}.fz`));
    const whole = press.reduce((a, b) => a + b);
    const mean = [0, 1].map((k) =>
        feet.reduce((a, f, i) => a + (press[i] * answer[0].frames[f].p[k]) / whole, 0));
    const centre = floats(traceOf(block, 'Centre of pressure')[0].values).slice(-3);
    mean.forEach((v, k) =>
        assert.ok(Math.abs(v - centre[k]) < 1e-4,
                  `the centre of pressure is at ${centre}, not ${mean}`));
    for (const t of traceOf(block, 'Contact forces')) {
        const force = floats(t.values).slice(-3);
        'xyz'.split('').forEach((axis, k) => {
            assert.ok(Math.abs(force[k] - column(`contact.${t.name}.f${axis}`)) < 1e-4,
                      `${t.name}: ${force}`);
        });
    }
    const polygon = floats(traceOf(block, 'Support polygon')[0].values).slice(-3 * 5);
    assert.equal(polygon.filter(Number.isFinite).length, 3 * 4, 'four feet make the polygon');
    const page = await openPage(browser, path.join(dir, 'report.html'));
    await ask(page, 'seek', 0.6);
    for (const name of ['Contact forces', 'Support polygon', 'Centre of pressure']) {
        const old = await ask(page, 'inspect');
        await page.evaluate((n) =>
            [...document.querySelectorAll('.toggle')].find((b) => b.textContent === n).click(),
            name);
        assert.notEqual((await ask(page, 'inspect')).hash, old.hash, `${name} shows nothing`);
    }
    quiet(page);
    await picture(page, 'run-contacts');
    await page.setViewport({ width: 390, height: 844, isMobile: true, hasTouch: true });
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(wide <= 390, `figures beside published ones make it ${wide} px wide`);
    await picture(page, 'phone-run-contacts');
    await page.close();
});

// A push without a file is an arrow for as long as it acts; a link that is picked says where it is
// and how fast; a part of the time is shown in all plots at once.
await test('pushes, picked links, parts of the time', async () => {
    const scenario = path.join(work, 'push.yaml');
    writeFileSync(
        scenario,
        `{robot: ${robotFile('quadruped.yaml')}, duration: 1, base: free, gravity: [0, 0, 0], record: {every: 0.01},
          surroundings: [{type: push, frame: body, force: [0, 30, 0], duration: 0.5, axes: world}]}`,
    );
    const dir = path.join(work, 'pushed');
    run('simulate', scenario, '-o', dir, '--quiet');
    const html = readFileSync(path.join(dir, 'report.html'), 'utf8');
    const block = JSON.parse(html.match(/id="arne-data">(.*?)<\/script>/s)[1]);
    const [trace] = traceOf(block, 'Pushes');
    const values = floats(trace.values);
    assert.deepEqual([...values.slice(3, 6)], [0, 30, 0]);
    assert.deepEqual([...values.slice(-3)], [0, 0, 0]);
    const page = await openPage(browser, path.join(dir, 'report.html'));
    await ask(page, 'seek', 0.9);
    assert.equal(await ask(page, 'pick', 'body'), 'body');
    const told = await ask(page, 'picked');
    for (const word of ['position', 'roll, pitch, yaw', 'kg', 'm/s', 'rad/s'])
        assert.ok(told.includes(word), told);
    const names = readFileSync(path.join(dir, 'result.csv'), 'utf8').split('\n')[0].split(',')
        .map((n) => n.replace(/ \[.*/, ''));
    const at = readFileSync(path.join(dir, 'result.csv'), 'utf8').trim().split('\n')[91].split(',')
        .map(Number);
    const shown = told.match(/velocity([−0-9.×⁻⁰-⁹, ]+) m\/s/)[1].split(',')
        .map((v) => Number.parseFloat(v.replace('−', '-')));
    // in the body's axes
    const size = Math.hypot(...[0, 1, 2].map((k) => at[names.indexOf(`qd.base.${k}`)]));
    assert.ok(Math.abs(Math.hypot(shown[1], shown[2]) - size) < 0.02 * size,
              `${told}, |v| ${size}`);
    await ask(page, 'zoom', 0.2, 0.4);
    for (const [from, to] of await ask(page, 'zoomed')) assert.ok(from === 0.2 && to === 0.4);
    await page.evaluate(() =>
        document.querySelector('[data-plot] .u-over').dispatchEvent(new MouseEvent('dblclick')));
    for (const [from, to] of await ask(page, 'zoomed')) assert.ok(from === 0 && to === 1);
    const plot = await page.$('[data-plot] .u-over');
    await plot.scrollIntoView();
    const box = await plot.boundingBox();
    await page.mouse.move(box.x + box.width / 4, box.y + 20);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width / 2, box.y + 30, { steps: 5 });
    await page.mouse.up();
    for (const [from, to] of await ask(page, 'zoomed'))
        assert.ok(Math.abs(from - 0.25) < 0.02 && Math.abs(to - 0.5) < 0.02, `${from} ${to}`);
    assert.equal(await ask(page, 'time'), 0.9, 'a drag is no click');
    quiet(page);
    await page.evaluate(() => scrollTo(0, 0));
    await picture(page, 'run-picked', false);
    await page.close();
});

// A free base moves by x, y, z, roll, pitch and yaw; sliders say where joints end.
await test('sliders of a free base, limits beside sliders', async () => {
    const page = await openPage(browser, viewRobot('quadruped.yaml'));
    const labels = await page.$$eval('.joint .name',
                                     (all) => all.slice(0, 6)
                                         .map((e) => e.textContent.split(' ').at(-1)));
    assert.deepEqual(labels, ['x', 'y', 'z', 'roll', 'pitch', 'yaw']);
    const joint = (await page.$eval('.joint .name', (e) => e.textContent)).split(' ')[0];
    const [roll, pitch, yaw] = [0.3, -0.5, 2];
    for (const [k, v] of [roll, pitch, yaw].entries()) await ask(page, 'move', joint, v, 3 + k);
    const [x, y, z, w] = (await ask(page, 'q')).slice(3, 7);
    assert.ok(Math.abs(2 * (w * y - z * x) - Math.sin(pitch)) < 1e-12);
    assert.ok(Math.abs(Math.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z)) - yaw) < 1e-12);
    assert.ok(Math.abs(Math.atan2(2 * (w * x + y * z), 1 - 2 * (x * x + y * y)) - roll) < 1e-12);
    const arm = await openPage(browser, viewRobot('arm7.urdf'));
    const ends = await arm.$eval('.joint .limits', (e) => e.textContent);
    assert.match(ends, /−\d+°\d+°/u);
    quiet(arm);
    await picture(arm, 'robot-limits', false);
    await arm.setViewport({ width: 390, height: 844, isMobile: true, hasTouch: true });
    await picture(arm, 'phone-robot-limits');
    await arm.close();
    await page.close();
});

// Figures beside published ones, the mark of the worst constraint, and the tables of a sweep, some
// of whose rows fail.
await test('pages of a plan and of a sweep', async () => {
    const plan = path.join(robots, '..', 'examples', 'two_link_min_time', 'problem.yaml');
    const sweep = path.join(work, 'sweep.yaml');
    run('plan', plan, '-o', path.join(work, 'plan'), '--quiet');
    writeFileSync(sweep,
                  `run: {compute: mass-matrix, robot: ${robotFile('arm6.yaml')}}\nparameters: {robot.bodies.link6.mass: [1, -1, 2, 3]}\n`);
    run('sweep', sweep, '-o', path.join(work, 'sweep'), '--quiet', '-j', '1');
    for (const file of ['plan', 'sweep'].map((d) => path.join(work, d, 'report.html'))) {
        for (const width of [1280, 390]) {
            const page = await openPage(browser, file, { width });
            const wide = await page.evaluate(() => document.documentElement.scrollWidth);
            assert.ok(wide <= width, `${file} is ${wide} px wide on a screen of ${width}`);
            await page.waitForFunction(() => !window.arne || window.arne.plotTimes().length > 0);
            assert.deepEqual(await seriousFlaws(page), []);
            quiet(page);
            await picture(page, `${path.basename(path.dirname(file))}-${width}`);
            await page.close();
        }
    }
    const page = await openPage(browser, path.join(work, 'sweep', 'report.html'));
    assert.match(await page.$eval('main', (m) => m.textContent),
                 /figures of the 3 rows that did not fail/);
    await page.close();
});

// Runs of different lengths: lines are those of the tables, and end where their run does.
await test('three runs compared', async () => {
    const dirs = [0.5, 1, 2].map((duration) => {
        const file = path.join(work, `compared-${duration}.yaml`);
        writeFileSync(file,
                      `{robot: ${robotFile('planar_2r.yaml')}, duration: ${duration}, initial: {qd: [1, ${duration}]}, record: {every: 0.01}}`);
        run('simulate', file, '-o', path.join(work, `compared-${duration}`), '--quiet');
        return path.join(work, `compared-${duration}`);
    });
    const file = path.join(work, 'compared.html');
    run('view', ...dirs, '-o', file);
    const block =
        JSON.parse(readFileSync(file, 'utf8').match(/id="arne-data">(.*?)<\/script>/s)[1]);
    const plot = block.plots.find((p) => p.kind === 'q');
    assert.deepEqual(plot.lines.map((l) => l.name), dirs);
    const x = floats(block.columns[plot.x]);
    plot.lines.forEach((line, i) => {
        const rows = readFileSync(path.join(dirs[i], 'result.csv'), 'utf8').trim().split('\n')
            .map(words);
        const column = rows[0].findIndex((n) => n.startsWith(plot.title));
        const y = floats(block.columns[line.column]);
        const last = y.findLastIndex(Number.isFinite);
        assert.ok(Math.abs(x[last] - [0.5, 1, 2][i]) < 0.01,
                  `the line of ${dirs[i]} ends at ${x[last]} s`);
        const at = Math.floor(last / 2);
        const k = Math.round(x[at] / 0.01);
        assert.ok(Math.abs(y[at] - Number(rows[1 + k][column])) < 0.02);
    });
    const page = await openPage(browser, file);
    assert.equal(await page.$$eval('thead th', (all) => all.length), 4);
    quiet(page);
    assert.deepEqual(await seriousFlaws(page), []);
    await picture(page, 'runs-compared');
    await page.setViewport({ width: 390, height: 844, isMobile: true, hasTouch: true });
    assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 390);
    await page.close();
});

await test('two runs in one view', async () => {
    const file = path.join(work, 'two.html');
    run('view', path.join(work, 'run-stanford'), path.join(work, 'run-arm6'), '-o', file);
    const page = await openPage(browser, file);
    const both = await ask(page, 'inspect');
    await page.evaluate(() => {
        const ghosts = [...document.querySelectorAll('.toggle')].filter((b) =>
            b.title.startsWith('As a ghost'));
        ghosts.find((b) => b.getAttribute('aria-pressed') === 'true').click();
    });
    const one = await ask(page, 'inspect');
    assert.notEqual(both.hash, one.hash, 'the second run cannot be hidden');
    quiet(page);
    await picture(page, 'run-two', false);
    await page.close();
});

await test('the index of examples', async () => {
    // One quick example, laid out as in the source tree.
    const tree = path.join(work, 'tree');
    mkdirSync(path.join(tree, 'examples'), { recursive: true });
    symlinkSync(path.resolve(robots), path.join(tree, 'robots'));
    cpSync(path.join(robots, '..', 'examples', 'swimmer'), path.join(tree, 'examples', 'swimmer'),
           { recursive: true });
    run('demo', '--examples', path.join(tree, 'examples'), '--out', path.join(work, 'demo'));
    const page = await openPage(browser, path.join(work, 'demo', 'index.html'));
    assert.equal(await page.$$eval('article', (all) => all.length), 1);
    assert.ok((await page.$$eval('article svg.thumb path', (all) => all.length)) > 10,
              'there is no drawing');
    assert.ok((await page.$eval('article p', (p) => p.textContent.length)) > 40,
              'there is no sentence');
    assert.deepEqual(await seriousFlaws(page), []);
    quiet(page);
    await picture(page, 'index');
    await page.setViewport({ width: 390, height: 844, isMobile: true, hasTouch: true });
    assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 390);
    await page.close();
});

await test('names stay text', async () => {
    for (const file of [makeRunPage('hostile', 300, 2)]) {
        const page = await openPage(browser, file);
        await page.waitForFunction(() => window.arne.plotTimes().length > 0);
        for (const button of await page.$$('.toggle')) await button.evaluate((b) => b.click());
        for (const folded of await page.$$('details > summary'))
            await folded.evaluate((s) => s.click());
        await settled(page);
        assert.equal(await page.evaluate(() => typeof window.hacked), 'undefined');
        assert.equal(await page.evaluate(() => document.images.length), 0);
        assert.equal(await page.evaluate(() => document.scripts.length), 2);
        const title = await page.$eval('h1', (h) => h.textContent);
        assert.equal(title, '</h1><script>window.hacked=6</script>');
        const cell = await page.$eval('.joints tbody th', (t) => t.textContent);
        assert.equal(cell, '</script><img src=x onerror=window.hacked=4>');
        quiet(page);
        await picture(page, 'run-hostile', false);
        await page.close();
    }
});

await test('exports', async () => {
    const page = await openPage(browser, path.join(work, 'run-stanford', 'report.html'));
    const png = await page.evaluate(async () => {
        const made = [];
        const click = HTMLAnchorElement.prototype.click;
        HTMLAnchorElement.prototype.click = function save() {
            made.push({ name: this.download, href: this.href });
        };
        [...document.querySelectorAll('.views button')].find((b) => b.textContent === 'PNG')
            .click();
        while (!made.length) await new Promise((r) => setTimeout(r, 20));
        HTMLAnchorElement.prototype.click = click;
        return made[0];
    });
    assert.match(png.name, /\.png$/);
    assert.match(png.href, /^blob:/);
    // A film takes as long as the motion: four seconds at a quarter of them.
    const film = await page.evaluate(async () => {
        const made = [];
        const make = URL.createObjectURL;
        URL.createObjectURL = (blob) => {
            made.push(blob);
            return make.call(URL, blob);
        };
        const click = HTMLAnchorElement.prototype.click;
        HTMLAnchorElement.prototype.click = () => undefined;
        const speed = document.querySelector('.timebar select');
        speed.value = [...speed.options].at(-1).value;
        speed.dispatchEvent(new Event('change'));
        [...document.querySelectorAll('.views button')].find((b) => b.textContent === 'WebM')
            .click();
        while (!made.length) await new Promise((r) => setTimeout(r, 50));
        HTMLAnchorElement.prototype.click = click;
        const bytes = new Uint8Array(await made[0].arrayBuffer());
        return { type: made[0].type, size: bytes.length, head: [...bytes.slice(0, 4)] };
    });
    assert.equal(film.type, 'video/webm');
    assert.deepEqual(film.head, [0x1a, 0x45, 0xdf, 0xa3], 'it is no Matroska file');
    assert.ok(film.size > 5000, `a film of ${film.size} bytes`);
    quiet(page);
    await page.close();
    return `WebM ${(film.size / 1e3).toFixed(0)} kB`;
});

// --- phones, darkness, access --------------------------------------------------------------------

// What axe looks at takes long on the pages of the human, which have nothing that the others do not
// have.
const everywhere = [
    ['arm6.yaml.html', true], ['human.yaml.html', false], ['run-stanford/report.html', true],
    ['run-human/report.html', false],
];
for (const [name, access] of everywhere) {
    await test(`${name} on a phone and in the dark`, async () => {
        const file = path.join(work, name);
        const label = name.replace(/[^a-z0-9]+/gi, '-').replace(/-(report-)?html$/, '');
        const phone = await openPage(browser, file, { width: 390, height: 844 });
        const wide = await phone.evaluate(() => document.documentElement.scrollWidth);
        assert.ok(wide <= 390, `it is ${wide} px wide on a screen of 390`);
        assert.ok((await ask(phone, 'inspect')).colours > 200);
        quiet(phone);
        await picture(phone, `phone-${label}`);
        await phone.close();
        const dark = await openPage(browser, file, { dark: true });
        await settled(dark);
        await picture(dark, `dark-${label}`, false);
        if (access) assert.deepEqual(await seriousFlaws(dark), []);
        await dark.close();
        if (!access) return;
        const light = await openPage(browser, file);
        await settled(light);
        assert.deepEqual(await seriousFlaws(light), []);
        await light.close();
    });
}

await stop();
rmSync(work, { recursive: true, force: true });
if (failed) {
    console.log(`${failed} tests failed`);
    process.exit(1);
}
