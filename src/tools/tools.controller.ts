import { Controller, Get } from '@nestjs/common';
import { ApiOperation, ApiProperty, ApiResponse, ApiTags } from '@nestjs/swagger';
import { exactJson, parseWithDigits } from '../kernel/json/exact-json.js';
import { Access } from '../auth/access.decorator.js';
import { Caller } from '../auth/caller.decorator.js';
import type { Principal } from '../auth/principal.js';
import { NeedsNoStore } from '../http/security/needs-no-store.js';
import { ToolRegistry } from './core/tool-registry.js';
import { ToolServerDto, toServerDto, withoutProblem } from './tool-server.dto.js';
import type { ToolPolicy, ToolRetries } from './core/tool.js';

class ToolRetriesDto implements ToolRetries {
  @ApiProperty({ description: 'How often at most.' })
  readonly times: number;

  @ApiProperty({ description: 'Milliseconds before the first; twice as long before each other.' })
  readonly backoff_ms: number;
}

class ToolPolicyDto implements ToolPolicy {
  @ApiProperty({ enum: ['read', 'write', 'execute', 'network', 'compute', 'human', 'agent'] })
  readonly category: ToolPolicy['category'];

  @ApiProperty({ description: 'It changes nothing.' })
  readonly read_only: boolean;

  @ApiProperty({ enum: ['low', 'medium', 'high'] })
  readonly risk: ToolPolicy['risk'];

  @ApiProperty({
    enum: ['rerun', 'replay', 'report'],
    description: 'What happens to a call that was running when the server was lost.',
  })
  readonly recovery: ToolPolicy['recovery'];

  @ApiProperty({
    type: ToolRetriesDto,
    required: false,
    description: 'A call that failed in a way that may pass is run again.',
  })
  readonly retries?: ToolRetriesDto;
}

type JsonSchema = Readonly<Record<string, unknown>>;

class ToolDto {
  @ApiProperty({ example: 'calculator' })
  readonly name: string;

  @ApiProperty()
  readonly description: string;

  @ApiProperty({ type: Object, description: 'JSON Schema of its input.' })
  readonly input_schema: JsonSchema;

  @ApiProperty({ enum: ['read', 'write', 'execute', 'network', 'compute', 'human', 'agent'] })
  readonly category: ToolPolicy['category'];

  @ApiProperty({ type: ToolPolicyDto })
  readonly policy: ToolPolicyDto;
}

class ToolListDto {
  @ApiProperty({ type: [ToolDto], description: 'By name.' })
  readonly items: readonly ToolDto[];

  @ApiProperty({ type: [ToolServerDto], description: 'Where tools come from that can fail.' })
  readonly servers: readonly ToolServerDto[];
}

@ApiTags('tools')
@NeedsNoStore()
@Access('chat')
@Controller('tools')
export class ToolsController {
  constructor(private readonly registry: ToolRegistry) {}

  @Get()
  @ApiOperation({ summary: 'The tools that agents can call' })
  @ApiResponse({ status: 200, type: ToolListDto })
  list(@Caller() { scopes }: Principal): ToolListDto {
    const tools = this.registry.list().map(({ name, policy }) => {
      const definition = this.registry.definitions([name])[0]!;
      // numbers that clients could not read are texts
      const input_schema = parseWithDigits(exactJson(definition.input_schema)) as JsonSchema;
      return { ...definition, input_schema, category: policy.category, policy };
    });
    const show = scopes.has('operate') ? toServerDto : withoutProblem;
    return { items: tools, servers: this.registry.servers().map(show) };
  }
}
