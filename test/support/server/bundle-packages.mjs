/**
 * `node bundle-packages.mjs <folder>`, the `node_modules` of the programs that are to load them:
 * writes each package as one file, and what they share. Most of a server's start is the loading of
 * thousands of files, and tests start hundreds of servers.
 */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { rolldown } from 'rolldown';

/** Packages of many files each, by what the server imports of them. */
const BUNDLED = {
  '@nestjs/common': ['index.js'],
  '@nestjs/config': ['index.js'],
  '@nestjs/core': ['index.js', 'nest-factory.js'],
  '@nestjs/platform-express': ['index.js'],
  '@nestjs/swagger': ['index.js'],
  'class-transformer': ['index.js'],
  'class-validator': ['index.js'],
  express: ['index.js'],
  jose: ['index.js'],
  'prom-client': ['index.js'],
  rxjs: ['index.js'],
  zod: ['index.js'],
};

/** What a server does not have, and what has to be there once in a process. */
const NOT_BUNDLED = [
  /^@nestjs\/(microservices|platform-fastify|websockets)/,
  /^@fastify\/static/,
  'class-transformer/storage',
  'reflect-metadata',
  'swagger-ui-dist',
];

const [folder] = process.argv.slice(2);
const sources = join(folder, '.sources');
await mkdir(sources, { recursive: true });
const input = {};
for (const [name, files] of Object.entries(BUNDLED))
  for (const file of files) {
    const source = join(sources, `${name.replaceAll('/', '_')}_${file}`);
    await writeFile(source, await reexport(file === 'index.js' ? name : `${name}/${file}`));
    input[join(name, file.replace(/\.js$/, ''))] = source;
  }
const bundle = await rolldown({ input, platform: 'node', external: NOT_BUNDLED });
await bundle.write({ dir: folder, chunkFileNames: '.chunks/[name]-[hash].js' });
await bundle.close();
await rm(sources, { recursive: true });
for (const written of ['.chunks', ...Object.keys(BUNDLED)])
  await writeFile(join(folder, written, 'package.json'), '{"type":"module"}');

/** By name, since a bundler does not see the names of a CommonJS module. */
async function reexport(specifier) {
  const names = Object.keys(await import(specifier));
  const own = names.filter((name) => name !== 'module.exports' && name !== 'default');
  const from = JSON.stringify(specifier);
  return [
    `import * as all from ${from};`,
    ...own.map((name, at) => `const own${at} = all[${JSON.stringify(name)}];`),
    `export { ${own.map((name, at) => `own${at} as ${name}`).join(', ')} };`,
    ...(names.includes('default') ? [`export { default } from ${from};`] : []),
  ].join('\n');
}
