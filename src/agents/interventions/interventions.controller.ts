import { Body, Controller, HttpCode, Param, Post } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { Caller } from '../../auth/caller.decorator.js';
import type { Principal } from '../../auth/principal.js';
import { Access } from '../../auth/access.decorator.js';
import { AgentIdDto } from '../tree/dto/agent-queries.dto.js';
import { InterveneDto } from './dto/intervene.dto.js';
import { InterventionsService } from './interventions.service.js';
import { ApiAnswer } from '../../http/openapi/answer.js';
import { acceptedIntervention } from '../../protocol/wire/agent.js';
import type { AcceptedIntervention } from '../../protocol/wire/agent.js';

@ApiTags('agents')
@Access('decide')
@Controller('agents')
export class InterventionsController {
  constructor(private readonly interventions: InterventionsService) {}

  @Post(':agent_id/intervene')
  @HttpCode(202)
  @ApiOperation({
    summary: 'Tell an agent something, change its task, or stop it',
    description:
      'Of any agent of a tree, while it runs or waits. `agent_intervened` says where it was taken in.',
  })
  @ApiAnswer(202, acceptedIntervention)
  @ApiResponse({ status: 400 })
  @ApiResponse({ status: 404 })
  @ApiResponse({ status: 409, description: 'The agent has ended.' })
  @ApiResponse({ status: 429 })
  intervene(
    @Caller() caller: Principal,
    @Param() { agent_id }: AgentIdDto,
    @Body() body: InterveneDto,
  ): Promise<AcceptedIntervention> {
    return this.interventions.intervene(caller, agent_id, body);
  }
}
