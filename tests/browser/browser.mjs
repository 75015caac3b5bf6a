// A browser for tests: pages are opened from files, and whatever they ask for or say is written
// down.
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';

const require = createRequire(path.join(process.env.MODULES, 'package.json'));
const puppeteer = require('puppeteer-core');
export const axeSource = require('axe-core').source;

const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
// Software rendering; nothing of the browser's own goes out.
const FLAGS = [
    '--no-sandbox', '--disable-gpu-sandbox', '--disable-quic', '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update', '--disable-sync', '--disable-dev-shm-usage', '--use-gl=angle',
    '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--ignore-gpu-blocklist',
];

export async function startBrowser() {
    const executablePath = CHROMIUM.find((p) => existsSync(p));
    if (!executablePath) {
        console.log('skipped: chromium was not found (package chromium)');
        process.exit(77);
    }
    const userDataDir = mkdtempSync(path.join(tmpdir(), 'arne-browser-'));
    const browser =
        await puppeteer.launch({ executablePath, headless: true, userDataDir, args: FLAGS });
    return {
        browser,
        async stop() {
            await browser.close();
            rmSync(userDataDir, { recursive: true, force: true });
        },
    };
}

/** Opens a file; page.heard has every message, error and request that leaves. */
export async function openPage(browser, file,
                               { width = 1280, height = 900, dark = false, still = true } = {}) {
    const page = await browser.newPage();
    page.heard = [];
    page.on('console', (m) => page.heard.push(`console ${m.type()}: ${m.text()}`));
    page.on('pageerror', (e) => page.heard.push(`error: ${e.message}`));
    page.on('request', (r) => {
        const url = r.url();
        if (url !== `file://${file}` && !/^(data|blob):/.test(url))
            page.heard.push(`request: ${url}`);
    });
    const phone = width < 500;
    await page.setViewport(
        { width, height, deviceScaleFactor: phone ? 2 : 1, isMobile: phone, hasTouch: phone });
    await page.emulateMediaFeatures([
        { name: 'prefers-color-scheme', value: dark ? 'dark' : 'light' },
        { name: 'prefers-reduced-motion', value: still ? 'reduce' : 'no-preference' },
    ]);
    await page.goto(`file://${file}`);
    await page.waitForFunction(() => !document.getElementById('stage') || window.arne?.inspect);
    return page;
}

/** What axe finds that is serious or worse, as lines. */
export async function seriousFlaws(page) {
    await page.evaluate(axeSource);
    const found =
        await page.evaluate(() => window.axe.run(document, { resultTypes: ['violations'] }));
    return found.violations
        .filter((v) => v.impact === 'serious' || v.impact === 'critical')
        .map(
            (v) =>
                `${v.id}: ${v.help}: ${v.nodes.map((n) => n.html.slice(0, 120)).slice(0, 3).join(' | ')}`);
}
