import type { CodeRule, CompiledRule } from './compiled-rule.js';
import { compileRule } from './compiled-rule.js';
import { judgePart, strictest } from './judge-part.js';
import type { PartVerdict } from './judge-part.js';
import { isShadow, judgedParts, scriptOf } from './judged-parts.js';
import type { PermissionCall } from './permission-call.js';
import type { PermissionRule } from './permission-rule.js';
import { orderRules } from './rules/order-rules.js';
import type { ScriptReader } from './shell/script-reader.js';
import { Trace, showPart } from './trace.js';
import type { Verdict } from './verdict.js';

/**
 * A snapshot of the rules, compiled once. Each part of a script is judged separately, by the first
 * rule that matches it. The strictest verdict on a part is the verdict on the call.
 */
export class PermissionPolicy {
  private readonly compiled: readonly CompiledRule[];

  /** @param scripts parses shell scripts; without it, no rule on commands can allow one */
  constructor(
    rules: readonly (PermissionRule | CodeRule)[],
    private readonly scripts?: ScriptReader,
    compile: (rule: PermissionRule | CodeRule) => CompiledRule = compileRule,
  ) {
    this.compiled = orderRules(rules).map(compile);
  }

  judge(call: PermissionCall, now: Date): Verdict {
    const rules = this.compiled.filter(({ rule }) => applies(rule, call, now));
    const text = scriptOf(call);
    const trace = new Trace();
    const judging = { judged: { call, ...(text !== undefined && { script: text }) }, rules, trace };
    const parts = judgedParts(call, text === undefined ? undefined : this.read(text));
    const verdicts = parts
      .map((part) => judgePart(part, judging))
      .filter(({ part, decision }) => !isShadow(part) || decision !== 'allow');
    return { ...combine(verdicts, call.tool_name), trace: trace.entries };
  }

  /** True if any rule could prevent a call that names a file. */
  mayForbidFiles(call: PermissionCall, now: Date): boolean {
    return this.compiled.some(
      ({ rule }) =>
        rule.decision !== 'allow' &&
        rule.matcher.type !== 'command_prefix' &&
        applies(rule, call, now),
    );
  }

  private read(text: string) {
    const unread = { parts: [], fault: 'can’t be read without the grammar of shells' };
    return { text, read: this.scripts?.read(text) ?? unread };
  }
}

/** True if a rule applies to this chat, agent and time, and is not used up. */
function applies(rule: PermissionRule | CodeRule, call: PermissionCall, now: Date): boolean {
  if (rule.scope === 'session' && rule.scope_id !== call.chat_id) return false;
  if (rule.scope === 'agent' && rule.scope_id !== call.agent) return false;
  if (rule.expires_at !== null && now.getTime() >= Date.parse(rule.expires_at)) return false;
  return rule.max_uses === null || rule.uses < rule.max_uses;
}

function combine(verdicts: readonly PartVerdict[], toolName: string): Omit<Verdict, 'trace'> {
  const decisive = verdicts.reduce((a, b) => strictest(a, b));
  const { decision, rule } = decisive;
  const taken = decision === 'allow' ? verdicts.map((verdict) => verdict.rule) : [rule];
  const rules = [...new Set(taken)].filter((used) => used !== null);
  return { decision, rule, rules, reason: describeVerdict(decisive, toolName) };
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

function describeRule({ id, decision, scope, description }: PermissionRule | CodeRule): string {
  const said = description ? ` “${description}”` : '';
  return `the ${scope} rule ${id}${said} says ${decision}`;
}
