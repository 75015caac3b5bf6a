// A page of `robot.show(live=True)` for some seconds: live.mjs URL SECONDS. Prints as JSON how many
// poses a second it takes, the quartiles of the times between them in milliseconds, the positions
// that it shows at the end, and what it says to the console.
import { startBrowser } from './browser.mjs';

const [url, seconds] = process.argv.slice(2);
const { browser, stop } = await startBrowser();
const page = await browser.newPage();
const heard = [];
page.on('console', (m) => heard.push(m.text()));
page.on('pageerror', (e) => heard.push(e.message));
await page.goto(url);
await page.waitForFunction(() => window.arne?.pose);
const found = await page.evaluate(async (wait) => {
    const { pose } = window.arne;
    const taken = [];
    window.arne.pose = (q) => {
        taken.push(performance.now());
        pose(q);
    };
    await new Promise((resolve) => setTimeout(resolve, wait));
    const gaps = taken.slice(1).map((t, i) => t - taken[i]).sort((a, b) => a - b);
    const span = (taken.at(-1) - taken[0]) / 1000;
    const quartiles = [1, 2, 3].map((k) => gaps[Math.floor((k * gaps.length) / 4)]);
    return { rate: gaps.length / span, quartiles, q: window.arne.q() };
}, 1000 * seconds);
console.log(JSON.stringify({ ...found, heard }));
await stop();
