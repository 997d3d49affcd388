import { Controller, Get } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { Access } from '../auth/access.decorator.js';
import { Caller } from '../auth/caller.decorator.js';
import type { Principal } from '../auth/principal.js';
import { NeedsNoStore } from '../http/security/needs-no-store.js';
import { AgentRegistry } from './agent-registry.js';
import type { RegisteredAgent } from './agent-registry.js';
import { AgentFiles } from './files/agent-files.js';
import { agentTypeList } from './listed-types.js';
import type { AgentTypeList, ListedType } from './listed-types.js';
import { ApiAnswer } from '../http/openapi/answer.js';

@ApiTags('agents')
@NeedsNoStore()
@Access('chat')
@Controller('agent-types')
export class AgentTypesController {
  constructor(
    private readonly agents: AgentRegistry,
    private readonly files: AgentFiles,
  ) {}

  @Get()
  @ApiOperation({ summary: 'The kinds of agents there are' })
  @ApiAnswer(200, agentTypeList)
  list(@Caller() { scopes }: Principal): AgentTypeList {
    const items = this.agents.list().map(viewType);
    return scopes.has('operate') ? { items, faults: this.files.faults } : { items };
  }
}

function viewType({ type, source }: RegisteredAgent): ListedType {
  const { name, description, model, max_iterations } = type;
  const given = { model: model ?? null, max_iterations: max_iterations ?? null };
  return { name, description, source: source ?? null, ...given };
}
