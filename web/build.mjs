// Bundles the viewer: node build.mjs MODULES OUT [WASM]. MODULES is where npm installed what
// package.json names; OUT gets view.js, view.css, mesh.js (the same with readers of meshes) and
// licences.txt. Where WASM holds the library as a module (live.js, live.wasm: see `make wasm`) OUT
// also gets live.js, a bundle that computes, and playground.html; else an empty live.js.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const [modules, out, wasm = '.'] = process.argv.slice(2).map((p) => path.resolve(p));
if (!modules || !out) throw new Error('usage: node build.mjs MODULES OUT [WASM]');
const here = path.dirname(fileURLToPath(import.meta.url));
const require = createRequire(path.join(modules, 'package.json'));
const esbuild = require('esbuild');

const common = {
    bundle: true,
    minify: true,
    charset: 'ascii',
    target: ['chrome100', 'firefox100', 'safari15'],
    legalComments: 'none',
    nodePaths: [modules],
    absWorkingDir: here,
    logLevel: 'warning',
    metafile: true,
};

// A bundle stands within <script>: what would end that must not be in it.
function harmless(text) {
    return text.replaceAll('</script', '<\\/script').replaceAll('<!--', '<\\!--');
}

const used = new Set();

// One file that needs nothing else. The policy lets it compile the module it carries, and ask
// nobody for anything.
function playground() {
    const parts = {
        style: readFileSync(path.join(here, '..', 'src', 'report', 'page.css'), 'utf8')
            + readFileSync(path.join(out, 'view.css'), 'utf8'),
        script: readFileSync(path.join(out, 'live.js'), 'utf8'),
    };
    const page = readFileSync(path.join(here, 'playground', 'index.html'), 'utf8');
    return page.replace(/\{\{(style|script)\}\}/g, (_, part) => parts[part]);
}

// Pages are sent around by themselves: they say what they carry of others.
function notice() {
    const parts = [...used].sort().map((name) => {
        const licence = readFileSync(path.join(modules, name, 'LICENSE'), 'utf8');
        return `${name}: ${(licence.match(/copyright.*/i)?.[0] ?? '').replace('©', '(c)')}, MIT licence`;
    });
    return `/* Contains ${parts.join('; ')} */\n`;
}

const liveModule = path.join(wasm, 'live.js');
const none = path.join(here, 'src', 'no-live.ts');

async function bundle(entry, name, withMeshes, withLive = false) {
    const result = await esbuild.build({
        ...common,
        entryPoints: { [name]: entry },
        outdir: out,
        write: false,
        format: 'iife',
        define: { WITH_MESHES: String(withMeshes), WITH_LIVE: String(withLive) },
        alias: {
            'arne-live': withLive ? liveModule : none,
            'arne-live-code': withLive ? path.join(wasm, 'live.wasm') : none,
        },
        loader: { '.wasm': 'base64', '.yaml': 'text' },
        external: withLive ? ['fs', 'path'] : [], // what the module would ask node for
    });
    for (const input of Object.keys(result.metafile.inputs)) {
        const found = input.split('node_modules/').at(-1)?.match(/^(@[^/]+\/[^/]+|[^/]+)\//);
        if (input.includes('node_modules/') && found) used.add(found[1]);
    }
    for (const file of result.outputFiles) writeFileSync(file.path, notice() + harmless(file.text));
}

mkdirSync(out, { recursive: true });
// Readers of meshes are large: only pages with meshes carry them.
await bundle('src/main.ts', 'view', false);
await bundle('src/main.ts', 'mesh', true);
rmSync(path.join(out, 'mesh.css')); // the same as view.css
if (existsSync(liveModule)) {
    await bundle('src/main.ts', 'live', true, true);
    rmSync(path.join(out, 'live.css'));
    writeFileSync(path.join(out, 'playground.html'), playground());
} else {
    writeFileSync(path.join(out, 'live.js'), '');
}

// What the bundle holds of others, with their licences.
const texts = [...used].sort().map((name) => {
    const dir = path.join(modules, name);
    const { version } = JSON.parse(readFileSync(path.join(dir, 'package.json'), 'utf8'));
    return `${name} ${version}\n\n${readFileSync(path.join(dir, 'LICENSE'), 'utf8').trim()}\n`;
});
// The module has what emscripten and Debian's sources bring: their licences lie beside it.
const others = path.join(wasm, 'licences.txt');
if (existsSync(liveModule) && existsSync(others)) texts.push(readFileSync(others, 'utf8'));
writeFileSync(path.join(out, 'licences.txt'), texts.join(`\n${'-'.repeat(80)}\n\n`));
