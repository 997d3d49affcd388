import { call, chunk, fold, stop } from '../../../test/support/model/fold-chunks.js';

const NAMELESS = { index: 0, id: '', function: { name: '', arguments: '' } };

/** What servers send of calls with an answer that has none. */
const REMNANTS: readonly (readonly [string, object])[] = [
  ['tool_calls: null', { tool_calls: null }],
  ['an empty list', { tool_calls: [] }],
  ['an object for a list', { tool_calls: {} }],
  ['a list of null', { tool_calls: [null] }],
  ['function_call: null', { function_call: null }],
  ['function_call: {}', { function_call: {} }],
  ['a function_call of nulls', { function_call: { name: null, arguments: null } }],
  ['an empty function_call', { function_call: { name: '', arguments: '' } }],
  ['a function_call without a name', { function_call: { arguments: '{}' } }],
  ['empty texts', { tool_calls: [NAMELESS] }],
  ['a blank name', { tool_calls: [{ ...NAMELESS, function: { name: ' ', arguments: ' ' } }] }],
  ['an id', { tool_calls: [{ ...NAMELESS, id: 'call_1', type: 'function' }] }],
  [
    'a null function',
    { tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: null }] },
  ],
  [
    'nulls',
    {
      tool_calls: [
        { index: null, id: null, type: null, function: { name: null, arguments: null } },
      ],
    },
  ],
  ['null arguments', { tool_calls: [{ ...NAMELESS, function: { name: '', arguments: 'null' } }] }],
  ['empty arguments', { tool_calls: [{ ...NAMELESS, function: { name: '', arguments: ' {} ' } }] }],
  ['arguments of {}', { tool_calls: [{ ...NAMELESS, function: { name: null, arguments: {} } }] }],
];

describe.each(REMNANTS)('With %s', (_, remnant) => {
  it.each(['stop', 'tool_calls', 'function_call', 'length', 'eos'])(
    'in its last chunk a text is a text, whatever the reason: %s',
    (reason) => {
      const { calls, text, last, events } = fold([
        chunk({ content: 'plain ' }),
        chunk({ content: 'text', ...remnant }, reason),
      ]);
      expect([calls, text]).toEqual([[], 'plain text']);
      expect(events.map(({ type }) => type)).not.toContain('tool_call_started');
      expect(last).toMatchObject({ message: { content: 'plain text' } });
      expect(last).toMatchObject({ finish_reason: reason === 'length' ? 'length' : 'stop' });
    },
  );

  it('in every chunk a text is a text', () => {
    const chunks = ['plain ', 'text'].map((content) => chunk({ content, ...remnant }));
    expect(fold([chunk(remnant), ...chunks, stop])).toMatchObject({
      calls: [],
      text: 'plain text',
    });
  });

  it('around it a call is one call', () => {
    const made = [call({ index: 0, id: 'a' }, 'f', '{"x"'), call({ index: 0 }, undefined, ':1}')];
    const chunks = [chunk({ content: 'So.' }), ...made, chunk(remnant, 'tool_calls')];
    expect(fold(chunks).calls).toEqual(['a f {"x":1}']);
  });
});
