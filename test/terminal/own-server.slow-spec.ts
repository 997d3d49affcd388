import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '../support/eventually.js';
import { findProcessesIn } from '../support/server/find-processes.js';
import { skipContract } from '../support/skip-contract.js';
import { startParley } from '../support/terminal/parley.js';
import { findTmuxFault, TmuxTerminal } from '../support/terminal/tmux.js';

const fault = findTmuxFault();
/** A terminal without an address takes a server that is there. */
const DEFAULT_PORT = 3000;

if (fault) skipContract('a terminal with a server of its own', fault);
else
  describe('a terminal with a server of its own', () => {
    let folder: string;
    let holder: Server | undefined;
    let env: { readonly [name: string]: string };

    beforeAll(async () => {
      holder = await holdDefaultPort();
    });
    beforeEach(async () => {
      folder = await mkdtemp(join(tmpdir(), 'parley-own-'));
      env = { MODEL: 'demo/script', HOME: folder, XDG_DATA_HOME: folder, XDG_STATE_HOME: folder };
    });
    afterEach(() => rm(folder, { recursive: true, maxRetries: 20 }));
    afterAll(() => holder?.close());

    async function inTmux(
      args: readonly string[],
      work: (terminal: TmuxTerminal) => Promise<void>,
    ): Promise<void> {
      const terminal = await TmuxTerminal.start(args, { env });
      try {
        await terminal.sees('›');
        await work(terminal);
      } finally {
        await terminal.close();
        await eventually(async () => !(await hasServer()));
      }
    }

    async function hasServer(): Promise<boolean> {
      return (await findProcessesIn(join(folder, 'parley'))).length > 0;
    }

    it('keeps what was written when its server leaves with it', async () => {
      await inTmux([], async (terminal) => {
        await terminal.enter('write 2000 words');
        await terminal.sees('watch text arrive');
        await terminal.press('C-c', 'C-c');
        expect(await terminal.ended()).toBe(0);
      });
      await inTmux(['--continue'], async (terminal) => {
        const text = await terminal.sees('cancelled · ');
        expect(text).toContain('watch text arrive');
        expect(text).not.toContain('it goes on');
      });
    });

    it('starts its server again when that was killed', async () => {
      await inTmux([], async (terminal) => {
        await terminal.enter('write 120 words');
        await terminal.sees('watch text arrive');
        const log = await readFile(join(folder, 'parley/server.log'), 'utf8');
        process.kill(Number(/"pid":(\d+)/.exec(log)![1]), 'SIGKILL');
        await terminal.sees('reconnecting');
        await terminal.sees(/it goes on[^]*completed · /);
      });
    });

    it.each(['SIGINT', 'SIGKILL'] as const)('leaves none that starts to %s', async (signal) => {
      const { child } = await startParley(['chat', 'hello'], { env });
      child.stdin.end();
      await eventually(hasServer);
      child.kill(signal);
      await once(child, 'close');
      await eventually(async () => !(await hasServer()));
    });
  });

/**
 * Keeps other servers from the default port. Undefined if another program does so already.
 * @throws Error if a server is there
 */
async function holdDefaultPort(): Promise<Server | undefined> {
  const server = createServer((socket) => socket.destroy()).listen(DEFAULT_PORT, '127.0.0.1');
  try {
    await once(server, 'listening');
    return server;
  } catch {
    const live = await fetch(`http://127.0.0.1:${DEFAULT_PORT}/health/live`).catch(() => undefined);
    if (live?.ok)
      throw new Error(`Stop the server on port ${DEFAULT_PORT}: terminals would use it`);
    return undefined;
  }
}
