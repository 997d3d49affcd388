import { parseExact } from '../../kernel/json/exact-json.js';
import { jest } from '@jest/globals';
import type { DiscoveryService } from '@nestjs/core';
import { z } from 'zod';
import { toolContext } from '../../testing/tool-context.js';
import { Clock } from '../../kernel/clock.js';
import { STOP_GRACE_MS } from './run-until.js';
import { ToolExecutor } from './tool-executor.js';
import type { ToolExecution } from './tool-executor.js';
import { ToolOutput } from './tool-output.js';
import type { ToolOutputFlags } from './tool-output.js';
import { ToolRegistry } from './tool-registry.js';
import { Tool } from './tool.js';
import type { ToolContext, ToolEvent, ToolPolicy, ToolRetries } from './tool.js';

type Work = (input: never, context: ToolContext) => unknown;

class FakeTool extends Tool {
  readonly name: string = 'weather';
  readonly description = 'Does what the test wants.';
  readonly input = z.object({
    city: z.string(),
    range: z.object({ days: z.int() }).optional(),
  });
  readonly policy: ToolPolicy;
  override readonly timeout_ms?: number;

  constructor(
    private readonly work: Work,
    { timeoutMs, retries }: Pick<Given, 'timeoutMs' | 'retries'> = {},
  ) {
    super();
    this.timeout_ms = timeoutMs;
    this.policy = {
      ...{ category: 'read', read_only: true, risk: 'low', recovery: 'rerun' },
      ...(retries && { retries }),
    };
  }

  execute(input: unknown, context: ToolContext): string {
    return this.work(input as never, context) as string;
  }
}

/** Each look at it is 7.4 ms later than the one before. */
class TickingClock extends Clock {
  private elapsed = 0;

  now(): Date {
    return new Date(0);
  }

  monotonic(): number {
    return (this.elapsed += 7.4);
  }
}

interface Given {
  readonly work?: Work;
  readonly args?: string;
  readonly name?: string;
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
  readonly output?: (text: string) => void;
  readonly ask?: ToolContext['ask'];
  readonly tell?: ToolContext['tell'];
  readonly retries?: ToolRetries;
}

function executorFor({ work = () => 'sunny', ...more }: Given): ToolExecutor {
  const registry = new ToolRegistry({} as DiscoveryService);
  registry.add(new FakeTool(work, more));
  return new ToolExecutor(
    registry,
    { toolTimeoutMs: 1_000, toolOutputLimit: 200 },
    new TickingClock(),
  );
}

function execute(given: Given = {}): Promise<ToolExecution> {
  const { name = 'weather', args = '{"city":"Oslo"}', output = () => {} } = given;
  const context = toolContext({
    output,
    ...(given.signal && { signal: given.signal }),
    ...(given.ask && { ask: given.ask }),
    ...(given.tell && { tell: given.tell }),
  });
  return executorFor(given).execute({ name, arguments: args }, context);
}

function untilAborted(signal: AbortSignal): Promise<unknown> {
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(signal.reason));
  });
}

describe(ToolExecutor.name, () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => {
    expect(jest.getTimerCount()).toBe(0);
    jest.useRealTimers();
  });

  it('gives the tool its input and the model what it answers', async () => {
    const work = ({ city }: { city: string }) => `sunny in ${city}`;
    expect(await execute({ work })).toEqual({
      output: 'sunny in Oslo',
      is_error: false,
      duration_ms: 7,
    });
  });

  it.each([
    ['an unknown tool', { name: 'wether' }, 'There is no tool "wether". Did you mean weather?'],
    ['arguments that are no JSON', { args: '{"city":' }, 'not valid JSON ('],
    [
      'arguments that are no object',
      { args: '["Oslo"]' },
      'not a JSON object. Send one JSON object.',
    ],
    ['no JSON', { args: 'nil' }, 'not valid JSON'],
    ['no arguments where some are needed', { args: '' }, '- city: Invalid input'],
    [
      'a fault deep inside',
      { args: '{"city":"Oslo","range":{"days":"x"}}' },
      '- range.days: Invalid input',
    ],
  ])('tells the model of %s', async (_, given, message) => {
    const result = await execute(given);
    expect(result.is_error).toBe(true);
    expect(result.output).toContain(message);
  });

  it('checks a call without running it', () => {
    const work = jest.fn(() => 'ran');
    const executor = executorFor({ work });
    expect(executor.check('weather', '{"city":"Oslo"}')).toEqual({
      ok: true,
      input: { city: 'Oslo' },
    });
    expect(executor.check('weather', '{}')).toEqual({
      ok: false,
      fault: expect.stringMatching(/- city.*Fix them and call it again\.$/s),
      fault_for_people: expect.stringMatching(/- city((?!Fix).)*$/s),
    });
    expect(executor.check('nothing', '{}')).toEqual({
      ok: false,
      fault: expect.stringContaining('nothing'),
    });
    expect(work).not.toHaveBeenCalled();
  });

  it.each([
    ['an error', new Error('no such city'), 'The tool failed: no such city'],
    ['a string', 'broken', 'The tool failed: broken'],
    ['nothing', undefined, 'The tool failed: no reason given'],
  ])('tells the model what the tool said when it throws %s', async (_, thrown, output) => {
    const work = () => {
      throw thrown; // oxlint-disable-line typescript/only-throw-error -- a tool may throw any value
    };
    expect(await execute({ work })).toMatchObject({ output, is_error: true });
    expect(await execute({ work: async () => work() })).toMatchObject({ output, is_error: true });
  });

  it.each([
    ['an object', { a: 1n }, '{"a":"1"}'],
    ['a number', 42, '42'],
    ['nothing', undefined, ''],
    ['a symbol', Symbol('s'), "[symbol that can't be shown as text]"],
  ])('makes text of a tool that answers %s', async (_, value, output) => {
    expect(await execute({ work: () => value })).toMatchObject({ output, is_error: false });
  });

  it('survives an answer that has no text', async () => {
    const circular: Record<string, unknown> = {};
    circular.self = circular;
    const result = await execute({ work: () => circular });
    expect(result.output).toBe("[object that can't be shown as text]");
  });

  it('cuts a long output and says so, errors too', async () => {
    const long = await execute({ work: () => 'x'.repeat(1_000) });
    expect(long).toMatchObject({ is_error: false, truncated: true });
    expect(long.output).toMatch(/^x+\n\[… \d+ characters cut …\]\nx+$/);
    const work = () => {
      throw new Error('y'.repeat(1_000));
    };
    expect(await execute({ work })).toMatchObject({ is_error: true, truncated: true });
  });

  it('stops a tool that takes too long', async () => {
    const work: Work = (_, { signal }) =>
      untilAborted(signal).then((reason) => Promise.reject(reason));
    const running = execute({ work });
    await jest.advanceTimersByTimeAsync(999);
    await jest.advanceTimersByTimeAsync(1);
    const output = 'The tool took longer than 1000 ms and was stopped.';
    expect(await running).toMatchObject({ output, is_error: true });
  });

  it("goes by the tool's own time limit", async () => {
    const running = execute({
      work: (_, { signal }) => untilAborted(signal).then(() => ''),
      timeoutMs: 50,
    });
    await jest.advanceTimersByTimeAsync(50);
    expect((await running).output).toContain('longer than 50 ms');
  });

  it('does not count the time in which the tool waits for people', async () => {
    const answers: ((answer: string) => void)[] = [];
    const running = execute({
      ask: () => new Promise((resolve) => answers.push(resolve)),
      work: async (_, { ask, signal }) => {
        await Promise.all([ask('One?'), ask('Two?')]);
        return untilAborted(signal).then(() => 'both');
      },
    });
    await jest.advanceTimersByTimeAsync(10_000);
    answers[0]!('1');
    await jest.advanceTimersByTimeAsync(10_000);
    answers[1]!('2');
    await jest.advanceTimersByTimeAsync(999);
    expect(jest.getTimerCount()).toBe(1);
    await jest.advanceTimersByTimeAsync(2);
    expect((await running).output).toMatch(/longer than 1000 ms[^]*both/);
  });

  it('keeps what a stopped tool still answers', async () => {
    const running = execute({
      work: (_, { signal }) => untilAborted(signal).then(() => 'half of it'),
    });
    await jest.advanceTimersByTimeAsync(1_000);
    expect(await running).toMatchObject({
      output: 'The tool took longer than 1000 ms and was stopped. What it had by then:\nhalf of it',
      is_error: true,
    });
  });

  it('abandons a tool that ignores its signal, and listens to it no more', async () => {
    const output = jest.fn();
    let show: (text: string) => void = () => {};
    const work: Work = (_, context) => {
      show = context.output;
      show('first');
      return new Promise(() => {});
    };
    const running = execute({ work, output });
    await jest.advanceTimersByTimeAsync(1_000 + STOP_GRACE_MS);
    expect((await running).output).toContain('it may still be running');
    show('too late');
    expect(output.mock.calls).toEqual([['first']]);
  });

  it('stops a tool whose call is cancelled, and leaves nothing on the signal', async () => {
    const canceller = new AbortController();
    const remove = jest.spyOn(canceller.signal, 'removeEventListener');
    const work: Work = (_, { signal }) =>
      untilAborted(signal).then((reason) => Promise.reject(reason));
    const running = execute({ work, signal: canceller.signal });
    canceller.abort();
    expect(await running).toMatchObject({ output: 'The call was cancelled.', is_error: true });
    expect(remove).toHaveBeenCalled();
  });

  it('runs a tool again that failed in a way that may pass, and says so', async () => {
    const told: ToolEvent[] = [];
    const work = jest
      .fn<() => string>()
      .mockImplementationOnce(() => {
        throw new Error('Busy');
      })
      .mockReturnValue('sunny');
    const retries = { times: 2, backoff_ms: 100 };
    const running = execute({ work, retries, tell: async (event) => void told.push(event) });
    await jest.advanceTimersByTimeAsync(100);
    expect(await running).toMatchObject({ output: 'sunny', is_error: false });
    expect(told).toEqual([
      {
        ...{ type: 'NOTICE', code: 'tool_retried' },
        message: 'weather failed, and is tried again (1 of 2): Busy',
      },
    ]);
  });

  it('has all attempts take no longer than one may', async () => {
    const work = jest.fn(() => Promise.reject(new Error('Busy')));
    const running = execute({ work, retries: { times: 5, backoff_ms: 600 } });
    await jest.advanceTimersByTimeAsync(1_000);
    expect(await running).toMatchObject({
      output: 'The tool took longer than 1000 ms and was stopped.',
      is_error: true,
    });
    expect(work).toHaveBeenCalledTimes(2);
  });

  it('does not start a call that is cancelled already', async () => {
    const work = jest.fn(() => 'ran');
    const result = await execute({ work, signal: AbortSignal.abort() });
    expect(result).toMatchObject({
      output: 'The call was cancelled before it began.',
      is_error: true,
    });
    expect(work).not.toHaveBeenCalled();
  });

  it('answers data for clients, each text of it guarded, up to 64 KB', async () => {
    const work = (data: object) => () => new ToolOutput('sunny', { data } as ToolOutputFlags);
    const readAtOnce = (text: string) => text.replace('secret', '…');
    const guard = { readAtOnce, read: async (text: string) => readAtOnce(text) };
    const of = (data: object) =>
      executorFor({ work: work(data) })
        .execute({ name: 'weather', arguments: '{"city":"Oslo"}' }, toolContext(), guard)
        .then((result) => result.data);
    expect(await of({ days: [1, 'a secret'], of: { secret: null } })).toEqual({
      days: [1, 'a …'],
      of: { '…': null },
    });
    const numbers = parseExact('{"id":1234567890123456789,"all":[1.50,1e400,7]}') as object;
    expect(await of(numbers)).toEqual({ id: '1234567890123456789', all: [1.5, '1e400', 7] });
    expect(await of({ text: 'x'.repeat(65_525) })).toBeDefined();
    expect(await of({ text: 'x'.repeat(65_526) })).toBeUndefined();
    const circular: Record<string, unknown> = {};
    circular['self'] = circular;
    expect(await of(circular)).toBeUndefined();
  });

  it('adds diagnostics to the data', async () => {
    const diagnostics = [{ path: 'a.ts', line: 1, severity: 'error', message: 'No' }] as const;
    const work = () => new ToolOutput('failed', { data: { exit_code: 1 }, diagnostics });
    expect(await execute({ work })).toMatchObject({ data: { exit_code: 1, diagnostics } });
  });
});
