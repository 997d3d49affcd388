import { Controller, Get } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { exactJson, parseWithDigits } from '../kernel/json/exact-json.js';
import { Access } from '../auth/access.decorator.js';
import { Caller } from '../auth/caller.decorator.js';
import type { Principal } from '../auth/principal.js';
import { NeedsNoStore } from '../http/security/needs-no-store.js';
import { ToolRegistry } from './core/tool-registry.js';
import { toolList } from './listed-tools.js';
import type { ToolList } from './listed-tools.js';
import { viewServer, withoutProblem } from './view-server.js';
import type { Json } from '../protocol/json.js';
import { ApiAnswer } from '../http/openapi/answer.js';

@ApiTags('tools')
@NeedsNoStore()
@Access('chat')
@Controller('tools')
export class ToolsController {
  constructor(private readonly registry: ToolRegistry) {}

  @Get()
  @ApiOperation({ summary: 'The tools that agents can call' })
  @ApiAnswer(200, toolList)
  list(@Caller() { scopes }: Principal): ToolList {
    const tools = this.registry.list().map(({ name, policy }) => {
      const definition = this.registry.definitions([name])[0]!;
      // numbers that clients could not read are texts
      const input_schema = parseWithDigits(exactJson(definition.input_schema)) as Json;
      return { ...definition, input_schema, category: policy.category, policy };
    });
    const show = scopes.has('operate') ? viewServer : withoutProblem;
    return { items: tools, servers: this.registry.servers().map(show) };
  }
}
