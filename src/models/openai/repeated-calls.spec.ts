import { call, chunk, fold, stop } from '../../../test/support/model/fold-chunks.js';

const A = { index: 0, id: 'call_A1' };
const whole = (id: string, args: unknown = '{"x":1}', more: object = {}) => ({
  ...{ id, type: 'function' },
  ...more,
  function: { name: 'f', arguments: args },
});
const begun = [
  call(A, 'f', ''),
  call({ index: 0 }, undefined, '{"x"'),
  call({ index: 0 }, undefined, ':1}'),
];

describe('A call that a server repeats', () => {
  it.each([
    ['three times', [call(A, 'f', '{"x":1}'), call(A, 'f', '{"x":1}'), call(A, 'f', '{"x":1}')]],
    ['with an id in other letters', [call({ index: 0, id: 'CALL_a1' }, 'f', '{"x":1}')]],
    [
      'with an id in other letters under another index',
      [call({ index: 7, id: 'CALL_a1' }, 'f', '{"x":1}')],
    ],
    ['without its id', [call({ index: 0 }, 'f', '{"x":1}')]],
    ['with an empty id', [call({ index: 0, id: '' }, 'f', '{"x":1}')]],
    ['without its index', [call({ id: A.id }, 'f', '{"x":1}')]],
    ['without its name', [call(A, undefined, '{"x":1}')]],
    [
      'with a null name',
      [chunk({ tool_calls: [{ ...A, function: { name: null, arguments: '{"x":1}' } }] })],
    ],
    ['without id and name', [call({ index: 0 }, undefined, '{"x":1}')]],
    ['with white space', [call(A, 'f', '{ "x" : 1 }\n')]],
    ['with its arguments as an object', [call(A, 'f', { x: 1 })]],
    ['with no arguments', [call(A, 'f', ''), call(A, 'f', null), call(A, 'f')]],
    [
      'in a whole message',
      [{ choices: [{ message: { tool_calls: [whole(A.id)] }, finish_reason: 'tool_calls' }] }],
    ],
    [
      'in a message with another id',
      [{ choices: [{ message: { tool_calls: [whole('other')] } }] }],
    ],
    [
      'as a function_call of a whole message',
      [{ choices: [{ message: { function_call: { name: 'f', arguments: '{"x":1}' } } }] }],
    ],
  ])('%s is made once', (_, repeated) => {
    expect(fold([...begun, ...repeated, stop]).calls).toEqual(['call_A1 f {"x":1}']);
  });

  it.each([
    [
      'an id that only the repetition has',
      [call({ index: 0 }, 'f', '{"x":1}'), call(A, 'f', '{"x":1}')],
      ['call_A1 f {"x":1}'],
    ],
    [
      'members in another order',
      [
        call(A, 'f', '{"b":{"d":1,"c":2},"a":"é"}'),
        call(A, 'f', '{"a":"\\u00e9","b":{"c":2,"d":1}}'),
      ],
      ['call_A1 f {"b":{"d":1,"c":2},"a":"é"}'],
    ],
    [
      'escapes of another encoder',
      [call(A, 'f', '{"a":"<b>/"}'), call(A, 'f', '{"a":"\\u003cb\\u003e\\/"}')],
      ['call_A1 f {"a":"<b>/"}'],
    ],
    [
      'two calls of one name in one delta',
      [
        call(A, 'f', '{"x":1}'),
        call({ index: 1, id: 'b' }, 'f', '{"x":2}'),
        chunk({ tool_calls: [whole(A.id), whole('b', '{"x":2}')] }),
      ],
      ['call_A1 f {"x":1}', 'b f {"x":2}'],
    ],
    [
      'the arguments that no delta had',
      [call(A, 'f', ''), { choices: [{ message: { tool_calls: [whole(A.id)] } }] }],
      ['call_A1 f {"x":1}'],
    ],
    [
      'the rest of the arguments',
      [call(A, 'f', '{"x"'), { choices: [{ message: { tool_calls: [whole(A.id)] } }] }],
      ['call_A1 f {"x":1}'],
    ],
    [
      'a second call that no delta had',
      [
        call(A, 'f', '{"x":1}'),
        { choices: [{ message: { tool_calls: [whole(A.id), whole('b', '{"x":2}')] } }] },
      ],
      ['call_A1 f {"x":1}', 'b f {"x":2}'],
    ],
  ])('with %s is whole', (_, chunks, expected) => {
    expect(fold([...chunks, stop]).calls).toEqual(expected);
  });

  it.each([
    ['ids', [call({ id: 'a' }, 'f', '{}'), call({ id: 'b' }, 'f', '{}')]],
    ['indices, without ids', [call({ index: 0 }, 'f', '{}'), call({ index: 1 }, 'f', '{}')]],
    ['places, without ids and indices', [call({}, 'f', '{}'), call({}, 'f', '{}')]],
    ['names', [call({ id: 'a' }, 'f', '{}'), call({ id: 'a' }, 'g', '{}')]],
    ['digits', [call(A, 'f', '{"x":1e400}'), call(A, 'f', '{"x":1e401}')]],
    ['strings', [call(A, 'f', '{"x":"1 2"}'), call(A, 'f', '{"x":"12"}')]],
    ['types', [call(A, 'f', '{"x":1}'), call(A, 'f', '{"x":"1"}')]],
  ])('is not one of other %s', (_, chunks) => {
    expect(fold([...chunks, stop]).calls).toHaveLength(2);
  });
});

const said = (message: object) => ({
  object: 'chat.completion',
  choices: [{ message, finish_reason: 'stop' }],
});
const hello = [
  chunk({ reasoning_content: 'Hm, ' }),
  chunk({ reasoning_content: 'so' }),
  chunk({ content: '\nHello ' }),
  chunk({ content: 'world\n' }),
];

describe('A whole message after its deltas', () => {
  it.each([
    ['the same', { content: '\nHello world\n', reasoning_content: 'Hm, so' }],
    ['trimmed', { content: 'Hello world', reasoning_content: 'Hm, so\n' }],
    ['in other white space', { content: '\n\n Hello  world ', reasoning_content: ' Hm,  so' }],
    ['with half of it', { content: '\nHello ', reasoning_content: 'Hm' }],
    ['in parts', { content: [{ type: 'text', text: '\nHello world\n' }] }],
    [
      'with thoughts in parts',
      {
        content: [
          { type: 'thinking', thinking: [{ type: 'text', text: 'Hm, so' }] },
          { type: 'text', text: '\nHello world\n' },
        ],
      },
    ],
    ['with thoughts of another name', { content: '\nHello world\n', reasoning: 'Hm, so' }],
    [
      'with nulls',
      {
        content: null,
        reasoning_content: null,
        refusal: null,
        tool_calls: null,
        function_call: null,
      },
    ],
    ['with nothing', { role: 'assistant' }],
    ['as a refusal', { content: null, refusal: '\nHello world\n' }],
  ])('%s adds nothing', (_, message) => {
    const chunks = [...hello, said(message)];
    expect(fold(chunks)).toMatchObject({ text: '\nHello world\n', thinking: 'Hm, so' });
    expect(fold([...chunks, said(message)])).toMatchObject({ text: '\nHello world\n' });
  });

  it.each([
    ['the rest of the text', [chunk({ content: 'Hello ' })], { content: 'Hello world' }],
    ['all of the text', [chunk({ reasoning_content: 'Hm' })], { content: 'Hello world' }],
    [
      'the rest of the thoughts',
      [chunk({ reasoning_content: 'H' })],
      { content: 'Hello world', reasoning_content: 'Hm' },
    ],
    [
      'the thoughts',
      [chunk({ content: 'Hello world' })],
      { content: 'Hello world', reasoning_content: 'Hm' },
    ],
  ])('adds %s', (_, chunks, message) => {
    const { text, thinking } = fold([...chunks, said(message)]);
    expect(text).toBe('Hello world');
    expect(['', 'Hm']).toContain(thinking);
    if ('reasoning_content' in message) expect(thinking).toBe('Hm');
  });

  it('beside an empty delta counts', () => {
    const choice = { delta: {}, message: { content: 'Hello' }, finish_reason: 'stop' };
    expect(fold([{ choices: [choice] }]).text).toBe('Hello');
    expect(fold([chunk({ content: 'Hel' }), { choices: [choice] }]).text).toBe('Hello');
  });

  it('beside each delta adds nothing', () => {
    const both = (delta: string, all: string) => ({
      choices: [{ delta: { content: delta }, message: { content: all } }],
    });
    expect(fold([both('Hel', 'Hel'), both('lo', 'Hello'), stop]).text).toBe('Hello');
  });

  it('has what goes back to the vendor, once', () => {
    const details = [{ type: 'reasoning.encrypted', data: 'c2ln' }];
    const message = { content: 'Hi', reasoning_content: 'Hm', reasoning_details: details };
    const { last } = fold([
      chunk({ reasoning_content: 'Hm' }),
      chunk({ content: 'Hi' }),
      said(message),
      said(message),
    ]);
    expect(last).toMatchObject({
      message: {
        provider_data: {
          openai: { message: { reasoning_content: 'Hm', reasoning_details: details } },
        },
      },
    });
  });
});
