import { call, chunk, fold, stop } from '../../../test/support/model/fold-chunks.js';
import type { ModelEvent } from '../model-provider.js';
import { ModelError } from '../model-error.js';
import { ChatTurn } from './chat-turn.js';
import { StreamedError } from '../errors/answer-errors.js';

describe(ChatTurn.name, () => {
  it.each([
    [
      'an index and an id',
      [
        call({ index: 0, id: 'a' }, 'f', ''),
        call({ index: 0 }, undefined, '{"x"'),
        call({ index: 0 }, undefined, ':1}'),
      ],
      ['a f {"x":1}'],
    ],
    [
      'no index',
      [call({ id: 'a' }, 'f', '{"x"'), call({}, undefined, ':1}'), call({ id: 'b' }, 'f', '{}')],
      ['a f {"x":1}', 'b f {}'],
    ],
    [
      'no index, and ids in every delta',
      [
        call({ id: 'a' }, 'f', '{'),
        call({ id: 'b' }, 'g', '{'),
        call({ id: 'a' }, undefined, '}'),
        call({ id: 'b' }, undefined, '}'),
      ],
      ['a f {}', 'b g {}'],
    ],
    [
      'index 0 for each whole call',
      [call({ index: 0, id: 'a' }, 'f', '{"x":1}'), call({ index: 0, id: 'b' }, 'f', '{"x":2}')],
      ['a f {"x":1}', 'b f {"x":2}'],
    ],
    [
      'index 0 and one id for each whole call',
      [call({ index: 0, id: 'a' }, 'f', '{"x":1}'), call({ index: 0, id: 'a' }, 'f', '{"x":2}')],
      ['a f {"x":1}', 'a f {"x":2}'],
    ],
    [
      'a last chunk that repeats the call',
      [
        call({ index: 0, id: 'a' }, 'f', ''),
        call({ index: 0 }, undefined, '{"x": 1}'),
        call({ index: 0, id: 'a' }, 'f', '{"x":1}'),
      ],
      ['a f {"x": 1}'],
    ],
    [
      'last chunks that repeat two calls, one of them without its index',
      [
        call({ index: 0, id: 'a' }, 'f', '{"x":1}'),
        call({ index: 1, id: 'b' }, 'f', '{"x":2}'),
        call({ index: 0, id: 'a' }, 'f', '{"x":1}'),
        call({ id: 'b' }, 'f', '{"x":2}'),
      ],
      ['a f {"x":1}', 'b f {"x":2}'],
    ],
    [
      'a last chunk that repeats what was not whole yet',
      [call({ index: 0, id: 'a' }, 'f', '{"x"'), call({ index: 0, id: 'a' }, 'f', '{"x":1}')],
      ['a f {"x":1}'],
    ],
    [
      'a repetition without ids',
      [call({ index: 0 }, 'f', '{"x":1}'), call({ index: 0 }, 'f', '{"x":1}')],
      [' f {"x":1}'],
    ],
    [
      'a whole call that another index repeats',
      [call({ index: 0, id: 'a' }, 'f', '{}'), call({ index: 1, id: 'a' }, 'f', '{}')],
      ['a f {}'],
    ],
    [
      'numbers that differ beyond the precision of a float',
      [
        call({ index: 0, id: 'a' }, 'f', '{"x":1234567890123456789}'),
        call({ index: 0, id: 'a' }, 'f', '{"x":1234567890123456788}'),
      ],
      ['a f {"x":1234567890123456789}', 'a f {"x":1234567890123456788}'],
    ],
    [
      'a name in two parts',
      [
        call({ index: 0, id: 'a' }, 'get_', ''),
        call({ index: 0 }, 'weather', ''),
        call({ index: 0 }, undefined, '{}'),
      ],
      ['a get_weather {}'],
    ],
    [
      'names that grow, of two calls',
      [
        call({ index: 0, id: 'a' }, 'get_', ''),
        call({ index: 0, id: 'a' }, 'get_weather', ''),
        call({ index: 1, id: 'b' }, 'get_', ''),
        call({ index: 1, id: 'b' }, 'time', '{}'),
      ],
      ['a get_weather {}', 'b get_time {}'],
    ],
    [
      'no arguments, before a call that has some',
      [call({ index: 0, id: 'a' }, 'f', ''), call({ index: 1, id: 'b' }, 'g', '{"x":1}')],
      ['a f {}', 'b g {"x":1}'],
    ],
    [
      'a last chunk that repeats the call, its arguments encoded twice',
      [
        call({ index: 0, id: 'a' }, 'f', '{"x":'),
        call({ index: 0 }, undefined, '1}'),
        call({ index: 0, id: 'a' }, 'f', '"{\\"x\\": 1}"'),
      ],
      ['a f {"x":1}'],
    ],
    [
      'a last chunk that has all of them encoded twice',
      [
        call({ index: 0, id: 'a' }, 'f', '{"x":'),
        call({ index: 0, id: 'a' }, 'f', '"{\\"x\\":1}"'),
      ],
      ['a f {"x":1}'],
    ],
    [
      'the same without a name',
      [call({ index: 0, id: 'a' }, 'f', '{"x":1}'), call({ index: 0 }, undefined, '"{\\"x\\":1}"')],
      ['a f {"x":1}'],
    ],
    [
      'arguments encoded twice that a last chunk repeats encoded once',
      [
        call({ index: 0, id: 'a' }, 'f', '"{\\"x\\":1}"'),
        call({ index: 0, id: 'a' }, 'f', '{"x":1}'),
      ],
      ['a f "{\\"x\\":1}"'],
    ],
    [
      'their earlier form beside them',
      ['{"x"', ':1}'].map((args) => {
        const named = { name: 'f', arguments: args };
        return chunk({ tool_calls: [{ index: 0, function: named }], function_call: named });
      }),
      [' f {"x":1}'],
    ],
    [
      'index 0 and empty ids for each whole call',
      [call({ index: 0, id: '' }, 'f', '{}'), call({ index: 0, id: '' }, 'g', '{}')],
      [' f {}', ' g {}'],
    ],
    [
      'one id for two indices',
      [call({ index: 0, id: 'a' }, 'f', '{}'), call({ index: 1, id: 'a' }, 'f', '{"x":1}')],
      ['a f {}', 'a f {"x":1}'],
    ],
    [
      'id and name in every delta',
      [
        call({ index: 0, id: 'a' }, 'f', '{"x"'),
        call({ index: 0, id: 'a' }, 'f', ':1}'),
        call({ index: 0, id: 'a' }, 'f', ''),
      ],
      ['a f {"x":1}'],
    ],
    [
      'a new id in every delta',
      [call({ index: 0, id: 'a' }, 'f', '{"x"'), call({ index: 0, id: 'b' }, undefined, ':1}')],
      ['a f {"x":1}'],
    ],
    [
      'null where nothing is',
      [call({ index: 0, id: 'a' }, 'f', null), call({ index: 0, id: null }, undefined, '{}')],
      ['a f {}'],
    ],
    [
      'indices that begin at 1',
      [call({ index: 1, id: 'a' }, 'f', '{}'), call({ index: 2, id: 'b' }, 'f', '{}')],
      ['a f {}', 'b f {}'],
    ],
    [
      'the name after the arguments',
      [call({ index: 0, id: 'a' }, undefined, '{"x":'), call({ index: 0 }, 'f', '1}')],
      ['a f {"x":1}'],
    ],
    ['an object for arguments', [call({ index: 0, id: 'a' }, 'f', { x: 1 })], ['a f {"x":1}']],
    ['no arguments', [call({ index: 0, id: 'a' }, 'f')], ['a f {}']],
    ['broken arguments', [call({ index: 0, id: 'a' }, 'f', '{"x":')], ['a f {"x":']],
    [
      'a function_call',
      [
        chunk({ function_call: { name: 'f', arguments: '{' } }),
        chunk({ function_call: { arguments: '}' } }),
      ],
      [' f {}'],
    ],
    [
      'two calls in one delta',
      [
        chunk({
          tool_calls: [
            { id: 'a', function: { name: 'f', arguments: '{}' } },
            { id: 'b', function: { name: 'g', arguments: '{}' } },
          ],
        }),
      ],
      ['a f {}', 'b g {}'],
    ],
  ])('tells calls apart that come with %s', (_, chunks, expected) => {
    const { calls, events, last } = fold([...chunks, stop]);
    expect(calls).toEqual(expected);
    expect(last).toMatchObject({ finish_reason: 'tool_calls', message: { content: null } });
    for (const [index, text] of expected.entries()) {
      const own = events.filter((event) => 'index' in event && event.index === index);
      expect(own.map(({ type }) => type)).toEqual([
        'tool_call_started',
        ...own.slice(1, -1).map(() => 'tool_call_args_delta'),
        'tool_call_ready',
      ]);
      expect(
        text.endsWith(own.map((event) => ('delta' in event ? event.delta : '')).join('')),
      ).toBe(true);
    }
  });

  it.each([
    ['reasoning_content', { reasoning_content: 'Hm' }],
    ['reasoning', { reasoning: 'Hm' }],
    ['either', { reasoning_content: '', reasoning: 'Hm' }],
    ['a part', { content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'Hm' }] }] }],
  ])('finds thoughts in %s', (_, delta) => {
    const chunks = [chunk(delta), chunk({ content: 'x' }), stop];
    expect(fold(chunks)).toMatchObject({ thinking: 'Hm', text: 'x', traces: [] });
  });

  it.each([
    ['content', { content: 'No' }],
    ['a refusal', { refusal: 'No', content: null }],
    [
      'parts',
      {
        content: [
          { type: 'text', text: 'N' },
          { type: 'text', text: 'o' },
        ],
      },
    ],
  ])('finds text in %s', (_, delta) => {
    const { text, last } = fold([chunk(delta), stop]);
    expect(text).toBe('No');
    expect(last).toMatchObject({ message: { content: 'No' } });
  });

  it.each([
    ['text', [chunk({ content: 'Yes.' }), stop], { content: 'Yes.' }],
    [
      'a call',
      [call({ index: 0, id: 'a' }, 'f', '{}'), stop],
      { content: null, tool_calls: [{ id: 'a' }] },
    ],
  ])('takes tagged thoughts before %s for thoughts, which are not kept', (_, chunks, message) => {
    const thoughts = ['<thi', 'nk>\nH', 'm.</th', 'ink>\n\n'].map((content) => chunk({ content }));
    const turn = fold([...thoughts, ...chunks]);
    expect(turn.thinking).toBe('Hm.');
    expect(turn.last).toMatchObject({ message });
    expect(JSON.stringify(turn.last)).not.toContain('Hm');
  });

  it.each([
    ['with', [0, 1]],
    ['without', [undefined, undefined]],
  ])('reads one of two choices, %s indices', (_, indices) => {
    const two = (...texts: string[]): object => ({
      choices: texts.map((content, at) => ({ index: indices[at], delta: { content } })),
    });
    expect(fold([two('Hel', 'By'), two('lo', 'e'), stop]).text).toBe('Hello');
  });

  it('takes tagged thoughts that never end for no answer', () => {
    expect(() => fold([chunk({ content: '<think>Hm. It is 42.' }), stop])).toThrow(ModelError);
    const cut = fold([chunk({ content: '<think>Hm. It is' }, 'length')]);
    expect(cut).toMatchObject({ thinking: 'Hm. It is', last: { finish_reason: 'length' } });
  });

  it('finds tagged thoughts in a whole message, and once in one that repeats them', () => {
    const content = '<think>Hm.</think>Yes.';
    const whole = { choices: [{ message: { content }, finish_reason: 'stop' }] };
    for (const chunks of [[whole], [chunk({ content }), whole]])
      expect(fold(chunks)).toMatchObject({ thinking: 'Hm.', text: 'Yes.', traces: [] });
  });

  it('never ends a delta in the middle of a character', () => {
    const { events } = fold([chunk({ content: 'a\ud83d' }), chunk({ content: '\udc4bb' }), stop]);
    expect(events.slice(0, 2)).toEqual([
      { type: 'text_delta', delta: 'a' },
      { type: 'text_delta', delta: '👋b' },
    ]);
  });

  it('replaces halves of characters', () => {
    const { text, last } = fold([chunk({ content: 'a\udc4b\ud83d' }), stop]);
    expect(text).toBe('a\ufffd\ufffd');
    expect(last).toMatchObject({ message: { content: 'a\ufffd\ufffd' } });
  });

  it.each(['', 'null', null])('takes the reason %j for none', (reason) => {
    const events: ModelEvent[] = [];
    const author = { model: 'm', endpoint: 'e' };
    const emit = (event: ModelEvent): number => events.push(event);
    const turn = new ChatTurn({ author, emit, scrub: (text) => text, max_chars: 100 });
    turn.accept(chunk({ content: 'x' }, reason));
    expect(turn.finished).toBe(false);
  });

  it.each([
    ['stop', 'stop', []],
    ['length', 'length', []],
    ['content_filter', 'content_filter', []],
    ['tool_calls', 'stop', []],
    ['eos', 'stop', []],
    ['MAX_TOKENS', 'length', []],
    ['SAFETY', 'content_filter', []],
    ['over', 'stop', ['unknown_finish_reason']],
  ])('maps the reason %s of a text to %s', (reason, finish_reason, traces) => {
    expect(fold([chunk({ content: 'x' }, reason)])).toMatchObject({
      last: { finish_reason },
      traces,
    });
  });

  it.each([
    ['stop', 'tool_calls'],
    ['function_call', 'tool_calls'],
    ['length', 'length'],
  ])('maps the reason %s of a turn with calls to %s', (reason, finish_reason) => {
    expect(fold([call({ index: 0, id: 'a' }, 'f', '{}'), chunk({}, reason)]).last).toMatchObject({
      finish_reason,
    });
  });

  it.each(['error', 'network_error', 'abort'])('takes the reason %s for an error', (reason) => {
    expect(() => fold([chunk({ content: 'x' }, reason)])).toThrow(StreamedError);
    expect(() => fold([call({ index: 0 }, 'f', '{}'), chunk({}, reason)])).toThrow(StreamedError);
  });

  it('tells of an unknown field once, and of no empty one', () => {
    const odd = {
      choices: [{ delta: { content: 'x', audio: 1, annotations: null } }],
      x_groq: { id: 1 },
      obfuscation: 'abc',
    };
    expect(fold([odd, odd, stop]).traces).toEqual(['unknown_chunk_field', 'unknown_delta_field']);
  });

  it('tells of so many things at most', () => {
    const odd = Array.from({ length: 100 }, (_, n) => ({
      [`field_${n}`]: 'x'.repeat(10_000),
      choices: [],
    }));
    const said = chunk({ content: 'x' });
    const { events, traces } = fold([...odd, ...odd.map(() => 'what?'), said, stop]);
    expect(traces).toHaveLength(20);
    expect(JSON.stringify(events).length).toBeLessThan(25_000);
  });

  it('takes the last usage, and 0 for what is missing', () => {
    const usage = (prompt_tokens: unknown, completion_tokens?: unknown): object => ({
      choices: [],
      usage: { prompt_tokens, completion_tokens },
    });
    const stop = chunk({ content: 'x' }, 'stop');
    expect(fold([usage(1, 1), stop, usage(7, 3)]).last).toMatchObject({
      usage: { input_tokens: 7, output_tokens: 3 },
    });
    expect(fold([stop, usage(null)]).last).toMatchObject({
      usage: { input_tokens: 0, output_tokens: 0 },
    });
  });

  it('bounds the characters of a turn, and its calls', () => {
    expect(() =>
      fold([chunk({ content: 'x'.repeat(60) }), call({ index: 0 }, 'f', 'x'.repeat(60))], 100),
    ).toThrow(ModelError);
    expect(() =>
      fold(Array.from({ length: 200 }, (_, index) => call({ index }, 'f', '{}'))),
    ).toThrow('more than 128 tool calls');
  });
});
