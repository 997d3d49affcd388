import { CallRates } from './call-limits.js';

/** A call for each second that is given; whether they were let through. */
function admitAt(rates: CallRates, chat_uid: string, seconds: readonly number[]): boolean[] {
  return seconds.map((second, n) =>
    rates.admit({ chat_uid, use_key: `${chat_uid}/${second}/${n}`, at: second * 1000 }, 2),
  );
}

describe(CallRates.name, () => {
  it('lets so many calls of a chat through within any minute', () => {
    const seconds = [0, 30, 59, 60, 89, 90, 119, 120];
    const expected = [true, true, false, true, false, true, false, true];
    expect(admitAt(new CallRates(), 'a', seconds)).toEqual(expected);
  });

  it('counts each chat by itself', () => {
    const rates = new CallRates();
    expect(admitAt(rates, 'a', [0, 0, 0])).toEqual([true, true, false]);
    expect(admitAt(rates, 'b', [0, 0, 0])).toEqual([true, true, false]);
  });

  it('answers the same for the same call, and counts it once', () => {
    const rates = new CallRates();
    const admit = (use_key: string) => rates.admit({ chat_uid: 'a', use_key, at: 0 }, 2);
    expect(['x', 'x', 'y', 'z', 'z', 'x'].map(admit)).toEqual([
      ...[true, true, true],
      ...[false, false, true],
    ]);
  });

  it('forgets chats that have not called for a minute', () => {
    const rates = new CallRates();
    for (let n = 0; n < 100; n++) admitAt(rates, `old-${n}`, [0]);
    admitAt(rates, 'b', [59]);
    expect(rates.size).toBe(101);
    admitAt(rates, 'c', [60]);
    expect(rates.size).toBe(2);
  });
});
