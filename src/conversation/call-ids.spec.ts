import fc from 'fast-check';
import { Ids } from '../kernel/ids.js';
import { CallIds } from './call-ids.js';

const OWN = /^call_[0-9a-f-]{36}$/;

describe(CallIds.name, () => {
  it("keeps a provider's id that is usable and new", () => {
    expect(new CallIds(new Ids()).claim('call_Ab-1')).toBe('call_Ab-1');
  });

  it.each(['', 'a b', 'ü', 'x'.repeat(65), 'x'.repeat(1_024), 'a\nb'])(
    'makes one of its own for %j',
    (id) => {
      expect(new CallIds(new Ids()).claim(id)).toMatch(OWN);
    },
  );

  it('makes one of its own for one that the conversation has', () => {
    const ids = new CallIds(new Ids());
    const call = { type: 'function', function: { name: 't', arguments: '{}' } } as const;
    ids.addFrom([
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: null, tool_calls: [{ id: 'call_0', ...call }] },
      { role: 'assistant', content: 'Done' },
    ]);
    ids.addFrom([
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'x', arguments: '{}' } }],
      },
    ]);
    expect(ids.claim('call_0')).toMatch(OWN);
    expect(ids.claim('call_1')).toMatch(OWN);
    expect(ids.claim('call_2')).toBe('call_2');
  });

  it('never gives an id twice', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('', 'a', 'b', 'c d', 'e'.repeat(65))), (asked) => {
        const ids = new CallIds(new Ids());
        const given = asked.map((id) => ids.claim(id));
        expect(new Set(given).size).toBe(given.length);
      }),
    );
  });
});
