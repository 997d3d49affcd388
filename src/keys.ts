import { parseArgs } from 'node:util';
import type { ApiKey, KeyStore } from './auth/keys/key-store.js';
import { MAX_KEYS, newKey } from './auth/keys/new-key.js';
import { DEFAULT_TENANT, isScope, SCOPES, TENANT_ID, USER_ID } from './auth/principal.js';
import type { Config } from './config/config.js';
import type { MasterKeys } from './encryption/master-keys.js';
import { runProgram, UsageError } from './run-program.js';
import type { Storage } from './storage/open-storage.js';

const USAGE = `Usage:
  npm run keys -- create --user ann --scopes chat,decide [--tenant acme] [--expires 2027-01-31T00:00:00Z]
  npm run keys -- list [--tenant acme]
  npm run keys -- delete <id>
  npm run keys -- rotate
  npm run keys -- encrypt
Without --tenant it is "${DEFAULT_TENANT}". Scopes: ${SCOPES.join(', ')}.`;
const PAGE = 200;

interface Command {
  readonly id: string | undefined;
  readonly tenant_id: string;
  readonly user_id: string | undefined;
  readonly scopes: readonly string[];
  readonly expires_at: string | null;
}

/** Modules that commands need are loaded once the arguments are read. */
type Run = (config: Config) => Promise<string>;

async function actOnKeys(config: Config, act: Act): Promise<string> {
  const { openKeyStore } = await import('./storage/open-key-store.js');
  const opened = await openKeyStore(config);
  try {
    return await act(opened.keys);
  } finally {
    await opened.close();
  }
}

interface Saved {
  readonly storage: Storage;
  readonly masters: MasterKeys;
  readonly config: Config;
}

type Care = (saved: Saved) => Promise<string>;

/** Work on all saved data. Storage other than a Postgres server is locked meanwhile. */
const CARE: Readonly<Record<string, Care>> = {
  /** Servers on a Postgres server may run meanwhile. */
  async rotate({ storage, masters }) {
    const { rotateKeys } = await import('./encryption/rotate-keys.js');
    const { nameOfOwner } = await import('./encryption/data-key-store.js');
    const { rotated, lost } = await rotateKeys(storage.dataKeys, masters);
    const done = `${rotated} data keys are wrapped with "${masters.current}" now`;
    if (lost.length === 0) return `${done}, and none with another key.`;
    throw new Error(
      `${done}. Those of ${lost.map(nameOfOwner).join(', ')} can't be unwrapped: they were changed, or ENCRYPTION_KEYS has another former key. Keep the former keys, or delete these chats first.`,
    );
  },
  async encrypt({ storage, masters, config }) {
    const { encryptBytes, encryptSaved } =
      await import('./storage/encrypted/saved/encrypt-saved.js');
    const { openFileStore } = await import('./files/open-file-store.js');
    const { DataKeys } = await import('./encryption/data-keys.js');
    let changed = await encryptSaved(storage, masters);
    const keys = new DataKeys(masters, storage.dataKeys);
    const store = await openFileStore(config, storage.files);
    changed += await encryptBytes({ store, catalog: storage.files, keys });
    return `${changed} rows or files were encrypted. All that is saved is encrypted now, but not its older backups.`;
  },
};

async function careFor(config: Config, care: Care): Promise<string> {
  if (!config.encryptionKeys)
    throw new UsageError('ENCRYPTION_KEYS is not set, so there is no key to encrypt with.');
  const { MasterKeys: Masters } = await import('./encryption/master-keys.js');
  const { SystemClock } = await import('./kernel/clock.js');
  const { openStorage } = await import('./storage/open-storage.js');
  const masters = new Masters(config.encryptionKeys);
  const storage = await openStorage(config, new SystemClock(), (problem) =>
    process.stderr.write(`${problem}\n`),
  );
  try {
    return await care({ storage, masters, config });
  } finally {
    await storage.close();
  }
}

function readCommand(): Run {
  const text = { type: 'string' } as const;
  const options = { tenant: text, user: text, scopes: text, expires: text };
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  const [action = '', id, ...rest] = positionals;
  if (rest.length > 0 || (id !== undefined) !== (action === 'delete')) throw new Error('');
  const tenant_id = values.tenant ?? DEFAULT_TENANT;
  if (!TENANT_ID.test(tenant_id)) throw new Error(`The tenant "${tenant_id}" is malformed.`);
  const scopes = (values.scopes ?? '').split(',').map((scope) => scope.trim());
  const expires_at = values.expires ?? null;
  const act = ACTIONS[action]?.({ id, tenant_id, user_id: values.user, scopes, expires_at });
  if (act) return (config) => actOnKeys(config, act);
  const care = CARE[action];
  if (care) return (config) => careFor(config, care);
  throw new Error(action === '' ? 'Name a command.' : `There is no command "${action}".`);
}

type Act = (keys: KeyStore) => Promise<string>;

/** They check the command, and return what it does. */
const ACTIONS: Readonly<Record<string, (command: Command) => Act>> = {
  create({ tenant_id, user_id = '', scopes, expires_at }) {
    const now = new Date();
    if (!USER_ID.test(user_id)) throw new Error('--user has to name the user.');
    const known = scopes.filter(isScope);
    if (known.length !== scopes.length || new Set(known).size !== known.length)
      throw new Error(`--scopes has to be some of: ${SCOPES.join(', ')}.`);
    if (expires_at !== null && !(Date.parse(expires_at) > now.getTime()))
      throw new Error('--expires has to be a time in the future, such as 2027-01-31T00:00:00Z.');
    const wanted = { tenant_id, user_id, scopes: known, expires_at };
    return async (keys) => {
      const { key, text } = newKey(wanted, { now, created_by: 'npm run keys' });
      if (await keys.add(key, MAX_KEYS)) return text;
      throw new Error(`The tenant ${tenant_id} has ${MAX_KEYS} keys already. Delete some first.`);
    };
  },
  list({ tenant_id }) {
    return async (keys) => {
      const lines: string[] = [];
      for (let after: ApiKey | undefined; ;) {
        const page = await keys.list({ tenant_id, limit: PAGE, ...(after && { after }) });
        lines.push(...page.map(({ secret_hash: _, ...key }) => JSON.stringify(key)));
        after = page.at(-1);
        if (page.length < PAGE) break;
      }
      return lines.length > 0 ? lines.join('\n') : `The tenant ${tenant_id} has no keys.`;
    };
  },
  delete({ id = '' }) {
    return async (keys) => {
      if (await keys.remove(id)) return `The key ${id} is deleted.`;
      throw new Error(`There is no key ${id}. "list" shows those of a tenant.`);
    };
  },
};

/** `npm run keys`: makes, lists and deletes API keys, rotates keys, encrypts, and exits. */
await runProgram({
  usage: USAGE,
  readCommand,
  async run(run) {
    const { readConfig } = await import('./config/config.module.js');
    return run(await readConfig());
  },
});
