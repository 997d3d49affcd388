import { Prices } from '../../config/prices/prices.js';
import type { LogRecord } from '../../persistence/rows/log-record.js';
import type { Budget } from '../../protocol/budget.js';
import type { RecordBody } from '../../protocol/events.js';
import { Budgets, treeBudget } from './budgets.js';

const PRICES = new Prices([{ 'a/b': { input: 1, output: 10 } }]);
const START = Date.UTC(2026, 0, 15);

/** Records, each at so many milliseconds after the start. */
class World {
  readonly budgets: Budgets;

  constructor(budget: Budget) {
    this.budgets = new Budgets({ root_id: 'root', budget, prices: PRICES });
    this.at(0, 'root', {
      ...{ type: 'INTERACTION_STARTED', chat_id: 'c', user_message: '', agent: 'react' },
      ...{ model: 'a/b', parent_id: null },
    });
  }

  at(ms: number, agent_id: string, body: RecordBody, more: Partial<LogRecord> = {}): this {
    const at = new Date(START + ms).toISOString();
    const names = { interaction_id: 'int', seq: 1, epoch: 1, key: null, hidden: null };
    this.budgets.apply({ ...names, agent_id, at, body, ...more } as LogRecord);
    return this;
  }

  fork(ms: number, id: string, parent_agent_id: string, budget?: Budget): this {
    const body = {
      type: 'AGENT_STARTED',
      parent_agent_id,
      agent_type: 'react',
      prompt: '',
    } as const;
    return this.at(ms, id, body, { hidden: { settings: {}, ...(budget && { budget }) } });
  }

  turn(
    ms: number,
    id: string,
    [input_tokens, output_tokens]: [number, number],
    model = 'a/b',
  ): this {
    return this.at(ms, id, {
      ...{ type: 'TURN_COMPLETED', model, finish_reason: 'stop', duration_ms: 1 },
      usage: { input_tokens, output_tokens },
    });
  }

  call(id: string, key: string): this {
    const body = { type: 'TOOL_CALL', id: key, block_id: 'b', tool_name: 't' } as const;
    return this.at(1, id, { ...body, tool_input: '{}' }, { key });
  }

  over(id: string, ms: number): string | undefined {
    return this.budgets.exceeded(id, START + ms)?.message;
  }
}

describe(Budgets.name, () => {
  it('count what an agent uses for all above it, and for nobody else', () => {
    const world = new World({ tokens: 100 });
    world
      .fork(1, 'child', 'root', { tokens: 30 })
      .fork(1, 'heir', 'child')
      .fork(1, 'other', 'root');
    world.turn(2, 'heir', [10, 19]);
    expect(world.over('child', 2)).toBeUndefined();
    world.turn(3, 'heir', [1, 0]);
    expect(world.over('child', 3)).toMatch(/of this agent.*30 of 30 tokens/);
    expect(world.over('heir', 3)).toMatch(/30 of 30 tokens/);
    expect([world.over('root', 3), world.over('other', 3)]).toEqual([undefined, undefined]);
    world.turn(4, 'other', [70, 0]);
    expect(world.over('other', 4)).toMatch(/one message of the user.*100 of 100 tokens/);
    expect(world.budgets.exceeded('root', START)).toMatchObject({ code: 'budget_exceeded' });
  });

  it('count money where the price is known', () => {
    const world = new World({ cost_usd: 0.5 });
    world.turn(1, 'root', [400_000, 0]).turn(2, 'root', [9_000_000, 9_000_000], 'un/known');
    expect(world.over('root', 2)).toBeUndefined();
    world.turn(3, 'root', [0, 10_000]);
    expect(world.over('root', 3)).toMatch(/0\.5000 of 0\.5 US dollars/);
  });

  it('count the cost that is in the log, whatever the price is now', () => {
    const world = new World({ cost_usd: 0.5 });
    world.at(1, 'root', {
      ...{ type: 'TURN_COMPLETED', model: 'a/b', finish_reason: 'stop', duration_ms: 1 },
      usage: { input_tokens: 9_000_000, output_tokens: 0, cost_usd: 0.4 },
    });
    expect(world.over('root', 1)).toBeUndefined();
  });

  it('refuse the calls that are too many, starts of agents included, by the order of the log', () => {
    const world = new World({ tool_calls: 4 }).fork(1, 'child', 'root', { tool_calls: 1 });
    world.call('child', 'c1').call('child', 'c2').call('root', 'r1').call('root', 'r2');
    const refused = ['c1', 'c2', 'r1', 'r2'].map((key) => world.budgets.refusalOf(key));
    expect(refused).toEqual([
      undefined,
      expect.stringContaining('no more than 1 tool calls may be made of this agent'),
      undefined,
      expect.stringContaining('no more than 4 tool calls may be made for one message'),
    ]);
    expect(world.budgets.refusalOfFork('root')).toContain('No more than 4 tool calls');
    expect(world.budgets.refusalOfFork('child')).toContain('No more than 1 tool calls');
  });

  it('count the time that was worked: not while a person is asked, nor while a lost run was not taken up', () => {
    const world = new World({ wall_time_ms: 1_000 });
    const left = (ms: number) => world.budgets.remainingMs('root', START + ms);
    expect([left(0), left(400), left(5_000)]).toEqual([1_000, 600, 0]);
    const question = { type: 'INPUT_REQUIRED', request_id: 'q', question: '?' } as const;
    world.at(100, 'root', { ...question, expires_at: null });
    expect(left(90_000)).toBe(900);
    world.at(100_000, 'root', {
      type: 'INPUT_RECEIVED',
      request_id: 'q',
      answer: null,
      by: { kind: 'system' },
    });
    expect(left(100_000)).toBe(900);
    world.turn(100_200, 'root', [1, 1]);
    world.at(900_000, 'root', { type: 'RESUMED', attempt: 1, reason: 'lost' });
    expect(left(900_000)).toBe(700);
    world.fork(900_100, 'child', 'root', { wall_time_ms: 300 });
    expect(world.budgets.remainingMs('child', START + 900_150)).toBe(250);
    expect(world.over('child', 900_399)).toBeUndefined();
    expect(world.over('child', 900_400)).toMatch(/worked for 300 of 300 ms/);
    expect(world.over('root', 900_699)).toBeUndefined();
    expect(world.over('root', 900_700)).toMatch(/worked for 1000 of 1000 ms/);
  });

  it('count the time that an agent works without a deferred call, and not the wait for its approval', () => {
    const world = new World({ wall_time_ms: 1_000 });
    const left = (ms: number) => world.budgets.remainingMs('root', START + ms);
    const of = { approval_id: 'a', tool_call_id: 'c' } as const;
    world.at(100, 'root', {
      ...{ type: 'APPROVAL_REQUIRED', ...of, tool_name: 't', tool_input: '{}', action: 'Act' },
      ...{ category: 'write', risk: 'low', reason: 'r', expires_at: null },
    });
    const result = {
      type: 'TOOL_RESULT',
      id: 'c',
      tool_name: 't',
      tool_output: 'Waiting',
    } as const;
    const more = { hidden: { deferred: 'a' } };
    world.at(100, 'root', { ...result, is_error: false, duration_ms: 0 }, more);
    expect(left(250)).toBe(750);
    world.turn(300, 'root', [1, 1]);
    world.at(90_000, 'root', { type: 'RESUMED', attempt: 1, reason: 'lost' });
    world.at(100_000, 'root', { type: 'APPROVED', ...of, by: { kind: 'user', user_id: 'ann' } });
    expect([left(100_000), left(100_100)]).toEqual([700, 600]);
  });

  it('bound nothing that was not asked for', () => {
    const world = new World({}).turn(1, 'root', [1e9, 1e9]).call('root', 'r');
    expect(world.over('root', 1e9)).toBeUndefined();
    expect(world.budgets.remainingMs('root', START + 1e9)).toBeUndefined();
    expect(world.budgets.refusalOf('r')).toBeUndefined();
  });
});

describe(treeBudget.name, () => {
  it('gives what was asked for, and never more than the server allows', () => {
    const settings = { maxTokens: 100, maxWallTimeMs: 0, maxCostUsd: 2 };
    expect(treeBudget(undefined, settings)).toEqual({ tokens: 100, cost_usd: 2 });
    const wanted = { tokens: 500, tool_calls: 0, wall_time_ms: 9, cost_usd: 1 };
    expect(treeBudget(wanted, settings)).toEqual({ ...wanted, tokens: 100 });
    expect(treeBudget({}, { maxTokens: 0, maxWallTimeMs: 0, maxCostUsd: 0 })).toEqual({});
  });
});
