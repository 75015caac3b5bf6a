// Every page of the documentation's site, on a phone and on a desk: site.mjs SITE [PICTURES].
//
// A page must not be wider than the screen, ask for nothing outside of the site, have all of its
// pictures, and say nothing to the console. PICTURES gets what each looks like, PAGE.390.png and
// PAGE.1280.png.
import { mkdirSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { startBrowser } from './browser.mjs';

const [site, pictures] = process.argv.slice(2).map((p) => path.resolve(p));
const pages = readdirSync(site, { recursive: true }).filter((p) => p.endsWith('.html')).sort();
const { browser, stop } = await startBrowser();
const page = await browser.newPage();
const flaws = [];
let said = [];
page.on('console', (m) => said.push(`console ${m.type()}: ${m.text()}`));
page.on('pageerror', (e) => said.push(`error: ${e.message}`));
page.on('request', (r) => {
    if (!r.url().startsWith(`file://${site}/`) && !/^(data|blob):/.test(r.url()))
        said.push(`request: ${r.url()}`);
});
if (pictures) mkdirSync(pictures, { recursive: true });
for (const width of [390, 1280]) {
    await page.setViewport(
        { width, height: width < 500 ? 844 : 900, deviceScaleFactor: 1, isMobile: width < 500,
          hasTouch: width < 500 });
    for (const name of pages) {
        said = [];
        await page.goto(`file://${site}/${name}`);
        const found = await page.evaluate(() => ({
            wide: document.documentElement.scrollWidth - document.documentElement.clientWidth,
            broken: [...document.images].filter((i) => i.complete && i.naturalWidth === 0)
                .map((i) => i.src),
            title: document.title,
            words: document.body.innerText.split(/\s+/).length,
        }));
        if (found.wide > 1)
            flaws.push(`${name} at ${width}: ${found.wide} pixels wider than the screen`);
        if (!found.title || found.words < 20) flaws.push(`${name}: no title, or nothing on it`);
        for (const src of found.broken) flaws.push(`${name}: no picture ${src}`);
        for (const line of said) flaws.push(`${name} at ${width}: ${line}`);
        if (pictures)
            await page.screenshot(
                { path: path.join(pictures, `${name.replaceAll('/', '_')}.${width}.png`) });
    }
}
// What other libraries call it leads to the place that docs/words.md names.
await page.goto(`file://${site}/index.html`);
const missed = await page.evaluate(() => {
    const query = document.getElementById('query');
    const first = (text) => {
        query.value = text;
        query.dispatchEvent(new Event('input'));
        return document.querySelector('#found a')?.getAttribute('href');
    };
    const rows = window.pages.filter((entry) => entry.synonyms);
    const wrong =
        rows.flatMap((row) => row.synonyms.filter((name) => first(name) !== window.back + row.at));
    return rows.length > 10 ? wrong : ['docs/words.md has no rows'];
});
for (const name of missed) flaws.push(`search for '${name}' leads elsewhere`);
await stop();
for (const flaw of flaws) console.log(flaw);
console.log(`${pages.length} pages, ${flaws.length} flaws`);
process.exit(flaws.length || pages.length < 50 ? 1 : 0);
