import { compileMatcher } from '../matching/compile-matcher.js';
import type { CompiledMatcher } from '../matching/match.js';
import type { JudgedCall, JudgedPart } from '../matching/judged-part.js';
import { no, yes } from '../matching/match.js';
import { MatcherFault } from '../matching/matcher-fault.js';
import type { PermissionCall } from '../matching/permission-call.js';
import { messageOf } from '../../kernel/app-error.js';
import type { Matcher, PermissionRule } from '../../protocol/wire/rule.js';

/** A matcher for rules in code. If it throws, that counts as a match, unless its rule allows. */
export interface CustomMatcher {
  readonly type: 'custom';
  readonly matches: (call: PermissionCall) => boolean;
}

/** A rule that is added in code. */
export type CodeRule = Omit<PermissionRule, 'matcher'> & { readonly matcher: CustomMatcher };

export type AnyRule = PermissionRule | CodeRule;

/** Rules that can apply to a call. */
export interface RuleSet {
  /** Rules of files and of code: what they deny, no rule of a client allows. */
  readonly operator: readonly AnyRule[];
  /** Rules of clients. */
  readonly added: readonly AnyRule[];
}

/** A rule with its compiled matcher. */
export interface CompiledRule {
  readonly rule: AnyRule;
  readonly match: CompiledMatcher;
}

/**
 * Compiles the matcher of a rule. A matcher that is no longer valid counts as a match, unless its
 * rule allows.
 */
export function compileRule(rule: AnyRule): CompiledRule {
  const allows = rule.decision === 'allow';
  try {
    return { rule, match: compileAny(rule.matcher, allows) };
  } catch (error) {
    if (!(error instanceof MatcherFault)) throw error;
    const why = `its ${error.field} ${error.message}`;
    return { rule, match: () => (allows ? no(why) : yes(why)) };
  }
}

function compileAny(matcher: Matcher | CustomMatcher, allows: boolean): CompiledMatcher {
  if (matcher.type !== 'custom') return compileMatcher(matcher, allows);
  return (part, call) => matchCustom(matcher, { part, call, allows });
}

function matchCustom(
  { matches }: CustomMatcher,
  { part, call, allows }: { part: JudgedPart; call: JudgedCall; allows: boolean },
) {
  if (allows && part.kind === 'unreadable') return no(`the command ${part.fault}`);
  try {
    return matches(call.call) ? yes('its function says so') : no('its function says no');
  } catch (error) {
    const why = `its function failed: ${messageOf(error)}`;
    return allows ? no(why) : yes(why);
  }
}
