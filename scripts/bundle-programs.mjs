/**
 * `node scripts/bundle-programs.mjs <folder> <program>…`: writes compiled programs of a folder,
 * such as `dist/src/main.js`, to `dist/programs/main.js`, with their modules and the large packages
 * in few files, since most of a server's start would be the loading of thousands.
 */
import { dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { rolldown } from 'rolldown';

/** Packages of many files each that every server loads, with all that they import. */
const BUNDLED = [
  '@nestjs/common',
  '@nestjs/config',
  '@nestjs/core',
  '@nestjs/platform-express',
  '@nestjs/swagger',
  'content-disposition',
  'express',
  'jose',
  'prom-client',
  'rxjs',
  'typeorm',
  'uuid',
  'zod',
];

/** What a server does not have, and packages with state that a second copy would not share. */
const NOT_BUNDLED = [
  /^@nestjs\/(microservices|platform-fastify|websockets)/,
  /^@fastify\/static/,
  /^class-(transformer|validator)/,
  /^reflect-metadata/,
  /^swagger-ui-dist/,
];

/** Its copies share their state, by a symbol of the process. */
const SHARES_STATE = new Set(['@opentelemetry/api']);

const [given, ...programs] = process.argv.slice(2);
const folder = resolve(given);
const output = join(folder, 'dist/programs');

/** Modules find files by their own place, which is not that of the bundle. */
const keepPlaces = {
  name: 'keep-places',
  transform(code, id) {
    if (!code.includes('import.meta.')) return null;
    const file = JSON.stringify(relative(output, id));
    const parent = JSON.stringify(`/${relative(output, dirname(id))}`);
    return code
      .replaceAll('import.meta.dirname', `(import.meta.dirname + ${parent})`)
      .replaceAll('import.meta.url', `new URL(${file}, import.meta.url).href`);
  },
};

const bundle = await rolldown({
  cwd: folder,
  input: Object.fromEntries(programs.map((path) => [nameOf(path), join(folder, path)])),
  platform: 'node',
  external: (id, importer) => {
    if (id.startsWith('.') || isAbsolute(id)) return false;
    if (NOT_BUNDLED.some((pattern) => pattern.test(id))) return true;
    const isOurs = importer && !relative(folder, importer).includes('node_modules');
    return isOurs && !BUNDLED.some((name) => id === name || id.startsWith(`${name}/`));
  },
  plugins: [keepPlaces],
});
const written = await bundle.write({
  dir: output,
  keepNames: true,
  entryFileNames: '[name]',
  chunkFileNames: '[name]-[hash].js',
});
await bundle.close();
requireOneCopyEach(written.output);

/** A bundled package that is loaded from `node_modules` as well would be there twice. */
function requireOneCopyEach(chunks) {
  const bundled = new Set(
    chunks
      .flatMap(({ moduleIds = [] }) => moduleIds)
      .map((id) => packageOf(id.split('node_modules/').at(-1))),
  );
  const loaded = chunks.flatMap(({ code = '', imports = [], dynamicImports = [] }) => [
    ...imports,
    ...dynamicImports,
    ...Array.from(code.matchAll(/\brequire(?:\$\d+)?\("([^"]+)"\)/g), ([, name]) => name),
  ]);
  const twice = new Set(
    loaded.map(packageOf).filter((name) => bundled.has(name) && !SHARES_STATE.has(name)),
  );
  if (twice.size > 0)
    throw new Error(`Bundled and loaded from node_modules: ${[...twice].join(', ')}`);
}

function packageOf(path) {
  return path.split('/', path.startsWith('@') ? 2 : 1).join('/');
}

/** The terminal is called as the package is. */
function nameOf(path) {
  if (path === 'dist/terminal/main.js') return 'parley.js';
  return path.replace(/^dist\/(src\/)?/, '').replaceAll('/', '-');
}
