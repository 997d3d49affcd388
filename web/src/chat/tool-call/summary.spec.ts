import { describe, expect, it } from '@jest/globals';
import type { CallItem } from '../items/items';
import { headline } from './summary';

const of = (input: object): string => headline({ input: JSON.stringify(input) } as CallItem);

describe(headline.name, () => {
  it.each([
    [{ timeout_ms: 5, command: 'ls  -l\n' }, 'ls -l '],
    [{ question: 'Which colour?', options: ['red', 'blue'] }, 'Which colour?'],
    [{ tasks: [{ title: 'Write' }, { title: 'Test', status: 'pending' }] }, 'Write, Test'],
    [{ tasks: [null, 'x', { title: 5 }] }, '{"tasks":[null,"x",{"title":5}]}'],
    [{}, ''],
  ])('is the argument that says most of %j', (input, line) => {
    expect(of(input)).toBe(line);
  });

  it('is what a person has changed the arguments to', () => {
    const request = { settlement: { modified_input: { command: 'echo changed' } } };
    expect(headline({ input: '{"command":"ls"}', request } as unknown as CallItem)).toBe(
      'echo changed',
    );
  });

  it('is what there is of arguments that are being written', () => {
    expect(headline({ input: '{"comm' } as CallItem)).toBe('{"comm');
  });
});
