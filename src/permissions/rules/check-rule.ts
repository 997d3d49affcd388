import type { z } from 'zod';
import { compileMatcher } from '../matching/compile-matcher.js';
import { MatcherFault } from '../matching/matcher-fault.js';
import { ruleSchema } from './rule-schema.js';
import type { RuleInput } from '../../protocol/wire/rule.js';

/** A fault of a rule, with its location. */
export interface RuleFault {
  readonly path: readonly (string | number)[];
  /** Completes a sentence that begins with the field. */
  readonly message: string;
}

export type CheckedRule =
  | { readonly ok: true; readonly rule: RuleInput }
  | { readonly ok: false; readonly faults: readonly RuleFault[] };

/** Validates a rule, including its pattern. Unknown outermost fields are dropped. */
export function checkRule(value: unknown): CheckedRule {
  const { data, error } = ruleSchema.safeParse(value);
  if (!data) return { ok: false, faults: error.issues.flatMap(toFaults) };
  const fault = findMatcherFault(data);
  return fault ? { ok: false, faults: [fault] } : { ok: true, rule: data };
}

function findMatcherFault({ matcher, decision }: RuleInput): RuleFault | undefined {
  try {
    compileMatcher(matcher, decision === 'allow');
    return undefined;
  } catch (error) {
    if (!(error instanceof MatcherFault)) throw error;
    return { path: ['matcher', ...error.field.split('.').map(toStep)], message: error.message };
  }
}

function toFaults(issue: z.core.$ZodIssue): RuleFault[] {
  const path = issue.path.map((step) => (typeof step === 'symbol' ? String(step) : step));
  if (issue.code !== 'unrecognized_keys') return [{ path, message: issue.message }];
  return issue.keys.map((key) => ({ path: [...path, key], message: 'is not a known field' }));
}

function toStep(text: string): string | number {
  return /^\d+$/.test(text) ? Number(text) : text;
}
