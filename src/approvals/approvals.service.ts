import { Injectable } from '@nestjs/common';
import { AppError } from '../kernel/app-error.js';
import { InteractionStore } from '../log/interaction-store.js';
import type { Json } from '../log/json.js';
import type { RequestRow } from '../log/request-rows.js';
import { ToolJudge } from '../permissions/tool-judge.js';
import type { JudgedCall } from '../permissions/tool-judge.js';
import { ToolExecutor } from '../tools/tool-executor.js';
import { ToolRegistry } from '../tools/tool-registry.js';
import type { ApproveDto } from './dto/approve.dto.js';
import { SettleService } from './settle.service.js';
import type { RequestOwner } from './settle.service.js';

/** Takes a person's verdict on one tool call. */
@Injectable()
export class ApprovalsService {
  constructor(
    private readonly settling: SettleService,
    private readonly store: InteractionStore,
    private readonly tools: ToolRegistry,
    private readonly executor: ToolExecutor,
    private readonly judge: ToolJudge,
  ) {}

  /**
   * Answers the rule that was added, if the verdict is to be remembered.
   * @throws AppError as `SettleService`, and `invalid_input`, `denied_by_rule` (400): it is still pending then
   */
  async decide(owner: RequestOwner, verdict: ApproveDto): Promise<Json | undefined> {
    const { approval_id, approved, reason, modified_input, remember } = verdict;
    const row = await this.settling.find(approval_id, 'approval', owner);
    if (approved && modified_input) await this.checkInput(row, modified_input);
    await this.settling.settle(row, {
      kind: 'approval',
      approved,
      by: 'user',
      ...(reason !== undefined && { reason }),
      ...(approved && modified_input && { modified_input }),
    });
    if (!remember) return undefined;
    const call = await this.callOf(row, modified_input);
    return call && this.judge.remember(call, approved ? 'allow' : 'deny', remember);
  }

  /** What a person has changed has to fit the tool, and no rule may deny it. */
  private async checkInput(row: RequestRow, input: Json): Promise<void> {
    const checked = this.executor.check(toolName(row), JSON.stringify(input));
    if (!checked.ok) throw faulty('invalid_input', checked.fault);
    const call = await this.callOf(row, input);
    const verdict = call && (await this.judge.check(call));
    if (verdict?.decision === 'deny') throw faulty('denied_by_rule', verdict.reason);
  }

  private async callOf(row: RequestRow, input?: Json): Promise<JudgedCall | undefined> {
    const tool = this.tools.find(toolName(row));
    const interaction = await this.store.findInteraction(row.interaction_id);
    if (!tool || !interaction) return undefined;
    const tool_input = input ?? (JSON.parse(String(row.event['tool_input']) || '{}') as Json);
    return { tool, tool_input, chat_id: row.chat_id, agent: interaction.agent };
  }
}

function toolName({ event }: RequestRow): string {
  return String(event['tool_name']);
}

function faulty(code: string, message: string): AppError {
  return new AppError('invalid', code, message, { errors: [{ field: 'modified_input', message }] });
}
