import { Resources } from '../../../src/tools/core/resources.js';
import { ToolWorkspace } from '../../../src/tools/files/tool-workspace.js';
import type { Workspaces } from '../../../src/workspace/workspaces.js';
import type { ToolContext } from '../../../src/tools/core/tool.js';

const NONE = new ToolWorkspace({
  workspaces: { use: () => Promise.reject(new Error('no workspace')) } as unknown as Workspaces,
  chat_uid: 'uid_1',
  maySee: () => Promise.resolve(() => true),
});

/** What a tool has that runs by itself, with nobody around. */
export function toolContext(more: Partial<ToolContext> = {}): ToolContext {
  return {
    interaction_id: 'int_1',
    chat_id: 'chat_1',
    chat_uid: 'uid_1',
    agent_id: 'agent_1',
    agent_type: 'react',
    parent_agent_id: null,
    turn: 1,
    metadata: {},
    workspace: NONE,
    tool_call_id: 'call_1',
    signal: new AbortController().signal,
    resources: new Resources(),
    output: () => {},
    started: () => Promise.resolve(),
    may_show: () => Promise.resolve(() => true),
    ask: () => Promise.resolve(null),
    tell: () => Promise.resolve(),
    run_agent: () => Promise.resolve(''),
    fork: () => Promise.resolve({ id: 'agent_test', type: 'react' }),
    wait: () => Promise.resolve(''),
    tell_agent: () => Promise.resolve(),
    call_tool: () => Promise.resolve({ output: '', is_error: false }),
    earlier_output: () => Promise.resolve(undefined),
    now: () => Promise.resolve(0),
    ...more,
  };
}
