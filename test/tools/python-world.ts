import { Interpreters } from '../../src/tools/python/interpreters.js';
import { PythonTool } from '../../src/tools/python/python.tool.js';
import { ToolOutput } from '../../src/tools/core/tool-output.js';
import type { ToolContext } from '../../src/tools/core/tool.js';
import { PYTHON_FOLDER } from '../support/tools/python-folder.js';
import { toolContext } from '../../src/testing/tool-context.js';

const LIMITS = { toolTimeoutMs: 60_000, toolOutputLimit: 30_000 };

/** A Python tool with interpreters of its own, run without a server. */
export class PythonWorld {
  readonly interpreters: Interpreters;
  readonly tool: PythonTool;
  private calls = 0;

  constructor(memory_mb = 128, limits = LIMITS) {
    const python = {
      pythonMemoryMb: memory_mb,
      pythonTotalMb: 32 * memory_mb,
      dataDir: PYTHON_FOLDER,
    };
    this.interpreters = new Interpreters(python);
    this.tool = new PythonTool(this.interpreters, limits, python);
  }

  async run(code: string, context: Partial<ToolContext> = {}): Promise<ToolOutput> {
    const tool_call_id = `call_${++this.calls}`;
    return this.tool.execute({ code }, toolContext({ tool_call_id, ...context }));
  }

  close(): Promise<void> {
    return this.interpreters.onModuleDestroy();
  }
}
