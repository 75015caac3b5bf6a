// Pictures of the robots, for their README and the front page: draw.mjs ARNE ROBOTS OUT
//
// Each robot is opened as `arne view` shows it, and its stage is saved: NAME.webp, and for the
// front page four of them side by side, front.webp and front-dark.webp.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openPage, startBrowser } from '../tests/browser/browser.mjs';

const [arne, robots, out] = process.argv.slice(2);
// Robots whose neutral posture hides what they are.
const POSTURES = {
    arm6: '0.4,-1.2,1.6,-2,-1.57,0',
    arm7: '0.5,-0.5,0,-2.2,0,1.8,0.8',
    arm7_gripper: '0.5,-0.5,0,-2.2,0,1.8,0.8,0.02',
    planar_2r: '0.4,0.9',
    puma560: '0.3,0.4,2.6,0,0.6,0',
    quadruped: '0,0,0.26,0,0,0,1,0,-0.8,1.6,0,-0.8,1.6,0,-0.8,1.6,0,-0.8,1.6',
    scara: '0.5,0.9,0.1,0',
    slider_crank: '0.9,-1.1193454556632034,-0.02323228696447545',
    stanford: '0.5,1.2,0.5,0,0.6,0',
};
const FRONT = ['arm7', 'quadruped', 'gough_stewart', 'humanoid'];

const folder = mkdtempSync(path.join(tmpdir(), 'arne-draw-'));
const { browser, stop } = await startBrowser();

async function picture(name, file, dark) {
    const html = path.join(folder, `${name}.html`);
    const posture = POSTURES[name] ? ['--q', POSTURES[name]] : [];
    execFileSync(arne, ['view', path.join(robots, file), '-o', html, '--quiet', ...posture]);
    const page = await openPage(browser, html, { width: 760, height: 900, dark });
    await page.evaluate(() => window.arne.frameTime?.(3));
    const stage = await page.$('#stage');
    const image = await stage.screenshot({ type: 'webp', quality: 82 });
    await page.close();
    return image;
}

async function front(images, name, dark) {
    const cells = images.map((image) =>
        `<img src="data:image/webp;base64,${Buffer.from(image).toString('base64')}">`);
    const html = path.join(folder, 'front.html');
    const style =
        'body{margin:0;display:grid;grid-template-columns:repeat(4,1fr);gap:6px;width:1200px} img{width:100%;display:block;border-radius:8px}';
    writeFileSync(html,
                  `<style>${style} body{background:${dark ? '#14181c' : '#fff'}}</style>${cells.join('')}`);
    const page = await browser.newPage();
    await page.setViewport({ width: 1200, height: 260 });
    await page.goto(`file://${html}`);
    writeFileSync(path.join(out, name),
                  await page.screenshot({ type: 'webp', quality: 82, fullPage: true }));
    await page.close();
}

mkdirSync(out, { recursive: true });
const files = readdirSync(robots).filter((f) => /\.(yaml|urdf)$/.test(f));
const seen = new Map();
for (const file of files) {
    const name = path.parse(file).name;
    if (seen.has(name)) continue; // quadruped.urdf is in quadruped.yaml
    const best = files.includes(`${name}.yaml`) ? `${name}.yaml` : file;
    seen.set(name, best);
    writeFileSync(path.join(out, `${name}.webp`), await picture(name, best, false));
    console.log(name);
}
for (const dark of [false, true]) {
    const images = [];
    for (const name of FRONT) images.push(await picture(name, seen.get(name), dark));
    await front(images, dark ? 'front-dark.webp' : 'front.webp', dark);
}
await stop();
rmSync(folder, { recursive: true, force: true });
