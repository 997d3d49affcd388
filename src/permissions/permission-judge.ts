import { Injectable } from '@nestjs/common';
import { AppError } from '../kernel/app-error.js';
import type { Json } from '../log/json.js';
import type { PermissionCall } from './permission-call.js';
import { PermissionsService } from './permissions.service.js';
import { RuleBook } from './rule-book.js';
import { ToolJudge } from './tool-judge.js';
import type { JudgedCall, RememberScope, ToolVerdict } from './tool-judge.js';

/** Judges calls by the permission rules. */
@Injectable()
export class PermissionJudge extends ToolJudge {
  constructor(
    private readonly permissions: PermissionsService,
    private readonly rules: RuleBook,
  ) {
    super();
  }

  authorize(call: JudgedCall): Promise<ToolVerdict> {
    return this.permissions.decide(toPermissionCall(call));
  }

  check(call: JudgedCall): Promise<ToolVerdict> {
    return this.permissions.check(toPermissionCall(call));
  }

  async remember(
    judged: JudgedCall,
    decision: 'allow' | 'deny',
    scope: RememberScope,
  ): Promise<Json> {
    const call = toPermissionCall(judged);
    const rule = await (decision === 'allow'
      ? this.permissions.remember(call, scope)
      : this.refuse(call, scope));
    if (rule) return { ...rule };
    throw new AppError(
      'unprocessable',
      'not_rememberable',
      'Your decision was taken, but no rule covers just this call, so none was added. POST /permissions/rules adds one of your own.',
    );
  }

  private async refuse(call: PermissionCall, scope: RememberScope) {
    const rule = await this.permissions.suggest(call, scope);
    return rule && this.rules.add({ ...rule, decision: 'deny' });
  }
}

function toPermissionCall({ tool, tool_input, chat_id, agent }: JudgedCall): PermissionCall {
  return { tool_name: tool.name, tool_input, policy: tool.policy, chat_id, agent };
}
