import { Injectable } from '@nestjs/common';
import { AppError } from '../kernel/app-error.js';
import { InteractionStore } from '../log/interaction-store.js';
import type { RequestRow } from '../log/request-rows.js';
import type { RespondDto, ToolResultDto } from './dto/respond.dto.js';
import { SettleService } from './settle.service.js';
import type { RequestOwner } from './settle.service.js';

const PAGE = 200;

/** Takes answers to questions, and results of tools that the client runs. */
@Injectable()
export class ResponsesService {
  constructor(
    private readonly settling: SettleService,
    private readonly store: InteractionStore,
  ) {}

  async respond(owner: RequestOwner, { request_id, answer }: RespondDto): Promise<void> {
    const row = await this.settling.find(request_id, 'input', owner);
    await this.settling.settle(row, { kind: 'input', answer, by: 'user' });
  }

  async toolResult(owner: RequestOwner, result: ToolResultDto): Promise<void> {
    const { tool_call_id, tool_output, is_error = false } = result;
    const row = await this.findCall(owner, tool_call_id);
    await this.settling.settle(row, { kind: 'tool', tool_output, is_error, by: 'client' });
  }

  private async findCall(owner: RequestOwner, callId: string): Promise<RequestRow> {
    for (let after: RequestRow | undefined; ;) {
      const { chat_id, interaction_id } = owner;
      const page = await this.store.listRequests({
        chat_id,
        interaction_id,
        limit: PAGE,
        ...(after && { after }),
      });
      const row = page.find(
        ({ kind, event }) => kind === 'tool' && event['tool_call_id'] === callId,
      );
      if (row) return row;
      after = page.at(-1);
      if (page.length < PAGE)
        throw new AppError(
          'not_found',
          'tool_call_not_found',
          `The interaction ${interaction_id} does not wait for the result of a call ${callId}. GET /requests lists what waits.`,
        );
    }
  }
}
