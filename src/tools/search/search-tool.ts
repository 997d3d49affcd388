import { Injectable } from '@nestjs/common';
import { Workspaces } from '../../workspace/workspaces.js';
import { ToolLimits } from '../core/tool-limits.js';
import { Tool } from '../core/tool.js';
import type { ToolPolicy } from '../core/tool.js';

/** Timeout of a search, in milliseconds. */
const MAX_MS = 30_000;

/** A tool that searches the chat's workspace. */
@Injectable()
export abstract class SearchTool<Input> extends Tool<Input> {
  readonly policy: ToolPolicy = {
    category: 'read',
    read_only: true,
    risk: 'low',
    recovery: 'rerun',
  };
  override readonly uses_workspace = true;
  override readonly timeout_ms: number;

  constructor(
    protected readonly workspaces: Workspaces,
    protected readonly limits: ToolLimits,
  ) {
    super();
    this.timeout_ms = Math.min(limits.toolTimeoutMs || MAX_MS, MAX_MS);
  }
}
