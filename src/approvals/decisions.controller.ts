import { Body, Controller, HttpCode, Param, Post } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { Caller } from '../auth/caller.decorator.js';
import type { Principal } from '../auth/principal.js';
import { Access } from '../auth/access.decorator.js';
import { InteractionIdDto } from '../http/input/ids.dto.js';
import { ApprovalsService } from './approvals.service.js';
import { ApproveDto, PreviewRuleDto, RespondDto, ToolResultDto } from './dto/decisions.dto.js';
import { RequestsService } from './requests.service.js';
import { ApiAnswer } from '../http/openapi/answer.js';
import {
  decided,
  notSettled,
  responded,
  rulePreview,
  toolResultTaken,
} from '../protocol/wire/decision.js';
import type {
  Decided,
  Responded,
  RulePreview,
  ToolResultTaken,
} from '../protocol/wire/decision.js';

/** Decisions and answers to an interaction's requests. */
@ApiTags('requests')
@Access('decide')
@Controller('chats/:chat_id/interactions/:interaction_id')
export class DecisionsController {
  constructor(
    private readonly approvals: ApprovalsService,
    private readonly requests: RequestsService,
  ) {}

  @Post('approve')
  @HttpCode(200)
  @ApiOperation({ summary: 'Approve, change or reject one tool call' })
  @ApiAnswer(200, decided)
  @ApiAnswer(400, notSettled, {
    description: 'Processed already, expired, or a modified_input that does not fit.',
  })
  @ApiResponse({ status: 404 })
  @ApiResponse({
    status: 422,
    description: 'No rule could remember it; it is still pending.',
  })
  async approve(
    @Caller() caller: Principal,
    @Param() owner: InteractionIdDto,
    @Body() body: ApproveDto,
  ): Promise<Decided> {
    const remembered = await this.approvals.decide(caller, owner, body);
    const { approval_id, approved } = body;
    return { status: 'processed', approval_id, approved, ...remembered };
  }

  @Post('rule-preview')
  @HttpCode(200)
  @ApiOperation({
    summary: 'See which rule a verdict with `remember` would add',
    description: 'Decides and adds nothing.',
  })
  @ApiAnswer(200, rulePreview)
  @ApiResponse({ status: 400 })
  @ApiResponse({ status: 404 })
  async previewRule(
    @Caller() caller: Principal,
    @Param() owner: InteractionIdDto,
    @Body() body: PreviewRuleDto,
  ): Promise<RulePreview> {
    const { rule, decides } = await this.approvals.preview(caller, owner, body);
    return { rule: rule ?? null, decides };
  }

  @Post('respond')
  @HttpCode(200)
  @ApiOperation({ summary: 'Answer a question, or decline to' })
  @ApiAnswer(200, responded)
  @ApiAnswer(400, notSettled, { description: 'Processed already, or expired.' })
  @ApiResponse({ status: 404 })
  async respond(
    @Caller() caller: Principal,
    @Param() { chat_id, interaction_id }: InteractionIdDto,
    @Body() body: RespondDto,
  ): Promise<Responded> {
    await this.requests.respond(caller, { chat_id, interaction_id }, body);
    return { status: 'processed', request_id: body.request_id };
  }

  @Post('tool-results')
  @HttpCode(200)
  @ApiOperation({ summary: 'Send the result of a tool that you run yourself' })
  @ApiAnswer(200, toolResultTaken)
  @ApiAnswer(400, notSettled, { description: 'Sent already.' })
  @ApiResponse({ status: 404 })
  async toolResult(
    @Caller() caller: Principal,
    @Param() { chat_id, interaction_id }: InteractionIdDto,
    @Body() body: ToolResultDto,
  ): Promise<ToolResultTaken> {
    await this.requests.takeToolResult(caller, { chat_id, interaction_id }, body);
    return { status: 'processed', tool_call_id: body.tool_call_id };
  }
}
