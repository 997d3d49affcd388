import { TooMuchEffort } from '../../matching/effort.js';
import type { AnyRule, CompiledRule, RuleSet } from '../rules/compiled-rule.js';
import { compileRule } from '../rules/compiled-rule.js';
import { JudgedCall } from '../matching/judged-part.js';
import { judgePart, strictest } from './judge-part.js';
import type { PartVerdict } from './judge-part.js';
import { isShadow, judgedParts, scriptOf } from './judged-parts.js';
import type { PermissionCall } from '../matching/permission-call.js';
import { orderRules } from '../rules/order-rules.js';
import type { ScriptReader } from '../shell/script-reader.js';
import { showOnOneLine } from '../../tools/text/show-unseen.js';
import { Trace, showPart } from './trace.js';
import type { Verdict } from './verdict.js';

export interface PolicyOptions {
  /** Parses shell scripts; without it, no rule on commands can allow one. */
  readonly scripts?: ScriptReader | undefined;
  readonly compile?: (rule: AnyRule) => CompiledRule;
}

/**
 * A snapshot of the rules, compiled once. Each part of a script is judged separately: first by the
 * operator's rules, which can only deny here, then by the first of all rules that matches it. The
 * strictest verdict on a part is the verdict on the call.
 */
export class PermissionPolicy {
  /** The operator's rules in order of evaluation, to the last one that denies. */
  private readonly operator: readonly CompiledRule[];
  /** All others in order of evaluation, and those of the operator that don't deny. */
  private readonly rules: readonly CompiledRule[];

  constructor(
    { operator, added }: RuleSet,
    private readonly options: PolicyOptions = {},
  ) {
    const { compile = compileRule } = options;
    const ordered = orderRules(operator).map(compile);
    this.operator = ordered.slice(0, ordered.findLastIndex(({ rule }) => denies(rule)) + 1);
    const rest = operator.filter((rule) => !denies(rule));
    this.rules = orderRules([...rest, ...added]).map(compile);
  }

  judge(call: PermissionCall, now: Date): Verdict {
    const [operator, rules] = [this.operator, this.rules].map((all) =>
      all.filter(({ rule }) => applies(rule, call, now)),
    ) as [CompiledRule[], CompiledRule[]];
    const text = scriptOf(call);
    const trace = new Trace();
    const judged = new JudgedCall(call, text);
    const judging = { judged, operator, rules, trace };
    const parts = judgedParts(call, text === undefined ? undefined : this.read(text));
    try {
      const verdicts = parts
        .map((part) => judgePart(part, judging))
        .filter(({ part, decision }) => !isShadow(part) || decision !== 'allow');
      return { ...combine(verdicts, call.tool_name), trace: trace.entries };
    } catch (error) {
      if (!(error instanceof TooMuchEffort)) throw error;
      const reason = `Denies ${call.tool_name}: to judge this call by ${operator.length + rules.length} rules would take too long. Make the call shorter, or the rules fewer or simpler.`;
      return { decision: 'deny', rule: null, rules: [], reason, trace: trace.entries };
    }
  }

  /** True if any rule could prevent a call that names a file. */
  mayForbidFiles(call: PermissionCall, now: Date): boolean {
    return [...this.operator, ...this.rules].some(
      ({ rule }) =>
        rule.decision !== 'allow' &&
        rule.matcher.type !== 'command_prefix' &&
        applies(rule, call, now),
    );
  }

  private read(text: string) {
    const unread = { parts: [], fault: 'can’t be read without the grammar of shells' };
    return { text, read: this.options.scripts?.read(text) ?? unread };
  }
}

function denies({ decision }: AnyRule): boolean {
  return decision === 'deny';
}

/** True if a rule applies to this user, chat, agent and time, and is not used up. */
function applies(rule: AnyRule, call: PermissionCall, now: Date): boolean {
  if (rule.scope === 'session' && rule.scope_id !== call.chat_id) return false;
  if (rule.scope === 'user' && rule.scope_id !== null && rule.scope_id !== call.user_id)
    return false;
  if (rule.scope === 'agent' && rule.scope_id !== call.agent) return false;
  if (rule.expires_at !== null && now.getTime() >= Date.parse(rule.expires_at)) return false;
  return rule.max_uses === null || rule.uses < rule.max_uses;
}

function combine(verdicts: readonly PartVerdict[], toolName: string): Omit<Verdict, 'trace'> {
  const decisive = verdicts.reduce((a, b) => strictest(a, b));
  const { decision, rule } = decisive;
  const taken = decision === 'allow' ? verdicts.map((verdict) => verdict.rule) : [rule];
  const rules = [...new Set(taken)].filter((used) => used !== null);
  return { decision, rule, rules, reason: showOnOneLine(describeVerdict(decisive, toolName)) };
}

/** The verdict as a sentence for people. */
function describeVerdict(verdict: PartVerdict, toolName: string): string {
  const { decision, part, rule, why } = verdict;
  const what = part.kind === 'call' ? toolName : `\`${showPart(part)}\``;
  if (rule && rule.decision !== decision)
    return `Asks about ${what}: ${describeRule(rule)} and may match (${why}), so a person is asked.`;
  if (rule) return `${VERB[decision]} ${what}: ${describeRule(rule)} (${why}).`;
  if (decision === 'allow') return `${VERB.allow} ${what}: ${why}, and no rule says otherwise.`;
  return `${VERB[decision]} ${what}: no rule covers it, and ${why}.`;
}

const VERB = { allow: 'Allows', deny: 'Denies', ask: 'Asks about' } as const;

function describeRule({ id, decision, scope, description }: AnyRule): string {
  const said = description ? ` “${description}”` : '';
  return `the ${scope} rule ${id}${said} says ${decision}`;
}
