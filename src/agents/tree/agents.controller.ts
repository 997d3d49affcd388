import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { Caller } from '../../auth/caller.decorator.js';
import type { Principal } from '../../auth/principal.js';
import { Access } from '../../auth/access.decorator.js';
import { AgentTreeService } from './agent-tree.service.js';
import { AgentIdDto, TreeQueryDto } from './dto/agent-queries.dto.js';
import { ApiAnswer } from '../../http/openapi/answer.js';
import { refTo } from '../../protocol/wire/components.js';
import { agentTree, agentTreeList, wholeAgent } from '../../protocol/wire/agent.js';
import type { InteractionTree, TreePage, WholeAgent } from '../../protocol/wire/agent.js';

@ApiTags('agents')
@Access('chat')
@Controller('agents')
export class AgentsController {
  constructor(private readonly trees: AgentTreeService) {}

  @Get('tree')
  @ApiOperation({
    summary: 'The agents of an interaction, without their messages',
    description:
      'Live while it runs, and for as long as its log is kept. Without `chat_id` and `interaction_id`: a page of the trees of all interactions that run or wait for a person, oldest first.',
  })
  @ApiResponse({ status: 200, schema: { oneOf: [refTo(agentTree), refTo(agentTreeList)] } })
  @ApiResponse({ status: 400 })
  @ApiResponse({ status: 404 })
  tree(
    @Caller() caller: Principal,
    @Query() query: TreeQueryDto,
  ): Promise<InteractionTree | TreePage> {
    const { chat_id, interaction_id } = query;
    const isOne = chat_id !== undefined || interaction_id !== undefined;
    return isOne ? this.trees.tree(caller, query) : this.trees.running(caller, query);
  }

  @Get(':agent_id')
  @ApiOperation({ summary: 'One agent with its messages' })
  @ApiAnswer(200, wholeAgent)
  @ApiResponse({ status: 404 })
  agent(@Caller() caller: Principal, @Param() { agent_id }: AgentIdDto): Promise<WholeAgent> {
    return this.trees.agent(caller, agent_id);
  }
}
