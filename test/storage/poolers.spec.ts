import { execFileSync, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withinTenant } from '../../src/kernel/tenant-scope.js';
import { openDatabase } from '../../src/storage/typeorm/connection/open-database.js';
import { createStores } from '../../src/storage/typeorm/create-stores.js';
import { eventually } from '../support/eventually.js';
import { freePort } from '../support/server/free-port.js';
import { chatOf } from '../support/store/chat-parts.js';
import { createPostgresDatabase, findPostgresFault } from '../support/store/databases.js';

const PROGRAM = '/usr/sbin/pgbouncer';

function findFault(): string | undefined {
  try {
    execFileSync(PROGRAM, ['--version']);
    return undefined;
  } catch {
    if (process.env['REQUIRE_SERVICES'] === '1') throw new Error('no pgbouncer');
    process.stderr.write('Skipped: no pgbouncer in /usr/sbin\n');
    return 'no pgbouncer';
  }
}

const fault = (await findPostgresFault()) ?? findFault();

(fault ? describe.skip : describe)('PgBouncer', () => {
  let made: Awaited<ReturnType<typeof createPostgresDatabase>>;
  let folder: string;
  let pooler: ChildProcess;

  beforeAll(async () => {
    made = await createPostgresDatabase();
  });
  afterAll(() => made.drop());

  const start = async (mode: string): Promise<string> => {
    folder = await mkdtemp(join(tmpdir(), 'parley-pooler-'));
    const port = await freePort();
    const { hostname, port: at, pathname, username } = new URL(made.url);
    const target = `host=${hostname} port=${at || 5432} user=${username} dbname=${pathname.slice(1)}`;
    const settings = `listen_addr=127.0.0.1\nlisten_port=${port}\nunix_socket_dir=\nauth_type=any\npool_mode=${mode}`;
    const file = join(folder, 'pgbouncer.ini');
    await writeFile(file, `[databases]\nchats = ${target}\n[pgbouncer]\n${settings}\n`);
    await chmod(folder, 0o755);
    pooler = spawn(PROGRAM, [file], { stdio: 'ignore', ...notRoot() });
    await eventually(() => answers(port));
    return `postgres://parley@127.0.0.1:${port}/chats`;
  };

  afterEach(async () => {
    const ended = once(pooler, 'exit');
    pooler.kill('SIGKILL');
    await ended;
    await rm(folder, { recursive: true });
  });

  it('works in session mode, with the settings of its sessions', async () => {
    const url = await start('session');
    const database = await openDatabase({ url, dataDir: '', migrate: true });
    const text = `SELECT current_setting('statement_timeout') AS timeout`;
    const rows = await withinTenant('acme', () => database.query({ text }, []));
    expect(rows).toEqual([{ timeout: '4500ms' }]);
    await database.close();
  });

  it('shows each tenant its own rows, however many clients share the sessions', async () => {
    const url = await start('session');
    const databases = await Promise.all(
      [1, 2].map(() => openDatabase({ url, dataDir: '', migrate: true })),
    );
    const tenants = ['acme', 'evil'];
    for (const tenant_id of tenants) {
      const parts = { uid: randomUUID(), id: 'one', tenant_id };
      const { chats } = createStores(databases[0]!);
      await chats.createChat(chatOf({ ...parts, created_at: '2026-01-15T10:00:00.000Z' }));
    }
    const text = 'SELECT tenant_id FROM chats';
    const asked = Array.from({ length: 60 }, (_, n) => tenants[n % 3 ? 0 : 1]!);
    const seen = await Promise.all(
      asked.map((tenant, n) =>
        withinTenant(tenant, () => databases[n % 2]!.query<object>({ text }, [])),
      ),
    );
    expect(seen).toEqual(asked.map((tenant_id) => [{ tenant_id }]));
    // A session that the first has left is given to another client.
    await databases[0]!.close();
    const later = await openDatabase({ url, dataDir: '', migrate: true });
    expect(await withinTenant('none', () => later.query({ text }, []))).toEqual([]);
    await Promise.all([databases[1]!.close(), later.close()]);
  });

  it.each(['transaction', 'statement'])('is refused in %s mode, with the reason', async (mode) => {
    const url = await start(mode);
    const opening = openDatabase({ url, dataDir: '', migrate: true });
    await expect(opening).rejects.toThrow(/use its session mode/);
  });
});

/** It refuses to run as root. */
function notRoot(): { uid?: number } {
  if (process.getuid?.() !== 0) return {};
  return { uid: Number(execFileSync('id', ['-u', 'postgres']).toString()) };
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection(port, '127.0.0.1', () => resolve((socket.destroy(), true)));
    socket.on('error', () => resolve(false));
  });
}
