import { createClient, ParleyError } from '../../client/index.js';
import type { Client } from '../../client/index.js';
import { UsageError } from '../commands/usage-error.js';
import type { Environment } from '../environment.js';
import { DEFAULT_PORT, startServer } from './start-server.js';

const PROBE_MS = 1_000;
const LOCAL = `http://127.0.0.1:${DEFAULT_PORT}`;

export interface Address {
  readonly url: string | undefined;
  readonly key: string | undefined;
  readonly workspace: string | undefined;
}

export interface Connected {
  readonly client: Client;
  readonly url: string;
  /** The same address, if it was not named but found on this machine. */
  readonly found?: string | undefined;
  /** Rejects if a server that was started for this terminal is gone for good. */
  readonly running?: Promise<void>;
  /** Ends a server that was started for this terminal. */
  close(): Promise<void>;
}

/**
 * The server that the options or the environment name, else one on the default port, else one that
 * is started. `say` tells a person what takes time.
 */
export async function connect(
  { url, key, workspace }: Address,
  environment: Environment,
  say: (text: string) => void,
): Promise<Connected> {
  const given = url ?? environment.url;
  const there = given ?? LOCAL;
  const client = clientFor(there, key ?? environment.key);
  const isAlive = await probe(there);
  if (given !== undefined || isAlive) {
    if (workspace !== undefined)
      throw new UsageError(
        `--workspace is for a server that parley starts; the one at ${there} has its own (WORKSPACE_DIR).`,
      );
    return {
      client,
      url: there,
      found: given === undefined ? there : undefined,
      close: async () => {},
    };
  }
  say('Starting a server');
  const server = await startServer(environment, { workspace });
  return {
    client: clientFor(server.url, undefined),
    url: server.url,
    running: server.running,
    close: () => server.stop(),
  };
}

/** @throws UsageError, without a password that the address has */
export function clientFor(url: string, key: string | undefined): Client {
  const example = 'Give one like http://127.0.0.1:3000.';
  if (!URL.canParse(url)) throw new UsageError(`${JSON.stringify(url)} is no address. ${example}`);
  const { protocol, username, password } = new URL(url);
  if (!/^https?:$/.test(protocol))
    throw new UsageError(`An address that begins with ${protocol} is no server's. ${example}`);
  if (username !== '' || password !== '')
    throw new UsageError(`Give the key with --key or PARLEY_KEY, not in the address. ${example}`);
  return createClient({ url, key });
}

/**
 * True if a Parley server answers. In Node 20, the first request of a process never ends if its
 * connection is closed at once, as by a proxy without a server: this one is given up.
 */
async function probe(url: string): Promise<boolean> {
  const giveUp = new AbortController();
  // The timer of AbortSignal.timeout() would not keep the process.
  const timer = setTimeout(() => giveUp.abort(), PROBE_MS);
  const live = createClient({ url }).health.live({ signal: giveUp.signal });
  const health = await live.catch(() => undefined).finally(() => clearTimeout(timer));
  return health?.status === 'ok';
}

/** The failure and what to do about it, for people. */
export function explain(error: unknown): string {
  if (!(error instanceof ParleyError))
    return error instanceof Error ? error.message : String(error);
  const others = error.errors.filter(({ message }) => !error.detail.includes(message));
  const fields = others.map((it) => `\n  ${JSON.stringify(it)}`).join('');
  return `${reasonOf(error)}${fields}${adviceFor(error)}`;
}

/** True if the command line is wrong, also if only the server can tell. */
export function isWrongUsage(error: unknown): boolean {
  return error instanceof UsageError || (error instanceof ParleyError && error.status === 400);
}

/** In terms of the terminal, where the server's own are those of its API. */
function reasonOf({ code, detail, problem }: ParleyError): string {
  switch (code) {
    case 'unauthenticated':
      return 'The server needs a key or token.';
    case 'invalid_credential': {
      const reason = detail.split(' Send "', 1)[0];
      return `The server does not know this key or token; it may be wrong, deleted or expired. It says: ${reason}`;
    }
    case 'chat_busy':
      return 'Another message of this chat is at work. Enter leaves a note to it, Ctrl-X Enter puts yours into the queue, Esc cancels it.';
    case 'body_too_large':
      return `The prompt is too long: a request takes at most ${Number(problem?.['limit']) / 2 ** 20} MiB.`;
    default:
      return detail.replace('GET /chats lists', 'parley chats lists');
  }
}

function adviceFor({ status, code }: ParleyError): string {
  if (code === 'unreachable') return ' Start one with: parley serve';
  if (code === 'body_too_large')
    return ' Save it as a file, and attach that in a conversation: @FILE in a message of parley chat.';
  if (code === 'invalid_credential')
    return ' Give another with --key or PARLEY_KEY; docs/auth.md says how to make one.';
  if (status === 401)
    return ' Give one with --key or PARLEY_KEY; docs/auth.md says how to make one.';
  if (status === 403) return ' This key has not the scope for it: docs/auth.md.';
  return '';
}
