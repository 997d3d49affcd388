import { atSeq, branchOf, fold } from '../../client/index.js';
import type { ChatStreamEvent, Conversation } from '../../client/index.js';

const AT = '2026-01-15T10:00:00.000Z';
const BY_ANN = { kind: 'user', user_id: 'ann' };

/** Records of one interaction, numbered, and deltas as they are. */
function log(interaction_id: string, ...events: readonly object[]): ChatStreamEvent[] {
  let seq = 0;
  return events.map((event) => {
    const number = 'offset' in event || 'chat' in event ? {} : { seq: ++seq, at: AT };
    return { interaction_id, agent_id: 'agent_1', ...number, ...event } as ChatStreamEvent;
  });
}

function started(user_message: string, parent_id: string | null = null, more: object = {}): object {
  const settings = { chat_id: 'chat_1', agent: 'react', model: 'demo/script' };
  return { type: 'INTERACTION_STARTED', ...settings, user_message, parent_id, ...more };
}

const COMPLETE = { type: 'INTERACTION_COMPLETE', status: 'COMPLETED' };
const delta = (block_id: string, offset: number, text: string): object => ({
  ...{ type: 'TEXT_DELTA', block_id, offset, delta: text },
});
const answer = (block_id: string, content: string): object => ({
  type: 'ANSWER',
  block_id,
  content,
});
const whole = (events: readonly ChatStreamEvent[], from?: Conversation): Conversation =>
  events.reduce<Conversation | undefined>(fold, from)!;
const textsIn = (state: Conversation, id = 'int_1'): Record<string, string> => {
  const open = Object.entries(state.interactions[id]!.open);
  return Object.fromEntries(open.map(([block, { text }]) => [block, text]));
};
const chatUpdated = (head_interaction_id: string): ChatStreamEvent => {
  const chat = { id: 'chat_1', head_interaction_id };
  return { type: 'CHAT_UPDATED', chat_id: 'chat_1', chat } as unknown as ChatStreamEvent;
};

describe(fold.name, () => {
  it('keeps a text by its block until the record with that block comes', () => {
    const events = log('int_1', started('Hi'), delta('1b0', 0, 'Hel'), delta('1b0', 3, 'lo'));
    const writing = whole(events);
    expect(textsIn(writing)).toEqual({ '1b0': 'Hello' });
    const [, , , record] = log(
      'int_1',
      ...Array.from({ length: 3 }, () => COMPLETE),
      answer('1b0', 'Hello'),
    );
    const written = fold(writing, record!);
    expect(textsIn(written)).toEqual({});
    expect(written.interactions['int_1']).toMatchObject({ answer: 'Hello', status: 'RUNNING' });
    expect(textsIn(writing)).toEqual({ '1b0': 'Hello' });
  });

  it('adds up all that turns say of their usage, and nothing that none says', () => {
    const turn = (usage: object) => ({ type: 'TURN_COMPLETED', model: 'demo/script', usage });
    const one = { input_tokens: 10, output_tokens: 2, cached_tokens: 4, cost_usd: 0.1 };
    const other = { input_tokens: 5, output_tokens: 1, cache_write_tokens: 3, cost_usd: 0.2 };
    const state = whole(log('int_1', started('Hi'), turn(one), turn(other)));
    expect(state.interactions['int_1']!.usage).toEqual({
      ...{ input_tokens: 15, output_tokens: 3, cached_tokens: 4, cache_write_tokens: 3 },
      cost_usd: 0.3,
    });
  });

  it('drops texts that a notice, a take-over or the end makes void', () => {
    const notice = { type: 'NOTICE', code: 'model_retry', message: 'Again.', void: ['1b0'] };
    const two = [started('Hi'), delta('1b0', 0, 'a'), delta('1b1', 0, 'b')];
    expect(textsIn(whole(log('int_1', ...two, notice)))).toEqual({ '1b1': 'b' });
    const resumed = { type: 'RESUMED', attempt: 1, reason: 'Lost.' };
    expect(textsIn(whole(log('int_1', ...two, resumed)))).toEqual({});
    expect(textsIn(whole(log('int_1', ...two, COMPLETE)))).toEqual({});
  });

  it('is the same state when an event repeats', () => {
    const events = log('int_1', started('Hi'), delta('1b0', 0, 'a'), answer('1b0', 'a'), COMPLETE);
    const state = whole(events);
    for (const event of events) expect(fold(state, event)).toBe(state);
  });

  it('follows a call from its approval to its result, and says who decided', () => {
    const call = {
      type: 'TOOL_CALL',
      id: 'call_1',
      block_id: '1b0',
      tool_name: 'bash',
      tool_input: '{}',
    };
    const asked = {
      ...{ type: 'APPROVAL_REQUIRED', approval_id: 'approval_1', tool_call_id: 'call_1' },
      ...{ tool_name: 'bash', tool_input: '{}', action: 'Run', category: 'execute' },
      ...{ risk: 'low', reason: 'No rule.', expires_at: null },
    };
    const waiting = whole(log('int_1', started('Hi'), call, asked));
    expect(waiting.interactions['int_1']).toMatchObject({ status: 'WAITING_APPROVAL' });
    expect(waiting.requests).toMatchObject([
      { id: 'approval_1', status: 'pending', action: 'Run' },
    ]);
    const approved = {
      type: 'APPROVED',
      approval_id: 'approval_1',
      tool_call_id: 'call_1',
      by: BY_ANN,
    };
    const modified_input = { command: 'ls' };
    const result = {
      type: 'TOOL_RESULT',
      id: 'call_1',
      tool_name: 'bash',
      tool_output: 'x',
      is_error: false,
    };
    const events = log(
      'int_1',
      ...[started('Hi'), call, asked, { ...approved, modified_input }],
      ...[
        { type: 'TOOL_STARTED', id: 'call_1', tool_name: 'bash' },
        { ...result, duration_ms: 1 },
      ],
    );
    const state = whole(events);
    const settlement = { approved: true, by: BY_ANN, modified_input };
    expect(state.requests).toMatchObject([{ id: 'approval_1', status: 'settled', settlement }]);
    expect(state.interactions['int_1']).toMatchObject({
      status: 'RUNNING',
      calls: [
        { id: 'call_1', has_started: true, request_id: 'approval_1', result: { tool_output: 'x' } },
      ],
    });
  });

  it('closes what waits when its interaction ends', () => {
    const asked = {
      type: 'INPUT_REQUIRED',
      request_id: 'input_1',
      question: 'Which?',
      expires_at: null,
    };
    const open = whole(log('int_1', started('Hi'), asked));
    expect(open.interactions['int_1']!.status).toBe('WAITING_INPUT');
    const ended = whole(log('int_1', started('Hi'), asked, { ...COMPLETE, status: 'CANCELLED' }));
    expect(ended.requests).toMatchObject([{ id: 'input_1', status: 'closed' }]);
    expect(ended.interactions['int_1']!.status).toBe('CANCELLED');
  });

  it('takes from the queue what begins, and what ends there', () => {
    const waits = (interaction_id: string, queued: readonly string[]) => {
      const named = { type: 'INTERACTION_QUEUED', chat_id: 'chat_1', interaction_id } as const;
      return { ...named, position: queued.indexOf(interaction_id) + 1, queued } as ChatStreamEvent;
    };
    const waiting = whole([waits('int_2', ['int_2']), waits('int_3', ['int_2', 'int_3'])]);
    expect(waiting.queued).toEqual(['int_2', 'int_3']);
    const cancelled = whole(log('int_3', { ...COMPLETE, status: 'CANCELLED' }), waiting);
    expect(cancelled.queued).toEqual(['int_2']);
    expect(whole(log('int_2', started('Hi')), cancelled).queued).toEqual([]);
  });

  it('keeps a request the same, whether the record or the live event comes first', () => {
    const asked = {
      type: 'INPUT_REQUIRED',
      request_id: 'input_1',
      question: 'Which?',
      expires_at: null,
    };
    const got = { type: 'INPUT_RECEIVED', request_id: 'input_1', answer: 'red', by: BY_ANN };
    const records = log('int_1', started('Hi'), asked, got);
    const row = { id: 'input_1', kind: 'input', interaction_id: 'int_1', agent_id: 'agent_1' };
    const fields = {
      ...row,
      created_at: AT,
      expires_at: null,
      question: 'Which?',
      request_id: 'input_1',
    };
    const live = (type: string, more: object) =>
      ({ type, chat_id: 'chat_1', request: { ...fields, ...more } }) as unknown as ChatStreamEvent;
    const opened = live('REQUEST_OPENED', { status: 'pending', settlement: null });
    const settlement = { kind: 'input', answer: 'red', by: BY_ANN };
    const settled = live('REQUEST_SETTLED', { status: 'settled', settlement, settled_at: AT });
    const expected = whole(records).requests;
    const [begin, ask, receive] = records as [ChatStreamEvent, ChatStreamEvent, ChatStreamEvent];
    for (const order of [
      [opened, begin, ask, settled, receive],
      [begin, ask, opened, receive, settled],
      [opened, settled, begin],
      [settled, opened, begin],
      [opened, settled, begin, ask, receive],
    ])
      expect(whole(order).requests).toEqual(expected);
  });

  it('keeps the tree of agents, and what each does now until it ends', () => {
    const child = { type: 'AGENT_STARTED', agent_id: 'agent_2', parent_agent_id: 'agent_1' };
    const begun = { ...child, agent_type: 'coder', prompt: 'Help.', tool_call_id: 'call_1' };
    const now = {
      type: 'AGENT_STATE',
      chat: 0,
      chat_id: 'chat_1',
      agent_id: 'agent_2',
      state: 'thinking',
    };
    const state = whole(log('int_1', started('Hi'), begun, now));
    expect(state.interactions['int_1']!.agents).toMatchObject([
      { id: 'agent_1', type: 'react', parent_agent_id: null, status: 'running' },
      { id: 'agent_2', type: 'coder', parent_agent_id: 'agent_1', now: { state: 'thinking' } },
    ]);
    const ended = { type: 'AGENT_COMPLETED', agent_id: 'agent_2', status: 'error', result: 'No.' };
    const after = whole(log('int_1', started('Hi'), begun, now, ended));
    expect(after.interactions['int_1']!.agents[1]).toMatchObject({
      ...{ status: 'error', result: 'No.', now: null },
    });
  });

  it('drops an interaction whose log went back, with its requests', () => {
    const asked = {
      type: 'INPUT_REQUIRED',
      request_id: 'input_1',
      question: 'Which?',
      expires_at: null,
    };
    const before = whole([
      ...log('int_1', started('A'), COMPLETE),
      ...log('int_2', started('B', 'int_1'), asked),
    ]);
    const lost = { type: 'ERROR', interaction_id: 'int_2', agent_id: 'agent_1', message: '' };
    const state = fold(before, { ...lost, code: 'log_went_back' } as ChatStreamEvent);
    expect(Object.keys(state.interactions)).toEqual(['int_1']);
    expect([state.requests, state.head]).toEqual([[], 'int_1']);
    const unreadable = fold(before, { ...lost, code: 'log_unreadable' } as ChatStreamEvent);
    expect(unreadable.interactions['int_2']!.error?.code).toBe('log_unreadable');
  });

  it('is plain data, also with names that objects inherit', () => {
    const call = { type: 'TOOL_CALL', block_id: '1b0', tool_name: 'bash', tool_input: '{}' };
    const odd = [
      { ...call, id: '__proto__' },
      { ...call, id: 'constructor', block_id: '1b1' },
    ];
    const state = whole(log('int_1', started('Hi'), ...odd, COMPLETE));
    const ids = state.interactions['int_1']!.calls.map(({ id }) => id);
    expect(ids).toEqual(['__proto__', 'constructor']);
    expect(JSON.parse(JSON.stringify(state))).toEqual(state);
  });
});

describe(branchOf.name, () => {
  const first = log('int_1', started('A'), COMPLETE);
  const second = log('int_2', started('B', 'int_1'), COMPLETE);
  const edit = log('int_3', started('C', 'int_1', { edited_from: 'int_2' }), COMPLETE);
  const ids = (state: Conversation): string[] => branchOf(state).map(({ id }) => id);

  it('leads from the first message to the newest, by way of edits', () => {
    expect(ids(whole([...first, ...second]))).toEqual(['int_1', 'int_2']);
    expect(ids(whole([...first, ...second, ...edit]))).toEqual(['int_1', 'int_3']);
  });

  it('goes on with the one that goes on from it, before the chat says so', () => {
    const first = fold(whole(log('int_1', started('One'), COMPLETE)), chatUpdated('int_1'));
    expect(whole(log('int_2', started('Two', 'int_1')), first).head).toBe('int_2');
    expect(whole(log('int_2', started('Other', null)), first).head).toBe('int_1');
  });

  it('is the one that the chat has as its head, once that has begun', () => {
    const state = whole([...first, ...second, ...edit, chatUpdated('int_2')]);
    expect(ids(state)).toEqual(['int_1', 'int_2']);
    const later = fold(state, chatUpdated('int_4'));
    expect(ids(later)).toEqual(['int_1', 'int_2']);
    const begun = whole(log('int_4', started('D', 'int_2')), later);
    expect(ids(begun)).toEqual(['int_1', 'int_2', 'int_4']);
  });
});

describe(atSeq.name, () => {
  it('is the state right after a record, with what had begun before', () => {
    const asked = {
      type: 'INPUT_REQUIRED',
      request_id: 'input_1',
      question: 'Which?',
      expires_at: null,
    };
    const got = { type: 'INPUT_RECEIVED', request_id: 'input_1', answer: 'red', by: BY_ANN };
    const first = log('int_1', started('A'), answer('1b0', 'x'), COMPLETE);
    const second = log('int_2', started('B', 'int_1'), asked, got, answer('1b0', 'y'), COMPLETE);
    const state = whole([...first, ...second, ...log('int_3', started('C', 'int_2'))]);
    for (const seq of [1, 2, 3, 4, 5])
      expect(atSeq(state, seq, 'int_2')).toEqual(whole([...first, ...second.slice(0, seq)]));
    expect(atSeq(state, 1).head).toBe('int_3');
    expect(atSeq(state, 9)).toEqual(state);
  });
});
