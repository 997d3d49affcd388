import type { AnyRule, CompiledRule } from '../rules/compiled-rule.js';
import { isShadow } from './judged-parts.js';
import type { JudgedCall, JudgedPart } from '../matching/judged-part.js';
import type { Trace } from './trace.js';
import type { ToolPolicy } from '../../tools/core/tool.js';
import type { Decision } from '../../protocol/wire/rule.js';

/** The verdict on one part of a call. */
export interface PartVerdict {
  readonly part: JudgedPart;
  readonly decision: Decision;
  /** The rule that decided; null for the default. */
  readonly rule: AnyRule | null;
  /** The end of a sentence that begins with the rule, or with the part if there is no rule. */
  readonly why: string;
}

export interface Judging {
  readonly judged: JudgedCall;
  /** The operator's rules that apply, in order. */
  readonly operator: readonly CompiledRule[];
  /** The others that apply, and those of the operator that don't deny, in order. */
  readonly rules: readonly CompiledRule[];
  readonly trace: Trace;
}

/** In steps: a matcher that looks at nothing is as fast as that. */
const COST_OF_A_RULE = 10;

const STRICTNESS: readonly Decision[] = ['allow', 'ask', 'deny'];

/**
 * Judges one part: the operator may deny it, else the first rule that matches decides. A part is
 * not allowed if a rule that forbids may match.
 */
export function judgePart(part: JudgedPart, judging: Judging): PartVerdict {
  const { judged, rules, trace } = judging;
  let suspect = judgeByOperator(part, judging);
  if (suspect?.decision === 'deny') return suspect;
  let nearMiss: string | undefined;
  for (const { rule, match } of rules) {
    judged.effort.spend(COST_OF_A_RULE);
    const { matched, why } = match(part, judged);
    const { id, scope, decision } = rule;
    trace.add(part, { rule: id, level: scope, matched, decision, why });
    const verdict = { part, decision, rule, why };
    if (matched === true) return strictest(suspect, verdict);
    if (matched === 'maybe') suspect ??= { ...verdict, decision: 'ask' };
    else if (decision === 'allow') nearMiss ??= describeNearMiss(part, why);
  }
  return strictest(suspect, judgeByDefault(part, { judged, trace, nearMiss }));
}

/** An operator's rule that allows or asks is an exception from those that deny after it. */
function judgeByOperator(
  part: JudgedPart,
  { judged, operator, trace }: Judging,
): PartVerdict | undefined {
  let suspect: PartVerdict | undefined;
  for (const { rule, match } of operator) {
    judged.effort.spend(COST_OF_A_RULE);
    const { matched, why } = match(part, judged);
    const { id, scope, decision } = rule;
    if (decision === 'deny') trace.add(part, { rule: id, level: scope, matched, decision, why });
    if (matched === true) return decision === 'deny' ? { part, decision, rule, why } : suspect;
    if (matched === 'maybe' && decision === 'deny')
      suspect ??= { part, decision: 'ask', rule, why };
  }
  return suspect;
}

export function strictest(a: PartVerdict | undefined, b: PartVerdict): PartVerdict {
  if (!a) return b;
  return STRICTNESS.indexOf(b.decision) > STRICTNESS.indexOf(a.decision) ? b : a;
}

/** Explains why a rule that seems to cover the command does not match. People need this reason. */
function describeNearMiss(part: JudgedPart, why: string): string | undefined {
  const isNear = part.kind === 'command' && /^(?:the command is|the rule has)/.test(why);
  return isNear ? why : undefined;
}

function judgeByDefault(
  part: JudgedPart,
  { judged, trace, nearMiss }: Pick<Judging, 'judged' | 'trace'> & { nearMiss: string | undefined },
): PartVerdict {
  if (isShadow(part)) return { part, decision: 'allow', rule: null, why: 'no rule forbids it' };
  const { policy, tool_name } = judged.call;
  const found = defaultDecision(policy);
  const decision = part.kind === 'unreadable' ? 'ask' : found.decision;
  const why = `${tool_name} ${found.why}`;
  trace.add(part, { rule: 'default', level: 'default', matched: true, decision, why });
  return { part, decision, rule: null, why: doubtOf(part) ?? nearMiss ?? why };
}

function doubtOf(part: JudgedPart): string | undefined {
  switch (part.kind) {
    case 'unreadable':
      return `it ${part.fault}`;
    case 'file':
      return 'it writes a file';
    case 'command':
    case 'other':
      return part.doubt;
    case 'call':
      return undefined;
  }
}

interface DefaultDecision {
  readonly decision: Decision;
  /** The end of a sentence that begins with the tool's name. */
  readonly why: string;
}

/**
 * The default if no rule matches: a tool that only reads is allowed; a tool that writes, executes
 * or uses the network needs approval.
 */
function defaultDecision(policy: ToolPolicy | undefined): DefaultDecision {
  if (!policy) return { decision: 'ask', why: 'is not a tool that is known here' };
  if (policy.requires_approval) return { decision: 'ask', why: 'always requires approval' };
  switch (policy.category) {
    case 'write':
      return { decision: 'ask', why: 'changes something' };
    case 'execute':
      return { decision: 'ask', why: 'executes commands' };
    case 'network':
      return { decision: 'ask', why: 'reaches the network' };
    case 'compute':
    case 'human':
    case 'agent':
      return { decision: 'allow', why: 'has no effect outside of the conversation' };
    case 'read':
      return policy.read_only
        ? { decision: 'allow', why: 'only reads' }
        : { decision: 'ask', why: 'does more than read' };
  }
}
