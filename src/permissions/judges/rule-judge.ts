import { Injectable } from '@nestjs/common';
import type { Principal } from '../../auth/principal.js';
import type { ShownFiles } from '../policy/file-filter.js';
import type { OwnedCall } from '../matching/permission-call.js';
import { RuleBook } from '../rule-book.js';
import { PermissionsService } from '../permissions.service.js';
import { ToolJudge } from './tool-judge.js';
import type { JudgedCall, RememberedRule, RememberScope, ToolVerdict } from './tool-judge.js';
import type { PermissionRule, RuleInput } from '../../protocol/wire/rule.js';

/** Judges tool calls by the permission rules. */
@Injectable()
export class RuleJudge extends ToolJudge {
  constructor(
    private readonly permissions: PermissionsService,
    private readonly rules: RuleBook,
  ) {
    super();
  }

  authorize(call: JudgedCall, useKey: string): Promise<ToolVerdict> {
    return this.permissions.decide(toPermissionCall(call), useKey);
  }

  check(call: JudgedCall): Promise<ToolVerdict> {
    return this.permissions.check(toPermissionCall(call));
  }

  filterFiles(call: JudgedCall, toolNames: readonly string[]): Promise<ShownFiles> {
    return this.permissions.filterFiles(toPermissionCall(call), toolNames);
  }

  suggest(
    call: JudgedCall,
    decision: 'allow' | 'deny',
    scope: RememberScope,
  ): Promise<RuleInput | undefined> {
    return this.permissions.suggest(toPermissionCall(call), scope, decision);
  }

  wouldDecide(rule: RuleInput, call: JudgedCall): Promise<boolean> {
    return this.permissions.wouldDecide(rule, toPermissionCall(call));
  }

  remember(caller: Principal, rule: RuleInput): Promise<RememberedRule> {
    return this.permissions.add(caller, rule);
  }

  forget(caller: Principal, { id }: PermissionRule): Promise<void> {
    return this.rules.remove(caller, id);
  }
}

function toPermissionCall({ tool, interaction, speakers = [], ...call }: JudgedCall): OwnedCall {
  const { tool_input, agent } = call;
  const { chat_id, chat_uid, tenant_id, started_by: user_id } = interaction;
  const other_users = speakers.filter((id) => id !== user_id);
  const owner = { tenant_id, user_id, other_users, chat_uid };
  return { tool_name: tool.name, tool_input, policy: tool.policy, chat_id, agent, ...owner };
}
