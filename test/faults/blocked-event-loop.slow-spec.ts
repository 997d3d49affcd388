import { setTimeout as delay } from 'node:timers/promises';
import type { Environment } from '../../src/config/load-config.js';
import { eventually } from '../support/eventually.js';
import { builtServer } from '../support/server/built-server.js';
import { FILES } from '../support/server/process-data.js';
import type { ProcessData } from '../support/server/process-data.js';
import { ServerProcess } from '../support/server/server-process.js';

const LOOP = 'function tightLoop() { for (let i = 0; ; i = (i + 1) | 0); } tightLoop();';
/** The name of a function that was made of a secret. */
const NAMED =
  "const all = { ['of-' + process.env.SERVICE_TOKEN]() { for (let i = 0; ; i = (i + 1) | 0); } }; Object.values(all)[0]();";
const SECRET = 'hush-hush of the service/1';
const REGEX = `function badPattern(text) { return /^(a+)+$/.test(text); } badPattern('a'.repeat(60) + '!');`;
const PAUSE = 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3000);';
const CLASSIC_LOOP = 'for (const end = Date.now() + 3000; Date.now() < end;);';

/** Loaded beside the server: SIGUSR2 makes it block the event loop. */
function blocker(code: string): string {
  const text = `process.on('SIGUSR2', function onBlock() { ${code} });`;
  return `data:text/javascript,${encodeURIComponent(text)}`;
}

describe('A server whose event loop is blocked', () => {
  let data: ProcessData;
  let server: ServerProcess;

  const start = async (code: string, env: Environment = {}): Promise<void> => {
    const grace = { SHUTDOWN_GRACE_MS: '1000', ...env };
    const command = ['--import', blocker(code), await builtServer()];
    server = await ServerProcess.start({ ...data.env, ...grace }, command);
  };
  const block = (): void => void process.kill(server.pid, 'SIGUSR2');
  const linesOf = (part: string): object[] =>
    server.output
      .split('\n')
      .filter((line) => line.includes(part))
      .map((line) => JSON.parse(line) as object);
  const said = async (part: string): Promise<object> => {
    await eventually(() => linesOf(part).length > 0);
    return linesOf(part)[0]!;
  };

  beforeEach(async () => {
    data = await FILES.create();
  });
  afterEach(async () => {
    await server.kill('SIGKILL');
    await data.remove();
  });

  it.each([
    ['a loop', LOOP, 'at tightLoop '],
    ['a regular expression', REGEX, 'at badPattern '],
  ])('by %s says where, and obeys SIGTERM', async (_, code, frame) => {
    await start(code);
    block();
    const line = await said('has been blocked for');
    expect(line).toMatchObject({ level: 'warn', context: 'Watchdog' });
    expect((line as { frames: string[] }).frames.join('\n')).toContain(frame);
    expect(await server.kill('SIGTERM')).toEqual({ code: null, signal: 'SIGKILL' });
    expect(server.output).toContain('the grace after a signal to stop is over');
  });

  it('names no secret', async () => {
    await start(NAMED, { SERVICE_TOKEN: SECRET });
    block();
    const { frames } = (await said('has been blocked for')) as { frames: string[] };
    expect(frames[0]).toMatch(/^at .*of-\[hidden\]/);
    expect(server.output).not.toContain(SECRET);
  });

  it('obeys a second signal at once', async () => {
    await start(LOOP, { SHUTDOWN_GRACE_MS: '600000' });
    block();
    await said('has been blocked for');
    process.kill(server.pid, 'SIGINT');
    await delay(300); // two signals at once are one
    expect(await server.kill('SIGINT')).toEqual({ code: null, signal: 'SIGKILL' });
    expect(server.output).toContain('a second signal to stop came');
  });

  it.each([
    ['a loop', CLASSIC_LOOP],
    ['a system call', PAUSE],
  ])('by %s that ends says so, counts it, and stops in order', async (_, code) => {
    await start(code);
    const api = await server.api();
    block();
    await said('was blocked for');
    const { body } = await api.get('/metrics');
    expect(body).toContain('parley_event_loop_stalls_total 1');
    expect(await server.kill('SIGTERM')).toEqual({ code: 0, signal: null });
  });

  it('ends itself once its leases are lost, so that its runs go on', async () => {
    await start(LOOP, { LEASE_TTL_MS: '1000' });
    block();
    expect(await server.ended).toEqual({ code: null, signal: 'SIGKILL' });
    expect(server.output).toContain('other processes have taken over its runs');
  });

  it('is not one that was suspended as a whole', async () => {
    await start(LOOP);
    server.signal('SIGSTOP');
    await delay(3_000); // the time that it is suspended
    server.signal('SIGCONT');
    expect(await server.kill('SIGTERM')).toEqual({ code: 0, signal: null });
    expect(linesOf('blocked')).toEqual([]);
  });
});
