import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { bundledClient } from './bundled-client.js';

/** What the probe in an environment says: that it has begun, and in the end what it has got. */
export interface Report {
  readonly kind: 'begun' | 'done' | 'failed';
  readonly seqs: readonly number[];
  readonly state: unknown;
  readonly whole: unknown;
}

/** Runs the probe until it is done; the reports are handled one after the other. */
export type Environment = (
  of: { readonly url: string; readonly chat: string },
  handle: (report: Report) => Promise<void>,
) => Promise<void>;

const PROBE = join(import.meta.dirname, 'probe.mjs');
const CHROMIUM = process.env['CHROMIUM'] ?? '/usr/bin/chromium';
/** The reason why there is no browser to test in, which `REQUIRE_SERVICES=1` does not accept. */
export const chromiumFault = existsSync(CHROMIUM) ? undefined : `${CHROMIUM} is not there`;
if (chromiumFault && process.env['REQUIRE_SERVICES'] === '1') throw new Error(chromiumFault);

/** A thread of Node. */
export const inThread: Environment = async (of, handle) => {
  const [client, probe] = [await bundledClient(), PROBE].map((file) => pathToFileURL(file).href);
  const code = `
    const { parentPort } = require('node:worker_threads');
    const report = async (message) => {
      parentPort.postMessage(message);
      if (message.kind === 'begun') await new Promise((go) => parentPort.once('message', go));
    };
    Promise.all([import('${client}'), import('${probe}')]).then(([client, { probe }]) =>
      probe(client, { ...${JSON.stringify(of)}, report }));`;
  const thread = new Worker(code, { eval: true });
  const exited = once(thread, 'exit');
  for await (const [message] of on(thread)) {
    const report = message as Report;
    await handle(report);
    if (report.kind === 'done') break;
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has none
    thread.postMessage('go on');
  }
  await thread.terminate();
  await exited;
};

/** A page in Chromium, or a worker of it, whose origin the server has to know. */
export class PageServer {
  private readonly server = createServer((request, response) => {
    void this.answer(request.url!, request).then((text) => {
      const type = request.url!.endsWith('.mjs') ? 'text/javascript' : 'text/html';
      response.writeHead(200, { 'content-type': `${type}; charset=utf-8` }).end(text);
    });
  });
  private handle: (report: Report) => Promise<void> = () => Promise.resolve();

  async listen(): Promise<string> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.server.closeAllConnections();
    this.server.close();
  }

  run(kind: 'page' | 'worker'): Environment {
    return async (of, handle) => {
      const profile = await mkdtemp(join(tmpdir(), 'parley-chromium-'));
      const { port } = this.server.address() as AddressInfo;
      const query = new URLSearchParams({ ...of, kind });
      const flags = ['--headless', '--no-sandbox', '--disable-gpu', '--no-first-run'];
      const browser = spawn(
        CHROMIUM,
        [...flags, '--disable-background-networking', '--remote-debugging-port=0'].concat(
          `--user-data-dir=${profile}`,
          `http://127.0.0.1:${port}/?${query.toString()}`,
        ),
        { stdio: 'ignore' },
      );
      const exited = once(browser, 'exit');
      await new Promise<void>((resolve, reject) => {
        void exited.then(() => reject(new Error('Chromium has ended')));
        this.handle = async (report) => {
          await handle(report);
          if (report.kind !== 'begun') resolve();
        };
      });
      browser.kill('SIGKILL');
      await exited;
      await rm(profile, { recursive: true, force: true, maxRetries: 10 });
    };
  }

  private async answer(url: string, body: NodeJS.ReadableStream): Promise<string> {
    if (url === '/client.mjs') return readFile(await bundledClient(), 'utf8');
    if (url === '/probe.mjs') return readFile(PROBE, 'utf8');
    if (url === '/run.mjs') return RUN;
    if (url === '/report') await this.handle((await json(body)) as Report);
    return PAGE;
  }
}

/** In a page and in a worker, which is given the query of the page. */
const RUN = `
  import * as client from '/client.mjs';
  import { probe } from '/probe.mjs';
  const report = (message) => fetch('/report', { method: 'POST', body: JSON.stringify(message) });
  export const run = (search) => {
    const { url, chat } = Object.fromEntries(new URLSearchParams(search));
    return probe(client, { url, chat, report }).catch(({ stack }) => report({ kind: 'failed', state: stack }));
  };
  if (globalThis.WorkerGlobalScope) onmessage = ({ data }) => run(data);
`;
const PAGE = `<!doctype html><script type="module">
  import { run } from '/run.mjs';
  if (new URLSearchParams(location.search).get('kind') === 'page') run(location.search);
  else new Worker('/run.mjs', { type: 'module' }).postMessage(location.search);
</script>`;

/** The messages of a thread, or its error. */
async function* on(thread: Worker): AsyncGenerator<unknown[]> {
  for (;;) yield (await once(thread, 'message')) as unknown[];
}
