import { execFile, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, chown, mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { eventually } from '../eventually.js';
import { freePort } from '../server/free-port.js';

const run = promisify(execFile);
const DEBIAN = '/usr/lib/postgresql';
const INITDB = [
  ...['--username=postgres', '--auth=trust', '--encoding=UTF8', '--locale=C'],
  ...['--wal-segsize=1', '--no-sync'],
];
/** What a test changes by force comes back by itself; nothing has to survive the machine. */
const SETTINGS = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '40',
  shared_buffers: '16MB',
  min_wal_size: '2MB',
  fsync: 'off',
  log_min_messages: 'panic',
};

const START_MS = 60_000;

/** How a cluster ends: in order, or as if it had crashed. */
type Stop = 'SIGINT' | 'SIGQUIT';

/**
 * Why there can be no cluster of the test's own, or undefined. With REQUIRE_SERVICES=1 that is an
 * error.
 */
export async function findClusterFault(): Promise<string | undefined> {
  if (await findBinaries()) return undefined;
  const fault = 'no initdb of Postgres on the PATH or in /usr/lib/postgresql';
  if (process.env['REQUIRE_SERVICES'] === '1') throw new Error(fault);
  process.stderr.write(`Skipped: ${fault}\n`);
  return fault;
}

/** A Postgres server of a test's own, which it may mistreat. */
export class PostgresCluster {
  private server: ChildProcess | undefined;

  private constructor(
    private readonly binaries: string,
    private readonly folder: string,
    private readonly port: number,
    private readonly user: { uid?: number; gid?: number },
  ) {}

  /** @param parent where its data goes: any folder, which the caller removes */
  static async start(parent?: string): Promise<PostgresCluster> {
    const binaries = (await findBinaries())!;
    const base = parent ?? (await mkdtemp(join(tmpdir(), 'parley-cluster-')));
    const user = await ownUser();
    await chmod(base, 0o755);
    const folder = join(base, 'data');
    await mkdir(folder, { mode: 0o700 });
    if (user.uid !== undefined) await chown(folder, user.uid, user.gid!);
    await run(join(binaries, 'initdb'), ['--pgdata', folder, ...INITDB], { ...user, cwd: '/' });
    const cluster = new PostgresCluster(binaries, folder, await freePort(), user);
    await cluster.start();
    return cluster;
  }

  get url(): string {
    return `postgres://postgres@127.0.0.1:${this.port}/postgres`;
  }

  get isRunning(): boolean {
    return this.server?.exitCode === null && this.server.signalCode === null;
  }

  /** Resolves when it answers. */
  async start(): Promise<void> {
    const settings = Object.entries(SETTINGS).flatMap(([name, value]) => [
      '-c',
      `${name}=${value}`,
    ]);
    const args = ['-D', this.folder, '-p', String(this.port), ...settings];
    this.server = spawn(join(this.binaries, 'postgres'), args, {
      ...this.user,
      cwd: '/',
      stdio: 'ignore',
    });
    const answers = (): Promise<boolean> =>
      this.sql('SELECT 1').then(
        () => true,
        () => false,
      );
    await eventually(answers, START_MS);
  }

  async stop(how: Stop = 'SIGINT'): Promise<void> {
    if (!this.isRunning) return;
    const ended = once(this.server!, 'exit');
    this.server!.kill(how);
    await ended;
  }

  async remove(): Promise<void> {
    await this.signal('SIGCONT');
    await this.stop('SIGQUIT');
    await rm(join(this.folder, '..'), { recursive: true, force: true });
  }

  /** To the server and all that it has started: SIGSTOP makes it hang, SIGCONT lets it go on. */
  async signal(signal: 'SIGSTOP' | 'SIGCONT'): Promise<void> {
    const parent = this.server?.pid;
    if (!this.isRunning || parent === undefined) return;
    for (const pid of [parent, ...(await childrenOf(parent))]) process.kill(pid, signal);
  }

  /** As an administrator who may write whatever the server says. */
  async sql(text: string, values: unknown[] = []): Promise<Record<string, unknown>[]> {
    const client = new pg.Client({
      connectionString: this.url,
      connectionTimeoutMillis: START_MS,
      options: '-c default_transaction_read_only=off',
    });
    await client.connect();
    try {
      return (await client.query<Record<string, unknown>>(text, values)).rows;
    } finally {
      await client.end();
    }
  }

  async cutConnections(): Promise<void> {
    await this.sql(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()",
    );
  }

  async setReadOnly(isReadOnly: boolean): Promise<void> {
    await this.sql(`ALTER SYSTEM SET default_transaction_read_only = ${isReadOnly ? 'on' : 'off'}`);
    await this.sql('SELECT pg_reload_conf()');
    await this.cutConnections();
  }
}

async function findBinaries(): Promise<string | undefined> {
  const versions = await readdir(DEBIAN).catch(() => []);
  const newest = versions.toSorted((a, b) => Number(b) - Number(a));
  const folders = [
    ...(process.env['PATH'] ?? '').split(delimiter),
    ...newest.map((version) => join(DEBIAN, version, 'bin')),
  ];
  return folders.find(
    (folder) => existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'postgres')),
  );
}

/** Postgres refuses to run as root. */
async function ownUser(): Promise<{ uid?: number; gid?: number }> {
  if (process.getuid?.() !== 0) return {};
  const [uid, gid] = await Promise.all(
    ['-u', '-g'].map(async (what) => Number((await run('id', [what, 'postgres'])).stdout)),
  );
  return { uid: uid!, gid: gid! };
}

async function childrenOf(parent: number): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const children: number[] = [];
  for (const pid of pids) {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
    const [, ppid] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (Number(ppid) === parent) children.push(Number(pid));
  }
  return children;
}
