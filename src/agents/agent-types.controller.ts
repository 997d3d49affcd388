import { Controller, Get } from '@nestjs/common';
import {
  ApiOperation,
  ApiProperty,
  ApiPropertyOptional,
  ApiResponse,
  ApiTags,
} from '@nestjs/swagger';
import { Access } from '../auth/access.decorator.js';
import { Caller } from '../auth/caller.decorator.js';
import type { Principal } from '../auth/principal.js';
import { NeedsNoStore } from '../http/security/needs-no-store.js';
import { AgentRegistry } from './agent-registry.js';
import type { RegisteredAgent } from './agent-registry.js';
import { AgentFiles } from './files/agent-files.js';

class AgentTypeDto {
  @ApiProperty({ example: 'react' })
  readonly name: string;

  @ApiProperty()
  readonly description: string;

  @ApiProperty({
    type: String,
    nullable: true,
    example: 'agents/reviewer.md',
    description: 'The file that says so; null: it is code',
  })
  readonly source: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    example: 'openai/gpt-5-mini',
    description: 'What it runs with unless a start says otherwise; null: the server’s',
  })
  readonly model: string | null;

  @ApiProperty({ type: Number, nullable: true })
  readonly max_iterations: number | null;
}

class AgentFileFaultDto {
  @ApiProperty({ example: 'agents/reviewer.md' })
  readonly file: string;

  @ApiProperty({ minimum: 1 })
  readonly line: number;

  @ApiProperty()
  readonly message: string;
}

class AgentTypeListDto {
  @ApiProperty({ type: [AgentTypeDto] })
  readonly items: readonly AgentTypeDto[];

  @ApiPropertyOptional({
    type: [AgentFileFaultDto],
    description:
      'Why files of AGENTS_DIR are not among them, or not as they are now; for the scope `operate`',
  })
  readonly faults?: readonly AgentFileFaultDto[];
}

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
  @ApiResponse({ status: 200, type: AgentTypeListDto })
  list(@Caller() { scopes }: Principal): AgentTypeListDto {
    const items = this.agents.list().map(toDto);
    return scopes.has('operate') ? { items, faults: this.files.faults } : { items };
  }
}

function toDto({ type, source }: RegisteredAgent): AgentTypeDto {
  const { name, description, model, max_iterations } = type;
  const given = { model: model ?? null, max_iterations: max_iterations ?? null };
  return { name, description, source: source ?? null, ...given };
}
