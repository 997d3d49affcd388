import { Injectable } from '@nestjs/common';
import type { Principal } from '../../auth/principal.js';
import type { FileFilter } from '../policy/file-filter.js';
import type { OwnedCall } from '../policy/permission-call.js';
import type { PermissionRule, RuleInput } from '../rules/permission-rule.js';
import { PermissionsService } from '../permissions.service.js';
import { ToolJudge } from './tool-judge.js';
import type { JudgedCall, RememberScope, ToolVerdict } from './tool-judge.js';

/** Judges tool calls by the permission rules. */
@Injectable()
export class RuleJudge extends ToolJudge {
  constructor(private readonly permissions: PermissionsService) {
    super();
  }

  authorize(call: JudgedCall, useKey: string): Promise<ToolVerdict> {
    return this.permissions.decide(toPermissionCall(call), useKey);
  }

  check(call: JudgedCall): Promise<ToolVerdict> {
    return this.permissions.check(toPermissionCall(call));
  }

  filterFiles(call: JudgedCall, toolNames: readonly string[]): Promise<FileFilter> {
    return this.permissions.filterFiles(toPermissionCall(call), toolNames);
  }

  suggest(
    call: JudgedCall,
    decision: 'allow' | 'deny',
    scope: RememberScope,
  ): Promise<RuleInput | undefined> {
    return this.permissions.suggest(toPermissionCall(call), scope, decision);
  }

  remember(caller: Principal, rule: RuleInput): Promise<PermissionRule> {
    return this.permissions.add(caller, rule);
  }
}

function toPermissionCall({ tool, tool_input, interaction, agent }: JudgedCall): OwnedCall {
  const { chat_id, chat_uid, tenant_id, started_by: user_id } = interaction;
  const owner = { tenant_id, user_id, chat_uid };
  return { tool_name: tool.name, tool_input, policy: tool.policy, chat_id, agent, ...owner };
}
