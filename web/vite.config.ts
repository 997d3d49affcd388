import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import { defineConfig, loadEnv } from 'vite';
import type { Plugin } from 'vite';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

export default defineConfig(async ({ command, mode }) => {
  // Tests build the console that is shipped: their NODE_ENV would choose the slower React.
  // oxlint-disable-next-line node/no-process-env -- where the bundler reads it
  if (command === 'build') process.env['NODE_ENV'] = 'production';
  return {
    // A page that is edited keeps its state; a build needs nothing of it.
    plugins:
      command === 'serve' ? [(await import('@vitejs/plugin-react')).default()] : [compress()],
    resolve: {
      alias: { 'parley/client': fileURLToPath(new URL('../client/index.ts', import.meta.url)) },
    },
    cacheDir: '../node_modules/.cache/vite',
    // Addresses are relative to the `<base>` that the server writes, under whatever path it is.
    base: command === 'build' ? './' : '/console/',
    build: {
      outDir: '../dist/console',
      emptyOutDir: true,
      target: 'es2022',
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
    },
    server: {
      host: '127.0.0.1',
      proxy: { '^/(?!console/)': { target: serverOf(mode), changeOrigin: true, ws: true } },
    },
  };
});

/** The server that a page of `npm run dev` talks to. */
function serverOf(mode: string): string {
  return `http://127.0.0.1:${loadEnv(mode, ROOT, 'PORT')['PORT'] || 3000}`;
}

/** Writes each asset compressed as well, so that no request has to. */
function compress(): Plugin {
  let folder: string;
  return {
    name: 'compress',
    apply: 'build',
    configResolved({ root, build }) {
      folder = resolve(root, build.outDir, build.assetsDir);
    },
    async closeBundle() {
      const names = await readdir(folder);
      await Promise.all(
        names.map(async (name) => {
          const path = join(folder, name);
          const content = await readFile(path);
          await writeFile(`${path}.gz`, await promisify(gzip)(content, { level: 9 }));
          await writeFile(`${path}.br`, await promisify(brotliCompress)(content));
        }),
      );
    },
  };
}
