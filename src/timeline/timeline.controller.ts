import { Controller, Get, Param } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { ChatAccess } from '../access/chat-access.js';
import { Access } from '../auth/access.decorator.js';
import { Caller } from '../auth/caller.decorator.js';
import type { Principal } from '../auth/principal.js';
import { InteractionIdDto } from '../http/input/ids.dto.js';
import { RecordStore } from '../persistence/record.store.js';
import { isFinal } from '../protocol/interaction.js';
import { readTimeline } from './read-timeline.js';
import { traceOf } from './trace-context.js';
import { ApiAnswer } from '../http/openapi/answer.js';
import { spanList } from './span.js';
import type { SpanList } from './span.js';

/** More than people look at; an answer stays below a few MiB. */
const MAX_SPANS = 5_000;

@ApiTags('interactions')
@Access('chat')
@Controller('chats/:chat_id/interactions/:interaction_id/timeline')
export class TimelineController {
  constructor(
    private readonly access: ChatAccess,
    private readonly records: RecordStore,
  ) {}

  @Get()
  @ApiOperation({
    summary: 'Its log as spans of time',
    description:
      'Runs of agents, model turns, tool calls and waits, as a trace has them, and also what has not ended. Needs no collector.',
  })
  @ApiAnswer(200, spanList)
  @ApiResponse({ status: 404 })
  async get(
    @Caller() caller: Principal,
    @Param() { chat_id, interaction_id }: InteractionIdDto,
  ): Promise<SpanList> {
    const row = await this.access.interaction(caller, chat_id, interaction_id);
    const { timeline, isWhole } = await readTimeline(this.records, row.id);
    const isRunning = row.status === 'RUNNING' && row.waits_for === null;
    const state = isRunning ? 'running' : isFinal(row.status) ? 'ended' : 'parked';
    const items = timeline.spans(state);
    return {
      trace_id: traceOf(row).trace_id,
      items: items.slice(0, MAX_SPANS),
      truncated: !isWhole || items.length > MAX_SPANS,
    };
  }
}
