import { describe, expect, it } from '@jest/globals';
import { matching } from './match';

const entries = ['New chat', 'Inbox', 'Show or hide the chats', 'Operate: rules', 'Echo'].map(
  (label) => ({ key: label, group: '', label, run: () => undefined }),
);
const found = (query: string) => matching(entries, query).map(({ label }) => label);

describe(matching.name, () => {
  it('has all in order without a query', () => {
    expect(found(' ')).toEqual(entries.map(({ label }) => label));
  });

  it('prefers beginnings, then words, then scattered letters', () => {
    expect(found('chat')).toEqual(['New chat', 'Show or hide the chats']);
    expect(found('in')[0]).toBe('Inbox');
    expect(found('orul')).toEqual(['Operate: rules']);
    expect(found('zz')).toEqual([]);
  });
});
