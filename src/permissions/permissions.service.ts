import { Injectable } from '@nestjs/common';
import { viewerOf } from '../access/viewer-of.js';
import type { Principal } from '../auth/principal.js';
import { Clock } from '../kernel/clock.js';
import { Breather } from '../kernel/async/breather.js';
import { ownTurn } from '../kernel/async/turns.js';
import { ToolRegistry } from '../tools/core/tool-registry.js';
import { CodeJudges } from './judges/code-judges.js';
import type { RememberedRule } from './judges/tool-judge.js';
import { FileFilter } from './policy/file-filter.js';
import type { ShownFiles } from './policy/file-filter.js';
import { scriptOf } from './policy/judged-parts.js';
import type { OwnedCall, PermissionCall } from './matching/permission-call.js';
import { PermissionPolicy } from './policy/permission-policy.js';
import { RuleBook } from './rule-book.js';
import { ScriptReader } from './shell/script-reader.js';
import { ShellGrammar } from './shell/shell-grammar.js';
import { suggestMatchers } from './policy/suggest-matcher.js';
import { joinVerdicts } from './policy/verdict.js';
import type { Verdict } from './policy/verdict.js';
import type { AnyRule, CompiledRule, RuleSet } from './rules/compiled-rule.js';
import { compileRule } from './rules/compiled-rule.js';
import { canonicalJson } from '../kernel/json/json.js';
import type { RuleInput, RuleScope } from '../protocol/wire/rule.js';

/** The scope of a remembered answer of a person: the chat, the agent type, or all. */
export type RememberedScope = Exclude<RuleScope, 'user'>;

/** A verdict that can be remembered. */
export type RememberedDecision = 'allow' | 'deny';

/** Decides if tool calls may run. */
@Injectable()
export class PermissionsService {
  private readonly cache = new RuleCache();
  private reader: Promise<ScriptReader> | undefined;

  constructor(
    private readonly rules: RuleBook,
    private readonly tools: ToolRegistry,
    private readonly clock: Clock,
    private readonly judges: CodeJudges,
  ) {}

  /**
   * The verdict under the current rules. A call without a policy has the policy of its tool. Counts
   * no use.
   */
  check(call: OwnedCall): Promise<Verdict> {
    return this.judge(call);
  }

  /**
   * The verdict on an execution: each deciding rule with `max_uses` is used once.
   * @param useKey key of the execution; if it is judged again because its run was lost, no rule is
   * used again
   */
  async decide(call: OwnedCall, useKey: string): Promise<Verdict> {
    for (;;) {
      const verdict = await this.judge(call, useKey);
      const limited = verdict.rules.filter(({ max_uses }) => max_uses !== null);
      const granted = await Promise.all(limited.map(({ id }) => this.rules.countUse(id, useKey)));
      if (granted.every(Boolean)) return verdict;
    }
  }

  /** Decides, by the current rules, which files an allowed call may show. Counts no use. */
  async filterFiles(call: OwnedCall, toolNames: readonly string[]): Promise<ShownFiles> {
    const now = this.clock.now();
    const filters = await Promise.all(
      callsOfAll(call).map(async (each) => {
        const options = { call: this.withPolicy(each), tool_names: toolNames, now };
        return new FileFilter(await this.policyFor(each), options);
      }),
    );
    return { shows: (path) => filters.every((filter) => filter.shows(path)) };
  }

  /** Judges a call by the rules of each user, with the uses of this key not counted. */
  private async judge(call: OwnedCall, use_key?: string): Promise<Verdict> {
    const [own, ...others] = callsOfAll(call);
    let verdict = await this.judgeOne(own, use_key);
    for (const other of others)
      verdict = joinVerdicts(verdict, await this.judgeOne(other, use_key));
    return verdict;
  }

  private async judgeOne(call: OwnedCall, use_key?: string): Promise<Verdict> {
    const policy = await this.policyFor(call, use_key);
    const asked = { ...call, ...this.withPolicy(call) };
    await ownTurn(`${call.tenant_id} ${call.user_id}`); // many may have waited for the same rules
    return this.judges.review(asked, policy.judge(asked, this.clock.now()));
  }

  private async policyFor(call: OwnedCall, use_key?: string): Promise<PermissionPolicy> {
    const { tenant_id, user_id, chat_uid, agent } = call;
    const rules = await this.rules.listFor({
      ...{ tenant_id, user_id },
      ...(chat_uid !== undefined && { chat_uid }),
      ...(agent !== undefined && { agent }),
      ...(use_key !== undefined && { use_key }),
    });
    return this.policyOf(rules, await this.readerFor(call));
  }

  /**
   * The narrowest new rule that, added to the existing rules, gives the call this decision for each
   * of its users. Undefined if there is none: no rule can cover unreadable commands, or precede a
   * rule of an earlier scope.
   */
  async suggest(
    call: OwnedCall,
    scope: RememberedScope,
    decision: RememberedDecision = 'allow',
  ): Promise<RuleInput | undefined> {
    const reader = await this.readerFor(call);
    const text = scriptOf(this.withPolicy(call));
    const script = text === undefined ? undefined : reader?.read(text);
    const users = callsOfAll(call);
    const priorities = await Promise.all(users.map((each) => this.priorityOver(each, scope)));
    const priority = Math.max(...priorities);
    const rule = suggestMatchers(call, script)
      .map((matcher) => ({ ...toRule(matcher, scope, call), priority }))
      .find((narrow) => this.covers(narrow, call, reader));
    if (!rule) return undefined;
    const verdict = decision === 'allow' ? 'an approval' : 'a rejection';
    const wanted = { ...rule, decision, description: `Remembered from ${verdict}.` };
    const decided = await Promise.all(users.map((each) => this.decides(wanted, each, reader)));
    return decided.every(Boolean) ? wanted : undefined;
  }

  /** True if this rule, without any other, gives the call its decision. */
  async wouldDecide(rule: RuleInput, call: PermissionCall): Promise<boolean> {
    return this.covers(rule, call, await this.readerFor(call));
  }

  /** Adds a suggested rule, or returns an existing rule with the same effect. */
  async add(caller: Principal, suggested: RuleInput): Promise<RememberedRule> {
    const same = await this.rules.findSame(suggested, viewerOf(caller));
    if (same) return { rule: same, isNew: false };
    return { rule: await this.rules.add(caller, suggested), isNew: true };
  }

  /** A priority before the rule of the same scope that caused the question, if there is one. */
  private async priorityOver(call: OwnedCall, scope: RememberedScope): Promise<number> {
    const { rule } = await this.check(call);
    return rule?.scope === scope && rule.decision === 'ask' ? rule.priority + 1 : 0;
  }

  /** True if the call, as one of its user alone, would get the decision once the rule is added. */
  private async decides(
    rule: RuleInput,
    call: OwnedCall,
    reader: ScriptReader | undefined,
  ): Promise<boolean> {
    const now = this.clock.now();
    const full = { ...rule, id: 'suggested', created_at: now.toISOString(), uses: 0 };
    const { operator, added } = await this.rules.listFor(call);
    const policy = await this.policyOf({ operator, added: [...added, full] }, reader);
    const verdict = policy.judge(this.withPolicy(call), now);
    return (await this.judges.review(call, verdict)).decision === rule.decision;
  }

  private covers(rule: RuleInput, call: PermissionCall, reader: ScriptReader | undefined): boolean {
    const full = { ...rule, id: 'suggested', created_at: null, uses: 0 };
    const alone = new PermissionPolicy({ operator: [], added: [full] }, { scripts: reader });
    const verdict = alone.judge(this.withPolicy(call), this.clock.now());
    return verdict.rule === full && verdict.decision === rule.decision;
  }

  private async policyOf(
    rules: RuleSet,
    scripts: ScriptReader | undefined,
  ): Promise<PermissionPolicy> {
    const compile = await this.cache.load([...rules.operator, ...rules.added]);
    return new PermissionPolicy(rules, { scripts, compile });
  }

  private withPolicy(call: PermissionCall): PermissionCall {
    const policy = call.policy ?? this.tools.find(call.tool_name)?.policy;
    return policy ? { ...call, policy } : call;
  }

  /** Loads the grammar only for calls that run a script. */
  private readerFor(call: PermissionCall): Promise<ScriptReader> | undefined {
    if (scriptOf(this.withPolicy(call)) === undefined) return undefined;
    return (this.reader ??= ShellGrammar.load().then((grammar) => new ScriptReader(grammar)));
  }
}

/** The call as one of each user whose words it may follow. */
function callsOfAll({ other_users = [], ...call }: OwnedCall): [OwnedCall, ...OwnedCall[]] {
  return [call, ...other_users.map((user_id) => ({ ...call, user_id }))];
}

function toRule(
  matcher: RuleInput['matcher'],
  scope: RememberedScope,
  call: PermissionCall,
): RuleInput {
  const scope_id = { session: call.chat_id, agent: call.agent, global: undefined }[scope] ?? null;
  return {
    scope,
    scope_id,
    priority: 0,
    decision: 'allow',
    matcher,
    description: null,
    expires_at: null,
    max_uses: null,
  };
}

/** More than the rules that can apply to one call. */
const MAX_COMPILED = 20_000;

/** Compiles each matcher once, even if its rule is read many times. */
class RuleCache {
  private readonly matchers = new Map<string, CompiledRule['match']>();

  /** Looks up these rules, and compiles new ones: a thousand large patterns take seconds. */
  async load(rules: readonly AnyRule[]): Promise<(rule: AnyRule) => CompiledRule> {
    const breather = new Breather();
    const compiled = new Map<AnyRule, CompiledRule>();
    for (const rule of rules) {
      compiled.set(rule, this.compile(rule));
      await breather.breathe();
    }
    return (rule) => compiled.get(rule)!;
  }

  private compile(rule: AnyRule): CompiledRule {
    if (rule.matcher.type === 'custom') return compileRule(rule);
    const key = `${rule.decision === 'allow'} ${canonicalJson(rule.matcher)}`;
    const known = this.matchers.get(key);
    if (known) return { rule, match: known };
    if (this.matchers.size >= MAX_COMPILED) this.matchers.clear();
    const compiled = compileRule(rule);
    this.matchers.set(key, compiled.match);
    return compiled;
  }
}
