import { Injectable } from '@nestjs/common';
import { AppError } from '../kernel/app-error.js';
import { RequestStore } from '../persistence/request.store.js';
import type { RequestRow } from '../persistence/rows/request-rows.js';
import type { RespondDto, ToolResultDto } from './dto/respond.dto.js';
import { listAllRequests } from './list-all-requests.js';
import { describeOtherKind, SettleService } from './settle.service.js';
import type { RequestOwner } from './settle.service.js';

/** Takes answers to questions, and results of tools that the client runs. */
@Injectable()
export class ResponsesService {
  constructor(
    private readonly settling: SettleService,
    private readonly requests: RequestStore,
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

  private async findCall(
    { chat_id, interaction_id }: RequestOwner,
    callId: string,
  ): Promise<RequestRow> {
    let other: RequestRow | undefined;
    for await (const row of listAllRequests(this.requests, { chat_id, interaction_id })) {
      if (row.event['tool_call_id'] !== callId) continue;
      if (row.kind === 'tool') return row;
      other = row;
    }
    const what = `The interaction ${interaction_id} does not wait for the result of a call ${callId}.`;
    const more = other ? describeOtherKind(other) : 'GET /requests lists what waits.';
    throw new AppError('not_found', 'tool_call_not_found', `${what} ${more}`);
  }
}
