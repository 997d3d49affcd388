/**
 * `node bundle-programs.mjs <folder> <program>…`: writes compiled programs of a folder, such as
 * `dist/src/main.js`, as `programs/dist-src-main.js`, with their modules and the large packages in
 * few files. Most of a server's start is the loading of thousands of files, and tests start
 * hundreds of servers.
 */
import { dirname, isAbsolute, join, relative } from 'node:path';
import { rolldown } from 'rolldown';

/** Packages of many files each that every server loads, with all that they import. */
const BUNDLED = [
  '@nestjs/common',
  '@nestjs/config',
  '@nestjs/core',
  '@nestjs/platform-express',
  '@nestjs/swagger',
  'class-transformer',
  'class-validator',
  'express',
  'jose',
  'prom-client',
  'rxjs',
  'typeorm',
  'uuid',
  'zod',
];

/** What a server does not have, and what has to be there once in a process. */
const NOT_BUNDLED = [
  /^@nestjs\/(microservices|platform-fastify|websockets)/,
  /^@fastify\/static/,
  /^class-transformer\/storage/,
  /^reflect-metadata/,
  /^swagger-ui-dist/,
];

const [folder, ...programs] = process.argv.slice(2);

/** Modules find files by their own place, which is not that of the bundle. */
const keepPlaces = {
  name: 'keep-places',
  transform(code, id) {
    if (!code.includes('import.meta.')) return null;
    const file = JSON.stringify(`../${relative(folder, id)}`);
    const parent = JSON.stringify(`/../${relative(folder, dirname(id))}`);
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
    const isOurs = importer?.startsWith(folder);
    return isOurs && !BUNDLED.some((name) => id === name || id.startsWith(`${name}/`));
  },
  plugins: [keepPlaces],
});
await bundle.write({
  dir: join(folder, 'programs'),
  keepNames: true,
  entryFileNames: '[name]',
  chunkFileNames: '[name]-[hash].js',
});
await bundle.close();

function nameOf(path) {
  return path.replaceAll('/', '-');
}
