import { formatEventId, formatState, isSigned, parseEventId, parseState } from './call-state.js';
import type { Call } from './call-state.js';

const ROW = { id: 'int_1', chat_uid: '0199c0de-0000-7000-8000-000000000000' };
const ANN = { tenant_id: 'default', user_id: 'ann', scopes: new Set<never>() };

describe(formatState.name, () => {
  const state = formatState(ROW, 12, ANN);

  it('is read back by the user who got it', () => {
    expect(parseState(state)).toEqual({ interaction_id: 'int_1', seq: 12 });
    expect(isSigned(state, ROW, ANN)).toBe(true);
  });

  it.each([
    ['another interaction', { ...ROW, id: 'int_2' }, ANN],
    ['a chat that was made anew', { ...ROW, chat_uid: 'other' }, ANN],
    ['another user', ROW, { ...ANN, user_id: 'ben' }],
    ['the same user of another tenant', ROW, { ...ANN, tenant_id: 'other' }],
  ])('does not count for %s', (_, row, caller) => {
    expect(isSigned(state, row, caller)).toBe(false);
  });

  it.each([state.replace('.12.', '.13.'), `${state}A`, state.slice(0, -1), 'int_1.12.', ''])(
    'does not count altered to %p',
    (altered) => {
      expect(isSigned(altered, ROW, ANN)).toBe(false);
    },
  );
});

describe(formatEventId.name, () => {
  const position = { interaction_id: 'int_1', seq: 3 };

  it.each([
    { id: 0, progress: undefined, asking: 'never' },
    { id: 'ä"\n', progress: 7, asking: 'during' },
    { id: -5, progress: '', asking: 'in_results' },
  ] as const satisfies readonly Call[])('is read back: %j', (call) => {
    const id = formatEventId(position, call);
    expect(id).toMatch(/^[\w-]+$/);
    expect(parseEventId(id)).toEqual({ position, call });
  });

  it.each(['', 'x', 'bnVsbA', 'W10', 'WyJhIiwtMSwxLG51bGwsMF0', 'A'.repeat(5000)])(
    'is none: %s',
    (text) => expect(parseEventId(text)).toBeUndefined(),
  );
});
