import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Environment } from '../../src/config/load-config.js';
import { ServerProcess } from '../support/server/server-process.js';

describe('A server that can not start', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parley-starts-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  const refusal = async (env: Environment): Promise<string> => {
    const server = await ServerProcess.spawn({
      DATA_DIR: join(folder, 'data'),
      STORE: 'file',
      ...env,
    });
    expect(await server.ended).toEqual({ code: 1, signal: null });
    const told = server.output.split('\n').filter((line) => line.startsWith('Parley could not'));
    expect(told).toHaveLength(1);
    return told[0]!;
  };

  it('names a DATA_DIR that takes no files, also beside a database server', async () => {
    const DATABASE_URL = 'postgres://me@127.0.0.1:9/parley';
    const told = await refusal({ STORE: 'database', DATABASE_URL, DATA_DIR: '/proc/x' });
    expect(told).toContain("DATA_DIR /proc/x can't be used");
  });

  it('names PORT when it is taken', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    expect(await refusal({ PORT: String(port) })).toMatch(`PORT=${port} is in use`);
    other.close();
  });

  it.each([
    ['203.0.113.7', 'is no address of this machine'],
    ['no-such-host.invalid', "can't be resolved"],
  ])('names HOST when it is %s', async (HOST, problem) => {
    expect(await refusal({ HOST, ALLOWED_HOSTS: '*', AUTH: 'keys' })).toContain(
      `HOST=${HOST} ${problem}`,
    );
  });
});
