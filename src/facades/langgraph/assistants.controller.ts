import { Body, Controller, Get, HttpCode, Param, Post } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Access } from '../../auth/access.decorator.js';
import { isObject } from '../../kernel/json/json.js';
import { AgentModels } from '../base/agent-models.js';
import type { AgentModel } from '../base/agent-models.js';
import { assistantNotFound } from './errors.js';

const BEGINNING = new Date(0).toISOString();

/** The state of the server, and its agents as assistants. */
@ApiExcludeController()
@Access('chat')
@Controller('langgraph')
export class AssistantsController {
  constructor(private readonly models: AgentModels) {}

  @Access('public')
  @Get('ok')
  ok(): object {
    return { ok: true };
  }

  @Access('public')
  @Get('info')
  info(): object {
    return { version: '0', flags: { assistants: true, crons: false, langsmith: false } };
  }

  @Post('assistants/search')
  @HttpCode(200)
  search(@Body() body: unknown): object[] {
    const { graph_id, limit = 10, offset = 0 } = isObject(body) ? body : {};
    const from = Number(offset) || 0;
    return this.models
      .list()
      .filter(({ id }) => typeof graph_id !== 'string' || graph_id === id)
      .slice(from, from + (Number(limit) || 10))
      .map(viewAssistant);
  }

  @Get('assistants/:assistant_id')
  get(@Param('assistant_id') assistant_id: string): object {
    const found = this.models.find(assistant_id);
    const agent = this.models.list().find(({ id }) => id === found?.agent);
    if (!agent) throw assistantNotFound(assistant_id);
    return { ...viewAssistant(agent), assistant_id };
  }
}

function viewAssistant({ id, description }: AgentModel): object {
  return {
    ...{ assistant_id: id, graph_id: id, name: id, description, version: 1 },
    ...{ config: {}, context: {}, metadata: {} },
    ...{ created_at: BEGINNING, updated_at: BEGINNING },
  };
}
