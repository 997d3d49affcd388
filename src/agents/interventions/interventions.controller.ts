import { Body, Controller, HttpCode, Param, Post } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { Caller } from '../../auth/caller.decorator.js';
import type { Principal } from '../../auth/principal.js';
import { Access } from '../../auth/access.decorator.js';
import { ProblemDto } from '../../http/errors/problem.dto.js';
import { AgentIdDto } from '../tree/dto/agent-queries.dto.js';
import { InterveneDto, InterventionAcceptedDto } from './dto/intervene.dto.js';
import { InterventionsService } from './interventions.service.js';

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
  @ApiResponse({ status: 202, type: InterventionAcceptedDto })
  @ApiResponse({ status: 400, type: ProblemDto })
  @ApiResponse({ status: 404, type: ProblemDto })
  @ApiResponse({ status: 409, type: ProblemDto, description: 'The agent has ended.' })
  @ApiResponse({ status: 429, type: ProblemDto })
  intervene(
    @Caller() caller: Principal,
    @Param() { agent_id }: AgentIdDto,
    @Body() body: InterveneDto,
  ): Promise<InterventionAcceptedDto> {
    return this.interventions.intervene(caller, agent_id, body);
  }
}
