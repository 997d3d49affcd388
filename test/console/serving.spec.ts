import { existsSync, readFileSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { builtServer } from '../support/server/built-server.js';
import { FILES } from '../support/server/process-data.js';
import type { ProcessData } from '../support/server/process-data.js';
import { ServerProcess } from '../support/server/server-process.js';

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/webp,*/*;q=0.8';
/** Of all scripts of the first load, in bytes. */
const BUDGET = 250 * 1024;

describe('The files of the console', () => {
  let data: ProcessData;
  let server: ServerProcess;
  let url: string;
  let folder: string;

  beforeAll(async () => {
    folder = join(await builtServer(), '../../console');
    data = await FILES.create();
    server = await ServerProcess.start(data.env);
    ({ url } = await server.api());
  });
  afterAll(async () => {
    await server.kill('SIGTERM');
    await data.remove();
  });

  const get = (path: string, accept = BROWSER, init: RequestInit = {}): Promise<Response> =>
    fetch(`${url}${path}`, { redirect: 'manual', headers: { accept }, ...init });

  it.each([
    ['/', 'console/'],
    ['/?a=/b', 'console/'],
    ['/console', 'console/'],
    ['/console?a=/', 'console/'],
  ])('leads a browser from %s to %s', async (path, location) => {
    const reply = await get(path);
    expect([reply.status, reply.headers.get('location')]).toEqual([302, location]);
  });

  it.each(['*/*', 'application/json', 'application/json, text/html'])(
    'answers a program that accepts "%s" at / as at any other path',
    async (accept) => {
      const reply = await get('/', accept);
      expect([reply.status, reply.headers.get('vary')]).toEqual([404, 'Accept']);
      expect(await reply.json()).toMatchObject({ type: '/problems/not_found' });
    },
  );

  it.each([
    ['/console/', './'],
    ['/console/inbox', './'],
    ['/console/chats/plans', '../'],
    ['/console/operate/a/b', '../../'],
  ])('has the page at %s, with links relative to the folder', async (path, base) => {
    const reply = await get(path);
    const html = await reply.text();
    expect(reply.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(html).toContain(`<base href="${base}"`);
    const links = [...html.matchAll(/(?:src|href)="(\.\/[^"]+)"/g)].map(([, link]) => link!);
    expect(links.length).toBeGreaterThan(3);
    for (const link of links) {
      const address = new URL(link, new URL(base, `${url}${path}`));
      expect([link, (await fetch(address)).status]).toEqual([link, 200]);
    }
  });

  it('lets the page load nothing from elsewhere, and run nothing inline', async () => {
    const reply = await get('/console/');
    const policy = reply.headers.get('content-security-policy')!;
    expect(policy).toMatch(/^default-src 'none'; script-src 'self'; /);
    expect(policy).toContain("connect-src 'self'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(await reply.text()).not.toMatch(/<script(?![^>]* src=)|<style| on\w+=| style=/);
  });

  it('sends assets compressed, to be kept for ever; a file that is not there is no page', async () => {
    const [script] = scriptsOf(folder);
    const reply = await get(`/console/${script!}`);
    expect(Object.fromEntries(reply.headers)).toMatchObject({
      'content-type': 'text/javascript; charset=UTF-8',
      'content-encoding': expect.stringMatching(/^(?:br|gzip)$/),
      'cache-control': 'public, max-age=31536000, immutable',
    });
    expect(await reply.text()).toBe(readFileSync(join(folder, script!), 'utf8'));
    expect((await get('/console/assets/none.js')).status).toBe(404);
    expect(await (await get('/console/..%2f..%2fpackage.json')).text()).toContain('<base href');
    expect((await get('/console/', BROWSER, { method: 'POST' })).status).toBe(404);
  });

  it('goes on when a file is gone, as while it is built anew', async () => {
    const name = join(folder, 'assets/gone.js');
    const files = [name, `${name}.br`, `${name}.gz`];
    await Promise.all(files.map((path) => writeFile(path, 'gone')));
    const other = await FILES.create();
    const aware = await ServerProcess.start(other.env);
    const { url: address } = await aware.api();
    expect((await fetch(`${address}/console/assets/gone.js`)).status).toBe(200);
    await Promise.all(files.map((path) => rm(path)));
    const reply = await fetch(`${address}/console/assets/gone.js`);
    expect([reply.status, await reply.json()]).toMatchObject([
      404,
      { type: '/problems/not_found' },
    ]);
    expect((await fetch(`${address}/health/live`)).status).toBe(200);
    await aware.kill('SIGTERM');
    await other.remove();
  });

  it(`loads at most ${BUDGET / 1024} KB of scripts at first`, () => {
    const sizes = scriptsOf(folder).map(
      (name) => gzipSync(readFileSync(join(folder, name))).length,
    );
    const sum = sizes.reduce((a, b) => a + b, 0);
    expect(sum).toBeGreaterThan(50 * 1024);
    expect(sum).toBeLessThanOrEqual(BUDGET);
  });

  it('is not there with UI=false', async () => {
    const other = await FILES.create();
    const plain = await ServerProcess.start({ ...other.env, UI: 'false' });
    const { url: address } = await plain.api();
    for (const path of ['/', '/console', '/console/', '/console/icon.svg'])
      expect((await fetch(`${address}${path}`, { headers: { accept: BROWSER } })).status).toBe(404);
    await plain.kill('SIGTERM');
    await other.remove();
  });
});

/** Scripts that the page names, and those that they import before anything is shown. */
function scriptsOf(folder: string): readonly string[] {
  const html = readFileSync(join(folder, 'index.html'), 'utf8');
  const found = new Set<string>();
  const add = (name: string): void => {
    if (found.has(name) || !existsSync(join(folder, name))) return;
    found.add(name);
    const code = readFileSync(join(folder, name), 'utf8');
    for (const [, other] of code.matchAll(/(?:^|;)import(?:[^("';]*from)?"\.\/([^"]+)"/g))
      add(`assets/${other}`);
  };
  for (const [, name] of html.matchAll(/(?:src|href)="\.\/([^"]+\.js)"/g)) add(name!);
  return [...found];
}
