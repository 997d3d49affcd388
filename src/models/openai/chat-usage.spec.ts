import { chunk, fold, stop } from '../../../test/support/model/fold-chunks.js';
import { usageIn } from './chat-usage.js';

const USAGE = { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 };
const COUNTED = { input_tokens: 7, output_tokens: 3 };
const none = { input_tokens: 0, output_tokens: 0 };

describe(usageIn.name, () => {
  it.each([
    ['the chunk', { choices: [], usage: USAGE }],
    ['a chunk without choices', { usage: USAGE }],
    ['the choice', { choices: [{ delta: {}, usage: USAGE }] }],
    ['the delta', { choices: [{ delta: { usage: USAGE } }] }],
    ['the message', { choices: [{ message: { usage: USAGE } }] }],
    ['the extension of Groq', { choices: [], x_groq: { id: 'r', usage: USAGE } }],
    ['the choice, beside a null', { usage: null, choices: [{ usage: USAGE }] }],
    ['the choice, beside an empty one', { usage: {}, choices: [{ usage: USAGE }] }],
    ['the choice, beside zeros', { usage: { prompt_tokens: 0 }, choices: [{ usage: USAGE }] }],
    ['other names', { usage: { input_tokens: 7, output_tokens: 3 } }],
    ['names of Ollama', { usage: { prompt_eval_count: 7, eval_count: 3 } }],
    ['strings', { usage: { prompt_tokens: '7', completion_tokens: ' 3 ' } }],
    ['decimals', { usage: { prompt_tokens: 7.0, completion_tokens: 2.9 } }],
    [
      'numbers beside a null',
      { usage: { prompt_tokens: 7, completion_tokens: null, output_tokens: 3 } },
    ],
  ])('finds what %s counts', (_, json) => {
    expect(usageIn(json)).toEqual(COUNTED);
  });

  it.each([undefined, null, 'seven', '', -7, NaN, [], {}, true])(
    'counts %j as nothing',
    (count) => {
      expect(
        usageIn({ usage: { prompt_tokens: count, completion_tokens: count } }),
      ).toBeUndefined();
    },
  );
});

describe('The usage of a turn', () => {
  const at = (output: number, more: object = {}) => ({
    choices: [{ delta: { content: 'x' }, ...more }],
    usage: { prompt_tokens: 7, completion_tokens: output },
  });
  const choices = { choices: [] };

  it.each([
    ['cumulative, in every chunk', [at(1), at(2), at(3, { finish_reason: 'stop' })], COUNTED],
    [
      'null, then an object',
      [{ ...chunk({ content: 'x' }), usage: null }, stop, { ...choices, usage: USAGE }],
      COUNTED,
    ],
    [
      'an object, then null',
      [
        { ...chunk({ content: 'x' }), usage: USAGE },
        { ...stop, usage: null },
      ],
      COUNTED,
    ],
    [
      'an object, then zeros',
      [
        { ...chunk({ content: 'x' }), usage: USAGE },
        { ...stop, usage: { prompt_tokens: 0, completion_tokens: 0 } },
      ],
      COUNTED,
    ],
    [
      'in the chunk before the last',
      [chunk({ content: 'x' }), { ...choices, usage: USAGE }, stop],
      COUNTED,
    ],
    [
      'in two places',
      [
        chunk({ content: 'x' }),
        { choices: [{ delta: {}, finish_reason: 'stop', usage: USAGE }], usage: USAGE },
      ],
      COUNTED,
    ],
    [
      'repeated at the end',
      [chunk({ content: 'x' }), { ...stop, usage: USAGE }, { ...choices, usage: USAGE }],
      COUNTED,
    ],
    [
      'in two parts',
      [
        { ...chunk({ content: 'x' }), usage: { prompt_tokens: 7 } },
        { ...stop, usage: { completion_tokens: 3 } },
      ],
      COUNTED,
    ],
    [
      'with the input only in the first',
      [
        { ...chunk({ content: 'x' }), usage: { prompt_tokens: 7, completion_tokens: 0 } },
        { ...stop, usage: { prompt_tokens: 0, completion_tokens: 3 } },
      ],
      COUNTED,
    ],
    ['nowhere', [chunk({ content: 'x' }), stop], none],
  ])('is %s', (_, chunks, usage) => {
    expect(fold(chunks).last).toMatchObject({ usage });
  });
});
