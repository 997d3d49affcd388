import { Logger } from '@nestjs/common';
import { loadConfig } from '../config/load-config.js';
import type { Environment } from '../config/load-config.js';
import { outsideRuns, withLogFields } from './log-fields.js';
import { AppLogger } from './app-logger.js';

function setUp(env: Environment = {}): { logger: AppLogger; lines: string[] } {
  const lines: string[] = [];
  const logger = new AppLogger(loadConfig(env), (line) => lines.push(line));
  return { logger, lines };
}

const parse = (line?: string): Record<string, unknown> => JSON.parse(line ?? '') as never;

describe(AppLogger.name, () => {
  afterEach(() => Logger.overrideLogger(false));

  it("takes what Nest's logger passes on", () => {
    const { logger, lines } = setUp();
    Logger.overrideLogger(logger);
    new Logger('Store').log('ready');
    new Logger('Store').warn({ message: 'slow', duration_ms: 7 });
    new Logger('Store').error(new Error('no', { cause: new Error('why') }));
    expect(lines.map(parse)).toMatchObject([
      { level: 'info', context: 'Store', message: 'ready', pid: process.pid },
      { level: 'warn', context: 'Store', message: 'slow', duration_ms: 7 },
      { level: 'error', message: 'no', err: { type: 'Error', cause: { message: 'why' } } },
    ]);
    expect(lines.every((line) => line.endsWith('}\n'))).toBe(true);
  });

  it('names the run that a line is of, unless the line names another', async () => {
    const { logger, lines } = setUp();
    const run = { interaction_id: 'int_1', chat_id: 'one', epoch: 1 };
    await withLogFields(run, async () => {
      await Promise.resolve();
      logger.warn('in it', 'X');
      logger.warn({ message: 'of another', interaction_id: 'int_2' }, 'X');
      withLogFields({ trace_id: 'ab' }, () => logger.warn('in its trace', 'X'));
      outsideRuns(() => logger.warn('for all', 'X'));
    });
    logger.warn('outside', 'X');
    const [own, other, traced, ...outside] = lines.map(parse);
    expect([own, other]).toMatchObject([run, { ...run, interaction_id: 'int_2' }]);
    expect(traced).toMatchObject({ ...run, trace_id: 'ab' });
    for (const line of outside) expect(line).not.toHaveProperty('interaction_id');
    expect(outside).toHaveLength(2);
  });

  it('leaves out what is below LOG_LEVEL', () => {
    const { logger, lines } = setUp({ LOG_LEVEL: 'warn' });
    logger.log('a', 'X');
    logger.debug('b', 'X');
    logger.warn('c', 'X');
    expect(lines.map((line) => parse(line)['message'])).toEqual(['c']);
    expect(logger.isLevelEnabled('debug')).toBe(false);
  });

  it("keeps the framework's chatter for debugging", () => {
    const quiet = setUp();
    quiet.logger.log('Mapped {/chats, GET} route', 'RouterExplorer');
    quiet.logger.warn('odd', 'RouterExplorer');
    expect(quiet.lines).toHaveLength(1);
    const loud = setUp({ LOG_LEVEL: 'debug' });
    loud.logger.log('Mapped {/chats, GET} route', 'RouterExplorer');
    expect(parse(loud.lines[0])).toMatchObject({ level: 'debug' });
  });

  it('keeps members of foreign errors to itself', () => {
    const { logger, lines } = setUp();
    const error = Object.assign(new Error('401'), { code: 'auth', request: { key: 'hush' } });
    logger.error({ message: 'failed', err: error }, 'Model');
    expect(parse(lines[0])['err']).toEqual({
      type: 'Error',
      message: '401',
      code: 'auth',
      stack: expect.stringContaining('401') as string,
    });
  });

  it('writes errors that are too long, or that can not be read', () => {
    const { logger, lines } = setUp();
    logger.error({ message: 'failed', err: new Error('x'.repeat(1_000_000)) }, 'Run');
    const hostile = new Error('x');
    Object.defineProperty(hostile, 'message', {
      get() {
        throw new Error('no');
      },
    });
    logger.error({ message: 'failed', err: hostile }, 'Run');
    expect(lines[0]!.length).toBeLessThan(50_000);
    expect(parse(lines[1])).toMatchObject({ message: 'failed', err: { type: 'Error' } });
  });

  it.each(['json', 'pretty'])('hides secrets in %s, wherever they are', (LOG_FORMAT) => {
    const { logger, lines } = setUp({
      LOG_FORMAT,
      OPENAI_API_KEY: 'my-own-hush',
      ANTHROPIC_API_KEY: 'my-other-hush',
      DATABASE_URL: 'postgres://me:hush%21hush@db/parley',
      SERVICE_TOKEN: 'token-hush',
      GUARDRAIL_SECRET_VARIABLES: 'LICENCE',
      LICENCE: 'licence "hush"',
    });
    logger.log('using my-own-hush and my-other-hush', 'X');
    logger.log({ message: 'request', headers: { authorization: 'Bearer hush-hush' } }, 'X');
    logger.log({ deep: { er: { 'x-api-key': 'hush' }, body: '{"api_key": "hush"}' } }, 'X');
    logger.error(new Error('no connection to redis://:hush@cache/0 nor as hush!hush'), 'X');
    logger.warn('Authorization was Bearer hush.hush.hush, key sk-proj-hush1234', 'X');
    logger.warn(
      `parley_${'0'.repeat(24)}_${'a'.repeat(64)} and eyJhbGciOiJIUzI1NiJ9.eyJodXNoaHVzaA.hush`,
      'X',
    );
    logger.warn('GET /chats?a=b&ticket=hush&c=d', 'X');
    logger.debug('token-hush, licence "hush"', 'X');
    logger.warn('token-hush, licence "hush"', 'X');
    expect(lines).toHaveLength(8);
    expect(lines.join('')).not.toContain('hush');
    expect(lines.join('')).not.toContain('a'.repeat(64));
  });

  it('hides the secrets of each server of the process', () => {
    const { logger, lines } = setUp({ FIRST_TOKEN: 'of-the-first-1' });
    const second = setUp({ SECOND_TOKEN: 'of-the-second-2' });
    for (const each of [logger, second.logger]) each.warn('of-the-first-1, of-the-second-2', 'X');
    expect([...lines, ...second.lines].join('')).not.toContain('of-the-');
  });

  it('writes a text with line breaks and escapes on its own line', () => {
    const { logger, lines } = setUp({ LOG_FORMAT: 'pretty' });
    const text = 'no\n[10:00:00.000] INFO: [Main] all is well\r\u001b[2J\u009b\u202e';
    logger.warn(text, 'X');
    logger.warn({ message: 'odd', name: text }, 'X');
    logger.error({ message: 'broken', err: new Error(text, { cause: new Error(text) }) }, 'X');
    const written = lines.join('');
    expect(written).not.toMatch(/^\s*\[10:00/m);
    expect(written.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u202e]/u);
    expect(written).toMatch(/^ +at /m);
  });

  it('writes for people', () => {
    const { logger, lines } = setUp({ LOG_FORMAT: 'pretty' });
    logger.log({ message: 'listening', url: 'http://127.0.0.1:3000', at: { port: 3000 } }, 'Main');
    logger.error({ message: 'broken', err: new Error('no', { cause: 'why' }) });
    expect(lines[0]).toMatch(
      /^\[\d\d:\d\d:\d\d\.\d{3}\] INFO: \[Main\] listening \{"url":"http:\/\/127\.0\.0\.1:3000","at":\{"port":3000\}\}\n$/,
    );
    expect(lines[1]).toMatch(/ ERROR: broken ?\n[^]*Error: no\n +at .*\n[^]*"cause"[^]*why/);
  });
});
