import type { AnyRule } from '../../src/permissions/rules/compiled-rule.js';
import type { PermissionCall } from '../../src/permissions/matching/permission-call.js';
import { PermissionPolicy } from '../../src/permissions/policy/permission-policy.js';
import { ScriptReader } from '../../src/permissions/shell/script-reader.js';
import { ShellGrammar } from '../../src/permissions/shell/shell-grammar.js';
import type { Verdict } from '../../src/permissions/policy/verdict.js';
import type { ToolPolicy } from '../../src/tools/core/tool.js';
import type { Decision, Matcher, PermissionRule } from '../../src/protocol/wire/rule.js';

export const NOW = new Date('2026-01-15T10:00:00.000Z');

export const BASH: ToolPolicy = {
  category: 'execute',
  read_only: false,
  risk: 'high',
  recovery: 'report',
};

export const WRITE: ToolPolicy = { ...BASH, category: 'write', risk: 'medium' };
export const READ: ToolPolicy = { ...BASH, category: 'read', read_only: true, risk: 'low' };

let made = 0;

/** A global rule, younger than those before it. */
export function rule(
  decision: Decision,
  matcher: Matcher,
  more: Partial<PermissionRule> = {},
): PermissionRule {
  made++;
  return {
    id: `rule_${made}`,
    scope: 'global',
    scope_id: null,
    priority: 0,
    decision,
    matcher,
    description: null,
    expires_at: null,
    max_uses: null,
    created_at: new Date(NOW.getTime() + made).toISOString(),
    uses: 0,
    ...more,
  };
}

export function prefix(decision: Decision, ...prefixes: string[]): PermissionRule {
  return rule(decision, { type: 'command_prefix', prefixes });
}

const reader = new ScriptReader(await ShellGrammar.load());

export function judge(
  added: readonly AnyRule[],
  call: PermissionCall,
  { now = NOW, operator = [] }: { now?: Date; operator?: readonly AnyRule[] } = {},
): Verdict {
  return new PermissionPolicy({ operator, added }, { scripts: reader }).judge(call, now);
}

/** A call of `bash`. */
export function bash(command: string): PermissionCall {
  return { tool_name: 'bash', tool_input: { command }, policy: BASH };
}

export function judgeCommand(rules: readonly PermissionRule[], command: string): Verdict {
  return judge(rules, bash(command));
}
