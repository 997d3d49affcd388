import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { Caller } from '../../auth/caller.decorator.js';
import type { Principal } from '../../auth/principal.js';
import { ProblemDto } from '../../http/errors/problem.dto.js';
import { AgentTreeService } from './agent-tree.service.js';
import type { InteractionTree, WholeAgent } from './agent-tree.service.js';
import { AgentIdDto, TreeQueryDto } from './dto/agent-queries.dto.js';
import { AgentTreeDto, WholeAgentDto } from './dto/agent.dto.js';

@ApiTags('agents')
@Controller('agents')
export class AgentsController {
  constructor(private readonly trees: AgentTreeService) {}

  @Get('tree')
  @ApiOperation({
    summary: 'The agents of an interaction, without their messages',
    description: 'Live while it runs, and for as long as its log is kept.',
  })
  @ApiResponse({ status: 200, type: AgentTreeDto })
  @ApiResponse({ status: 400, type: ProblemDto })
  @ApiResponse({ status: 404, type: ProblemDto })
  tree(@Caller() caller: Principal, @Query() query: TreeQueryDto): Promise<InteractionTree> {
    return this.trees.tree(caller, query);
  }

  @Get(':agent_id')
  @ApiOperation({ summary: 'One agent with its messages' })
  @ApiResponse({ status: 200, type: WholeAgentDto })
  @ApiResponse({ status: 404, type: ProblemDto })
  agent(@Caller() caller: Principal, @Param() { agent_id }: AgentIdDto): Promise<WholeAgent> {
    return this.trees.agent(caller, agent_id);
  }
}
