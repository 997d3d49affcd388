import { jest } from '@jest/globals';
import type { DiscoveryService } from '@nestjs/core';
import { CodeJudges } from './code-judges.js';
import { PermissionJudge } from './permission-judge.js';
import type { Opinion } from './permission-judge.js';
import type { Decision, PermissionRule } from '../../protocol/wire/rule.js';

const CALL = { tool_name: 'bash', tool_input: { command: 'ls' }, tenant_id: 't', user_id: 'u' };

class Judge extends PermissionJudge {
  constructor(
    readonly name: string,
    private readonly opinion: () => Promise<Opinion | undefined> | Opinion | undefined,
  ) {
    super();
  }

  judge() {
    return this.opinion();
  }
}

function judges(...all: readonly PermissionJudge[]): CodeJudges {
  const found = new CodeJudges(undefined as unknown as DiscoveryService);
  found.use(all);
  return found;
}

const says = (decision: Decision, name = decision) =>
  new Judge(name, () => ({ decision, reason: `because ${name}` }));

function ruled(decision: Decision, byRule = true) {
  const rule = byRule ? ({ id: 'rule_1' } as PermissionRule) : null;
  return { decision, rule, rules: rule ? [rule] : [], reason: 'The rules.', trace: [] };
}

async function decided(all: CodeJudges, verdict: ReturnType<typeof ruled>): Promise<Decision> {
  return (await all.review(CALL, verdict)).decision;
}

describe(CodeJudges.name, () => {
  it('leave the verdict of the rules where nobody has an opinion', async () => {
    const verdict = ruled('allow');
    expect(await judges().review(CALL, verdict)).toBe(verdict);
    const none = judges(new Judge('none', () => undefined));
    expect(await none.review(CALL, verdict)).toEqual(verdict);
  });

  it.each<[Decision, Decision, boolean, Decision]>([
    ['deny', 'allow', true, 'deny'],
    ['deny', 'ask', true, 'deny'],
    ['ask', 'allow', true, 'ask'],
    ['ask', 'deny', true, 'deny'],
    ['allow', 'deny', true, 'deny'],
    ['allow', 'deny', false, 'deny'],
    ['allow', 'ask', true, 'ask'],
    ['allow', 'ask', false, 'allow'],
  ])('that say %s make of %s (by a rule: %s) %s', async (said, rules, byRule, expected) => {
    expect(await decided(judges(says(said)), ruled(rules, byRule))).toBe(expected);
  });

  it('count by the strictest, and name it', async () => {
    const all = judges(says('allow'), says('deny'), says('ask'));
    const verdict = await all.review(CALL, ruled('ask', false));
    expect(verdict).toMatchObject({ decision: 'deny', rule: null, rules: [] });
    expect(verdict.reason).toBe('Denies bash: the judge deny says: because deny');
    expect(verdict.trace.map(({ rule }) => rule)).toEqual(['allow', 'ask', 'deny']);
  });

  it.each<[string, () => Promise<Opinion>]>([
    ['throws', () => Promise.reject(new Error('Broken'))],
    ['answers nonsense', async () => 'yes' as unknown as Opinion],
    ['has a decision that is none', async () => ({ decision: 'toString' }) as unknown as Opinion],
  ])('deny when one %s', async (_, opinion) => {
    expect(await decided(judges(new Judge('odd', opinion)), ruled('allow'))).toBe('deny');
  });

  it('deny when one takes too long', async () => {
    jest.useFakeTimers();
    const asked = decided(judges(new Judge('slow', () => new Promise(() => {}))), ruled('allow'));
    await jest.advanceTimersByTimeAsync(10_000);
    expect(await asked).toBe('deny');
    jest.useRealTimers();
  });

  it('do not share a name', () => {
    expect(() => judges(says('ask'), says('ask'))).toThrow('Two permission judges');
  });
});
