import { createClient, fold } from '../../client/index.js';
import type { Conversation, EventStream, StreamEvent } from '../../client/index.js';
import { StrictReader } from '../../client/strict-reader.js';
import { freePort } from '../support/server/free-port.js';
import { FILES, POSTGRES } from '../support/server/process-data.js';
import type { ProcessData } from '../support/server/process-data.js';
import { ServerProcess } from '../support/server/server-process.js';
import { openTcpProxy } from '../support/server/tcp-proxy.js';
import type { TcpProxy } from '../support/server/tcp-proxy.js';

const LONG = { user_message: 'write 300 words' };

describe('The client of a server that is killed', () => {
  let data: ProcessData;
  let port: number;
  let server: ServerProcess;

  beforeAll(async () => {
    [data, port] = [await FILES.create(), await freePort()];
    server = await boot();
  });
  afterAll(async () => {
    await server.kill('SIGKILL');
    await data.remove();
  });

  const boot = (): Promise<ServerProcess> =>
    ServerProcess.start({ ...data.env, MODEL: 'demo/script', PORT: String(port) });
  const client = () => createClient({ url: `http://127.0.0.1:${port}` });
  const restart = async (): Promise<void> => {
    await server.kill('SIGKILL');
    server = await boot();
  };

  it('gives every event of an answer once, as the server takes it up again (I2)', async () => {
    const stream = client().start('killed', LONG);
    const { reader, state } = await readAll(stream, { after: 60, by: restart });
    expect(reader.faults).toEqual([]);
    expect(reader.records.map(({ type }) => type)).toContain('RESUMED');
    expect(reader.done).toBe(true);
    const whole = await readAll(client().follow('killed', stream.interaction_id!), {
      after: 0,
      by: restart,
    });
    expect(whole.reader.records).toEqual(reader.records);
    expect(state).toEqual(whole.state);
  });
});

(POSTGRES.fault ? describe.skip : describe)('The client of two servers on one database', () => {
  let data: ProcessData;
  let servers: ServerProcess[];
  /** Stands in front of both; new connections go to the port that it has. */
  const balancer = { host: '127.0.0.1', port: 0 };
  let proxy: TcpProxy;

  beforeAll(async () => {
    data = await POSTGRES.create();
    servers = [];
    proxy = await openTcpProxy(balancer);
  });
  afterAll(async () => {
    await proxy.cut();
    await Promise.all(servers.map((server) => server.kill('SIGKILL')));
    await data.remove();
  });

  const boot = async () => {
    const port = await freePort();
    const own = { PORT: String(port), LEASE_TTL_MS: '2000', HEARTBEAT_MS: '200' };
    const server = await ServerProcess.start({ ...data.env, MODEL: 'demo/script', ...own });
    servers.push(server);
    return { server, port };
  };

  it('gives every event of an answer once, as the second takes over from the first (I2)', async () => {
    const [first, second] = [await boot(), await boot()];
    balancer.port = first.port;
    const client = createClient({ url: `http://127.0.0.1:${proxy.port}` });
    const stream = client.start('moved', LONG);
    const move = async (): Promise<void> => {
      balancer.port = second.port;
      await first.server.kill('SIGKILL');
    };
    const { reader, state } = await readAll(stream, { after: 60, by: move });
    expect(reader.faults).toEqual([]);
    expect(reader.records.map(({ type }) => type)).toContain('RESUMED');
    expect(reader.done).toBe(true);
    const again = client.follow('moved', stream.interaction_id!);
    const whole = await readAll(again, { after: 0, by: move });
    expect(whole.reader.records).toEqual(reader.records);
    expect(state).toEqual(whole.state);
  });
});

/** Reads to the end, and calls back after so many events. */
async function readAll(
  stream: EventStream<StreamEvent>,
  interrupt: { readonly after: number; readonly by: () => Promise<void> },
) {
  const reader = new StrictReader();
  let state: Conversation | undefined;
  let count = 0;
  for await (const event of stream) {
    reader.take(stream.cursor!, event);
    state = fold(state, event);
    if (++count === interrupt.after) await interrupt.by();
  }
  return { reader, state };
}
