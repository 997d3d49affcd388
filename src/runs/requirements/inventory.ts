import { Injectable } from '@nestjs/common';
import { AgentRegistry } from '../../agents/agent-registry.js';
import { ModelRegistry } from '../../models/model-registry.js';
import { ToolRegistry } from '../../tools/core/tool-registry.js';
import { Workspaces } from '../../workspace/workspaces.js';

/** The registries of a server that show what it has. */
@Injectable()
export class Inventory {
  constructor(
    readonly agents: AgentRegistry,
    readonly models: ModelRegistry,
    readonly tools: ToolRegistry,
    readonly workspaces: Workspaces,
  ) {}
}
