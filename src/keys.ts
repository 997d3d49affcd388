import { parseArgs } from 'node:util';
import { NestFactory } from '@nestjs/core';
import type { ApiKey, KeyStore } from './auth/keys/key-store.js';
import { MAX_KEYS, newKey } from './auth/keys/new-key.js';
import { DEFAULT_TENANT, isScope, SCOPES, TENANT_ID, USER_ID } from './auth/principal.js';
import { ConfigError } from './config/config-error.js';
import { AppConfigModule } from './config/config.module.js';
import { Config } from './config/config.js';
import { MasterKeys } from './encryption/master-keys.js';
import { rotateKeys } from './encryption/rotate-keys.js';
import { SystemClock } from './kernel/clock.js';
import { keepFilesPrivate } from './kernel/umask.js';
import { encryptSaved } from './storage/encrypted/saved/encrypt-saved.js';
import { openKeyStore } from './storage/open-key-store.js';
import { openStorage } from './storage/open-storage.js';
import type { Storage } from './storage/open-storage.js';

const USAGE = `Usage:
  npm run keys -- create --user ann --scopes chat,decide [--tenant acme] [--expires 2027-01-31T00:00:00Z]
  npm run keys -- list [--tenant acme]
  npm run keys -- delete <id>
  npm run keys -- rotate
  npm run keys -- encrypt
Without --tenant it is "${DEFAULT_TENANT}". Scopes: ${SCOPES.join(', ')}.`;
const PAGE = 200;

class UsageError extends Error {}

interface Command {
  readonly action: string;
  readonly id: string | undefined;
  readonly tenant_id: string;
  readonly user_id: string | undefined;
  readonly scopes: readonly string[];
  readonly expires_at: string | null;
}

/** `npm run keys`: makes, lists and deletes API keys, rotates keys, encrypts, and exits. */
async function main(): Promise<void> {
  keepFilesPrivate();
  const command = readCommand();
  const act = ACTIONS[command.action];
  const care = CARE[command.action];
  if (!act && !care) throw new UsageError(`There is no command "${command.action}".`);
  const context = await NestFactory.createApplicationContext(await AppConfigModule.forRoot(), {
    logger: false,
  });
  const config = context.get(Config);
  if (act) await actOnKeys(config, command, act);
  else if (care) process.stdout.write(`${await careFor(config, care)}\n`);
}

async function actOnKeys(config: Config, command: Command, act: Act): Promise<void> {
  const opened = await openKeyStore(config);
  try {
    process.stdout.write(`${await act(opened.keys, command)}\n`);
  } finally {
    await opened.close();
  }
}

type Care = (storage: Storage, masters: MasterKeys) => Promise<string>;

/** Work on all saved data. Storage other than a Postgres server is locked meanwhile. */
const CARE: Readonly<Record<string, Care>> = {
  /** Servers on a Postgres server may run meanwhile. */
  async rotate({ dataKeys }, masters) {
    const rotated = await rotateKeys(dataKeys, masters);
    return `${rotated} data keys are wrapped with "${masters.current}" now, and none with another key.`;
  },
  async encrypt(storage, masters) {
    const changed = await encryptSaved(storage, masters);
    return `${changed} rows or files were encrypted. All that is saved is encrypted now, but not its older backups.`;
  },
};

async function careFor(config: Config, care: Care): Promise<string> {
  if (!config.encryptionKeys)
    throw new UsageError('ENCRYPTION_KEYS is not set, so there is no key to encrypt with.');
  const masters = new MasterKeys(config.encryptionKeys);
  const storage = await openStorage(config, new SystemClock(), (problem) =>
    process.stderr.write(`${problem}\n`),
  );
  try {
    return await care(storage, masters);
  } finally {
    await storage.close();
  }
}

function readCommand(): Command {
  const text = { type: 'string' } as const;
  const options = { tenant: text, user: text, scopes: text, expires: text };
  try {
    const { values, positionals } = parseArgs({ options, allowPositionals: true });
    const [action = '', id, ...rest] = positionals;
    if (rest.length > 0 || (id !== undefined) !== (action === 'delete')) throw new Error('');
    const tenant_id = values.tenant ?? DEFAULT_TENANT;
    if (!TENANT_ID.test(tenant_id)) throw new Error(`The tenant "${tenant_id}" is malformed.`);
    const scopes = (values.scopes ?? '').split(',').map((scope) => scope.trim());
    const expires_at = values.expires ?? null;
    return { action, id, tenant_id, user_id: values.user, scopes, expires_at };
  } catch (error) {
    throw new UsageError((error as Error).message, { cause: error });
  }
}

type Act = (keys: KeyStore, command: Command) => Promise<string>;

const ACTIONS: Readonly<Record<string, Act>> = {
  async create(keys, { tenant_id, user_id = '', scopes, expires_at }) {
    const now = new Date();
    if (!USER_ID.test(user_id)) throw new UsageError('--user has to name the user.');
    const known = scopes.filter(isScope);
    if (known.length !== scopes.length || new Set(known).size !== known.length)
      throw new UsageError(`--scopes has to be some of: ${SCOPES.join(', ')}.`);
    if (expires_at !== null && !(Date.parse(expires_at) > now.getTime()))
      throw new UsageError(
        '--expires has to be a time in the future, such as 2027-01-31T00:00:00Z.',
      );
    const wanted = { tenant_id, user_id, scopes: known, expires_at };
    const { key, text } = newKey(wanted, { now, created_by: 'npm run keys' });
    if (await keys.add(key, MAX_KEYS)) return text;
    throw new Error(`The tenant ${tenant_id} has ${MAX_KEYS} keys already. Delete some first.`);
  },
  async list(keys, { tenant_id }) {
    const lines: string[] = [];
    for (let after: ApiKey | undefined; ;) {
      const page = await keys.list({ tenant_id, limit: PAGE, ...(after && { after }) });
      lines.push(...page.map(({ secret_hash: _, ...key }) => JSON.stringify(key)));
      after = page.at(-1);
      if (page.length < PAGE) break;
    }
    return lines.length > 0 ? lines.join('\n') : `The tenant ${tenant_id} has no keys.`;
  },
  async delete(keys, { id = '' }) {
    if (await keys.remove(id)) return `The key ${id} is deleted.`;
    throw new Error(`There is no key ${id}. "list" shows those of a tenant.`);
  },
};

try {
  await main();
} catch (error) {
  const message = error instanceof Error ? error.message : String(error);
  const isUsage = error instanceof UsageError;
  process.stderr.write(`${isUsage ? `${message}\n${USAGE}`.trim() : message}\n`);
  process.exit(isUsage ? 64 : error instanceof ConfigError ? 78 : 1);
}
