import { Injectable } from '@nestjs/common';
import { Clock } from '../kernel/clock.js';
import { ToolRegistry } from '../tools/tool-registry.js';
import { FileFilter } from './file-filter.js';
import { scriptOf } from './judged-parts.js';
import type { PermissionCall } from './permission-call.js';
import { PermissionPolicy } from './permission-policy.js';
import type { PermissionRule, RuleInput, RuleScope } from './permission-rule.js';
import { RuleBook } from './rule-book.js';
import { ScriptReader } from './shell/script-reader.js';
import { ShellGrammar } from './shell/shell-grammar.js';
import { suggestMatchers } from './suggest-matcher.js';
import type { Verdict } from './verdict.js';
import type { CodeRule, CompiledRule } from './compiled-rule.js';
import { compileRule } from './compiled-rule.js';
import { canonicalJson } from './matching/canonical-json.js';

/** Where an answer of a person is kept: in the chat, for the agent type, or for all. */
export type RememberedScope = Exclude<RuleScope, 'user'>;

/** A verdict that is kept. */
export type RememberedDecision = 'allow' | 'deny';

/** Says whether tool calls may run. */
@Injectable()
export class PermissionsService {
  private readonly cache = new RuleCache();
  private reader: Promise<ScriptReader> | undefined;

  constructor(
    private readonly rules: RuleBook,
    private readonly tools: ToolRegistry,
    private readonly clock: Clock,
  ) {}

  /** The verdict as it would be now; the policy of a call without one is that of its tool. Nothing is counted. */
  check(call: PermissionCall): Promise<Verdict> {
    return this.judge(call);
  }

  /**
   * The verdict on an execution: rules with `max_uses` that decide are used once.
   * @param useKey of the execution. One that is judged again, because its run was lost, uses no rule again.
   */
  async decide(call: PermissionCall, useKey: string): Promise<Verdict> {
    for (;;) {
      const verdict = await this.judge(call, useKey);
      const limited = verdict.rules.filter(({ max_uses }) => max_uses !== null);
      const granted = await Promise.all(limited.map(({ id }) => this.rules.countUse(id, useKey)));
      if (granted.every(Boolean)) return verdict;
    }
  }

  /** Which files a call that may run may show, by the rules as they are now. Nothing is counted. */
  async filterFiles(call: PermissionCall, toolNames: readonly string[]): Promise<FileFilter> {
    const policy = await this.policyFor(call);
    return new FileFilter(policy, {
      call: this.withPolicy(call),
      tool_names: toolNames,
      now: this.clock.now(),
    });
  }

  /** With the uses of this key left out of account. */
  private async judge(call: PermissionCall, use_key?: string): Promise<Verdict> {
    const policy = await this.policyFor(call, use_key);
    return policy.judge(this.withPolicy(call), this.clock.now());
  }

  private async policyFor(call: PermissionCall, use_key?: string): Promise<PermissionPolicy> {
    const { chat_id, agent } = call;
    const rules = await this.rules.listFor({
      ...(chat_id !== undefined && { chat_id }),
      ...(agent !== undefined && { agent }),
      ...(use_key !== undefined && { use_key }),
    });
    return new PermissionPolicy(rules, await this.readerFor(call), this.cache.compile);
  }

  /**
   * The narrowest rule that decides the call so, beside the rules that there are; undefined if none does: none can cover commands that
   * can't be read, and none gets ahead of a rule of an earlier scope.
   */
  async suggest(
    call: PermissionCall,
    scope: RememberedScope,
    decision: RememberedDecision = 'allow',
  ): Promise<RuleInput | undefined> {
    const reader = await this.readerFor(call);
    const text = scriptOf(this.withPolicy(call));
    const script = text === undefined ? undefined : reader?.read(text);
    const priority = await this.priorityOver(call, scope);
    const rule = suggestMatchers(call, script)
      .map((matcher) => ({ ...toRule(matcher, scope, call), priority }))
      .find((narrow) => this.covers(narrow, call, reader));
    if (!rule) return undefined;
    const verdict = decision === 'allow' ? 'an approval' : 'a rejection';
    const wanted = { ...rule, decision, description: `Remembered from ${verdict}.` };
    return (await this.decides(wanted, call, reader)) ? wanted : undefined;
  }

  /** Adds a suggested rule, or finds the one that says the same already. */
  async add(rule: RuleInput): Promise<PermissionRule> {
    return (await this.rules.findSame(rule)) ?? this.rules.add(rule);
  }

  /** Before the rule of the same scope that made it ask, if one did. */
  private async priorityOver(call: PermissionCall, scope: RememberedScope): Promise<number> {
    const { rule } = await this.check(call);
    return rule?.scope === scope && rule.decision === 'ask' ? rule.priority + 1 : 0;
  }

  /** Whether the call would be decided as the rule says, once it is there. */
  private async decides(
    rule: RuleInput,
    call: PermissionCall,
    reader: ScriptReader | undefined,
  ): Promise<boolean> {
    const now = this.clock.now();
    const full = { ...rule, id: 'suggested', created_at: now.toISOString(), uses: 0 };
    const rules = [...(await this.rules.listFor(call)), full];
    const policy = new PermissionPolicy(rules, reader, this.cache.compile);
    return policy.judge(this.withPolicy(call), now).decision === rule.decision;
  }

  private covers(rule: RuleInput, call: PermissionCall, reader: ScriptReader | undefined): boolean {
    const full = { ...rule, id: 'suggested', created_at: null, uses: 0 };
    const alone = new PermissionPolicy([full], reader, this.cache.compile);
    return alone.judge(this.withPolicy(call), this.clock.now()).rule === full;
  }

  private withPolicy(call: PermissionCall): PermissionCall {
    const policy = call.policy ?? this.tools.find(call.tool_name)?.policy;
    return policy ? { ...call, policy } : call;
  }

  /** Only calls that run a script need the grammar. */
  private readerFor(call: PermissionCall): Promise<ScriptReader> | undefined {
    if (scriptOf(this.withPolicy(call)) === undefined) return undefined;
    return (this.reader ??= ShellGrammar.load().then((grammar) => new ScriptReader(grammar)));
  }
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

const MAX_COMPILED = 5000;

/** Compiles each matcher once, however often its rule is read anew. */
class RuleCache {
  private readonly matchers = new Map<string, CompiledRule['match']>();

  readonly compile = (rule: PermissionRule | CodeRule): CompiledRule => {
    if (rule.matcher.type === 'custom') return compileRule(rule);
    const key = `${rule.decision === 'allow'} ${canonicalJson(rule.matcher)}`;
    const known = this.matchers.get(key);
    if (known) return { rule, match: known };
    if (this.matchers.size >= MAX_COMPILED) this.matchers.clear();
    const compiled = compileRule(rule);
    this.matchers.set(key, compiled.match);
    return compiled;
  };
}
