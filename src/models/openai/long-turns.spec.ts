import { expectLinear } from '../../../test/support/growth.js';
import { call, chunk, fold, stop } from '../../../test/support/model/fold-chunks.js';

const MAX = 100_000_000;
const many = (count: number, make: (n: number) => object): object[] =>
  Array.from({ length: count }, (_, n) => make(n));
const said = (message: object): object => ({ choices: [{ message }] });

describe('The time that a long turn takes grows as its length', () => {
  it.each<[string, (size: number) => readonly object[]]>([
    [
      'in messages that are parts',
      (size) => [
        said({ content: 'a'.repeat(20 * size) }),
        ...many(size, () => said({ content: 'b ' })),
      ],
    ],
    [
      'in messages that are parts, after white space',
      (size) => [
        said({ content: `${' '.repeat(20 * size)}a` }),
        ...many(size, () => said({ content: 'b ' })),
      ],
    ],
    [
      'in deltas, each beside a message',
      (size) =>
        many(size, () => ({
          choices: [
            {
              delta: { content: 'a'.repeat(50), reasoning_content: 'b'.repeat(50) },
              message: { content: 'c', reasoning_content: 'd' },
            },
          ],
        })),
    ],
    [
      'in a list of thoughts',
      (size) =>
        many(size, (index) => chunk({ content: 'a', reasoning_details: [{ index, text: 'b' }] })),
    ],
  ])('%s', async (_, chunksOf) => {
    await expectLinear((size) => {
      const chunks = [...chunksOf(size), stop];
      return () => fold(structuredClone(chunks), MAX);
    }, 20_000);
  });

  it('and arguments are read once, and not for each call that they may repeat', async () => {
    await expectLinear((size) => {
      const large = JSON.stringify({ a: many(40 * size, (n) => ({ n })) });
      const calls = many(size, (n) => call({}, 'f', `{"x":${n}}`));
      const last = call({ index: 5, id: 'z' }, 'f', large);
      return () => fold([...calls, last, stop], MAX);
    }, 126);
  });
});

describe('A list of thoughts', () => {
  it('is merged by index, also in other forms of it, and has no prototype of the server', () => {
    const details = (json: string) =>
      chunk(JSON.parse(`{"reasoning_details":[${json}]}`) as object);
    const { last } = fold([
      details('{"index":0,"text":"a"}'),
      details('{"index":"0","text":"b","__proto__":{"x":1}},{"index":1,"text":"c"}'),
      chunk({ content: 'Hi' }),
      stop,
    ]);
    const entries = [
      { index: '0', text: 'ab' },
      { index: 1, text: 'c' },
    ];
    expect(last).toMatchObject({
      message: { provider_data: { openai: { message: { reasoning_details: entries } } } },
    });
  });
});
