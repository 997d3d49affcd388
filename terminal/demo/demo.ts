import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { clientFor, explain } from '../connection/connect.js';
import { startServer } from '../connection/start-server.js';
import type { StartedServer } from '../connection/start-server.js';
import { EXIT } from '../exit-codes.js';
import { sanitize } from '../render/sanitize.js';
import { span } from '../render/span.js';
import { SGR } from '../render/theme.js';
import type { Terminal } from '../terminal.js';
import { AFTER_RULE, BEFORE_RULE, CHAT, RULE } from './script.js';
import { runUnattended } from './unattended.js';

const CODES = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;
const ADVICE = `To see more of what the server does: LOG_LEVEL=debug parley serve
To leave out the model, if that is what failed: MODEL=demo, before the command
`;
const SHOWN_LOG = 2_000;

/**
 * Shows one whole conversation with a server of its own, on an embedded database in a folder of its
 * own, with whatever model is set. On a terminal, the messages are typed, and a person decides.
 */
export async function demo(terminal: Terminal): Promise<number> {
  const { out, err, environment } = terminal;
  const folder = await mkdtemp(join(tmpdir(), 'parley-demo-'));
  const leave = new AbortController();
  let code: number = EXIT.completed;
  const take = (left: number): void => {
    if (!leave.signal.aborted) code = left;
    leave.abort();
  };
  for (const [name, left] of Object.entries(CODES)) process.on(name, () => take(left));
  void out.closed.then(() => take(EXIT.completed));
  let server: StartedServer | undefined;
  try {
    const own = { ...environment, dataFolder: folder, stateFolder: folder };
    const begun = performance.now();
    server = await startServer(own, {
      ...{ workspace: join(folder, 'workspace'), folder: process.cwd(), isPrivate: true },
      variables: {
        STORE: environment.variables.STORE || 'database',
        LOG_LEVEL: environment.variables.LOG_LEVEL || 'warn',
      },
    });
    if (leave.signal.aborted) return code;
    const seconds = ((performance.now() - begun) / 1_000).toFixed(1);
    const ready = `Parley is ready at ${server.url} after ${seconds} s; API to try: ${server.url}/docs`;
    out.lines([[span(ready, SGR.dim)], []]);
    await converse(server, terminal, leave.signal);
  } catch (error) {
    if (leave.signal.aborted) return code;
    const log = await readFile(join(folder, 'server.log'), 'utf8').catch(() => '');
    err.write(sanitize(log.slice(-SHOWN_LOG)));
    err.write(`The demo failed: ${sanitize(explain(error))}\n${ADVICE}`);
    return EXIT.failed;
  } finally {
    await server?.stop();
    await rm(folder, { recursive: true, force: true });
  }
  out.line([span('To talk to it yourself: npm run chat, or parley chat.', SGR.dim)]);
  return code;
}

async function converse(
  { url }: StartedServer,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<void> {
  const client = clientFor(url, undefined);
  const isAttended = process.stdin.isTTY && terminal.out.isTerminal && !terminal.environment.isDumb;
  if (!isAttended) return runUnattended(client, terminal, signal);
  await client.chats.create({ id: CHAT });
  await client.permissions.add(RULE);
  const { Repl } = await import('../repl/repl.js');
  const repl = new Repl({ client, url, close: async () => {} }, terminal);
  const script = [...BEFORE_RULE, ...AFTER_RULE].map(({ text }) => text);
  const settings = { chat_id: CHAT, agent: undefined, model: undefined, isAuto: undefined };
  await repl.run(settings, { isOld: true, script });
}
