import { MAX_USES_KEPT } from '../../src/permissions/rules/rule-uses.js';

/** One rule, wherever it is kept. */
export interface RuleInUse {
  countUse(useKey: string): Promise<boolean>;
  /** What judging a call sees as its `uses`. */
  usesFor(useKey?: string): Promise<number>;
  /** As a restarted process would. */
  reopen(): Promise<void>;
}

/** What counting the uses of a rule must do. `open` makes a rule of its own. */
export function ruleUsesContract(open: (maxUses: number | null) => Promise<RuleInUse>): void {
  it('counts a use that comes again once, also when it was the last one', async () => {
    const rule = await open(2);
    const twice = await Promise.all([rule.countUse('int_1/a/1.0'), rule.countUse('int_1/a/1.0')]);
    expect(twice).toEqual([true, true]);
    expect(await rule.usesFor()).toBe(1);
    expect(await rule.countUse('int_1/a/1.1')).toBe(true);
    expect(await rule.countUse('int_1/a/1.2')).toBe(false);
    await rule.reopen();
    for (const key of ['int_1/a/1.0', 'int_1/a/1.1']) expect(await rule.countUse(key)).toBe(true);
    expect(await rule.countUse('int_1/a/1.2')).toBe(false);
    expect(await rule.usesFor()).toBe(2);
  });

  it('shows the call that used it the rule as it was before', async () => {
    const rule = await open(1);
    await rule.countUse('int_1/a/1.0');
    await rule.reopen();
    expect(await rule.usesFor('int_1/a/1.0')).toBe(0);
    expect(await rule.usesFor('int_2/a/1.0')).toBe(1);
  });

  it(`remembers the last ${MAX_USES_KEPT} uses`, async () => {
    const rule = await open(null);
    for (let n = 0; n <= MAX_USES_KEPT; n++) await rule.countUse(`int_1/a/${n}`);
    const counted = MAX_USES_KEPT + 1;
    expect(await rule.usesFor('int_1/a/0')).toBe(counted);
    for (const n of [1, MAX_USES_KEPT]) {
      expect(await rule.usesFor(`int_1/a/${n}`)).toBe(MAX_USES_KEPT);
      expect(await rule.countUse(`int_1/a/${n}`)).toBe(true);
    }
    expect(await rule.usesFor()).toBe(counted);
  });
}
