import { Controller, Get } from '@nestjs/common';
import { ApiOperation, ApiProperty, ApiResponse, ApiTags } from '@nestjs/swagger';
import { NeedsNoStore } from '../http/needs-no-store.js';
import { AgentRegistry } from './agent-registry.js';

class AgentTypeDto {
  @ApiProperty({ example: 'react' })
  readonly name: string;

  @ApiProperty()
  readonly description: string;
}

class AgentTypeListDto {
  @ApiProperty({ type: [AgentTypeDto] })
  readonly items: readonly AgentTypeDto[];
}

@ApiTags('agents')
@NeedsNoStore()
@Controller('agent-types')
export class AgentTypesController {
  constructor(private readonly agents: AgentRegistry) {}

  @Get()
  @ApiOperation({ summary: 'The kinds of agents there are' })
  @ApiResponse({ status: 200, type: AgentTypeListDto })
  list(): AgentTypeListDto {
    return { items: this.agents.list() };
  }
}
