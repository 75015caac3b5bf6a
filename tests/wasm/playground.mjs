// Pages that compute, in a real browser: playground.mjs ARNE ROBOTS PLAYGROUND PICTURES. A dropped
// file shows its robot; what is moved by slider or by hand is where the program says; nothing is
// asked from a network or said; names stay text.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openPage, seriousFlaws, startBrowser } from '../browser/browser.mjs';

const [arne, robots, playground, pictures] = process.argv.slice(2);
const work = mkdtempSync(path.join(tmpdir(), 'arne-live-'));
mkdirSync(pictures, { recursive: true });
const run = (...words) =>
    execFileSync(arne, words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
const { browser, stop } = await startBrowser();
let failed = 0;
async function test(name, action) {
    try {
        const more = await action();
        console.log(`ok    ${name}${more ? `: ${more}` : ''}`);
    } catch (e) {
        failed++;
        console.log(`FAIL  ${name}: ${e.message}`);
    }
}
const ask = (page, what, ...args) => page.evaluate((w, a) => window.arne[w](...a), what, args);
const quiet = (page) => assert.deepEqual(page.heard, [], 'the page asks for or says something');
const picture = (page, name, fullPage = true) =>
    page.screenshot({ path: path.join(pictures, `${name}.png`), fullPage });

async function openPlayground(options) {
    const page = await openPage(browser, path.resolve(playground), options);
    await page.waitForFunction(() => window.arne?.labels);
    return page;
}

// As a person does it: files that arrive by a drop.
async function drop(page, files) {
    const shown = await page.$eval('#playground', (e) => e.textContent);
    await page.evaluate((list) => {
        const data = new DataTransfer();
        for (const { name, text } of list) data.items.add(new File([text], name));
        dispatchEvent(
            new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }));
    }, files);
    await page.waitForFunction((old) => document.getElementById('playground').textContent !== old,
                               {}, shown);
    await page.evaluate(() => new Promise((r) => setTimeout(r, 200)));
}
const robotFile = (name) => ({ name, text: readFileSync(path.join(robots, name), 'utf8') });

async function sameAsProgram(page, name) {
    const file = path.join(robots, name);
    const q = (await ask(page, 'q')).map((v) => v.toPrecision(15)).join(',');
    const compute = (what) =>
        JSON.parse(run('compute', what, file, '--quiet', '--json', '--q', q))[0];
    const { frames } = compute('pose');
    for (const [frame, { p }] of Object.entries(frames)) {
        const there = await ask(page, 'frame', frame);
        p.forEach((v, i) => assert.ok(Math.abs(v - there[i]) < 1e-7, `${frame} is elsewhere`));
    }
    const active = await ask(page, 'live', 'active');
    const gravity = await ask(page, 'live', 'gravity');
    const { tau } = compute('gravity');
    const own = tau.length === active.length ? active.map((v) => gravity[v]) : gravity;
    const size = Math.max(1, ...tau.map(Math.abs));
    own.forEach(
        (v, i) =>
            assert.ok(Math.abs(v - tau[i]) < 1e-8 * size, `torque ${i} is ${v}, not ${tau[i]}`));
}

async function moveSliders(page, part) {
    await page.evaluate((share) => {
        [...document.querySelectorAll('.joint:not(.passive) input[type=range]')].forEach((s, i) => {
            const wanted = Number(s.min)
                + (Number(s.max) - Number(s.min)) * (0.5 + 0.4 * Math.sin(1 + 2.3 * i));
            s.value = String(Number(s.value) + share * (wanted - Number(s.value)));
            s.dispatchEvent(new Event('input'));
        });
    }, part);
}

await test('the playground', async () => {
    const page = await openPlayground();
    for (const [name, part] of [['arm7.urdf', 0.6], ['delta.yaml', 0.1], ['humanoid.yaml', 0.3]]) {
        await drop(page, [robotFile(name)]);
        const before = await ask(page, 'inspect');
        assert.ok(before.colours > 200, `${name}: the view is blank`);
        await sameAsProgram(page, name);
        await moveSliders(page, part);
        await sameAsProgram(page, name);
        assert.notEqual((await ask(page, 'inspect')).hash, before.hash,
                        `${name}: sliders do not move it`);
        const rows = await page.$$eval('.loads tbody tr', (all) => all.length);
        assert.ok(rows > 0 && rows <= 10, `${rows} most loaded joints`);
        await picture(page, `playground-${path.parse(name).name}`);
    }
    quiet(page);
    const us = await ask(page, 'callTime', 20000);
    await page.close();
    return `${us.toFixed(2)} us for gravity of the humanoid, ${(statSync(playground).size / 1e6).toFixed(2)} MB`;
});

await test('an end that is dragged', async () => {
    const page = await openPlayground();
    for (const name of ['arm7.urdf', 'delta.yaml']) {
        await drop(page, [robotFile(name)]);
        if (name === 'arm7.urdf') await moveSliders(page, 0.2);
        await page.$eval('#stage', (e) => e.scrollIntoView());
        await ask(page, 'inspect');
        const { frame, at } = await ask(page, 'handle', 0);
        const before = await ask(page, 'frame', frame);
        await page.mouse.move(...at);
        await page.mouse.down();
        await page.mouse.move(at[0] + 12, at[1] + 9, { steps: 5 });
        await page.mouse.up();
        const after = await ask(page, 'frame', frame);
        const way = Math.hypot(after[0] - before[0], after[1] - before[1], after[2] - before[2]);
        assert.ok(way > 1e-3, `${name}: ${frame} at ${at} moved by ${way} m`);
        await ask(page, 'inspect');
        const [x, y] = (await ask(page, 'handle', 0)).at;
        assert.ok(Math.hypot(x - at[0] - 12, y - at[1] - 9) < 4,
                  `${name}: the end is not under the pointer`);
        await sameAsProgram(page, name);
    }
    quiet(page);
    await page.close();
});

await test('mistakes, and names that are no markup', async () => {
    const page = await openPlayground();
    const { text } = robotFile('arm6.yaml');
    await drop(page,
               [{ name: 'bad.yaml', text: text.replaceAll(/mass: [0-9.]+/g, 'mass: heavy') }]);
    const said = await page.$$eval('.says-list.wrong p', (all) => all.map((p) => p.textContent));
    assert.ok(said.length > 1 && said.every((l) => /^line \d+:.*heavy/.test(l)), said.join(' | '));
    await drop(page, [{ name: 'notes.txt', text: 'hello' }]);
    assert.match(await page.$eval('.says-list.wrong', (e) => e.textContent), /URDF/);
    const hostile = '</script><img src=x onerror=window.hacked=4>';
    const named = text.replace('name: arm6', `name: "${hostile}"`)
        .replaceAll('joint1', `"${hostile}1"`);
    await drop(page, [{ name: 'hostile.yaml', text: named.replaceAll('link6', `"${hostile}6"`) }]);
    assert.ok((await page.$eval('.robot-name', (h) => h.textContent)).startsWith(hostile));
    assert.equal(await page.evaluate(() => typeof window.hacked), 'undefined');
    assert.equal(await page.evaluate(() => document.images.length), 0);
    quiet(page);
    await page.close();
});

await test('a phone, the dark, access', async () => {
    const phone = await openPlayground({ width: 390, height: 844 });
    const wide = await phone.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(wide <= 390, `it is ${wide} px wide on a screen of 390`);
    quiet(phone);
    await picture(phone, 'phone-playground');
    await phone.close();
    for (const dark of [false, true]) {
        const page = await openPlayground({ dark });
        assert.deepEqual(await seriousFlaws(page), []);
        await picture(page, dark ? 'dark-playground' : 'playground');
        await page.close();
    }
});

for (const name of ['arm6.yaml', 'gough_stewart.yaml', 'human.yaml']) {
    await test(`arne view --live ${name}`, async () => {
        const file = path.join(work, `${name}.html`);
        run('view', path.join(robots, name), '--live', '--quiet', '-o', file);
        const size = statSync(file).size;
        assert.ok(size < 3e6, `${size} bytes`);
        const page = await openPage(browser, file);
        await page.waitForFunction(() => window.arne?.labels);
        await sameAsProgram(page, name);
        await moveSliders(page, name === 'arm6.yaml' ? 0.5 : 0.1);
        await sameAsProgram(page, name);
        quiet(page);
        await picture(page, `live-${path.parse(name).name}`);
        await page.close();
        return `${(size / 1e6).toFixed(2)} MB`;
    });
}

await stop();
rmSync(work, { recursive: true, force: true });
process.exit(failed ? 1 : 0);
