import { Controller, Get, Param, Req } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request } from 'express';
import { Access } from '../../../auth/access.decorator.js';
import { Config } from '../../../config/config.js';
import { AgentModels } from '../../base/agent-models.js';
import { agentCardOf } from './agent-card.js';
import { agentNotFound } from './agent-not-found.js';

@ApiExcludeController()
@Access('public')
@Controller()
export class AgentCardController {
  constructor(
    private readonly models: AgentModels,
    private readonly config: Config,
  ) {}

  @Get('.well-known/agent-card.json')
  showDefault(@Req() request: Request): object {
    return this.show(this.config.defaultAgent, request);
  }

  @Get('a2a/:agent/.well-known/agent-card.json')
  show(@Param('agent') name: string, @Req() request: Request): object {
    const agent = this.models.list().find(({ id }) => id === name);
    if (!agent) throw agentNotFound(name);
    const needsCredential = !this.config.auth.includes('none');
    return agentCardOf(agent, { base: baseOf(request), needsCredential });
  }
}

/** A proxy that ends TLS says so; the host is one of `ALLOWED_HOSTS`. */
function baseOf(request: Request): string {
  const isSecure = request.get('x-forwarded-proto')?.split(',', 1)[0]?.trim() === 'https';
  const protocol = isSecure ? 'https' : request.protocol;
  return `${protocol}://${request.get('host') ?? 'localhost'}${request.baseUrl}`;
}
