import { Resources } from '../tools/core/resources.js';
import { cutText } from '../kernel/text/cut-text.js';
import { ToolWorkspace } from '../tools/core/tool-workspace.js';
import type { ToolContext } from '../tools/core/tool.js';
import type { Workspaces } from '../workspace/workspaces.js';

const MISSING = 'This context has no workspace. Give `context` a `workspace` that has the files.';

/** The context of a tool that is called outside of a server; questions have no answer. */
export function toolContext(given: Partial<ToolContext> = {}): ToolContext {
  return {
    interaction_id: 'int_1',
    chat_id: 'chat_1',
    chat_uid: 'uid_1',
    agent_id: 'agent_1',
    agent_type: 'react',
    agent_description: 'Calls tools until it can answer.',
    parent_agent_id: null,
    turn: 1,
    metadata: {},
    tool_call_id: 'call_1',
    parent_tool_call_id: null,
    workspace: NO_WORKSPACE,
    signal: new AbortController().signal,
    resources: new Resources(),
    cut: cutText,
    output: () => {},
    started: async () => {},
    may_show: async () => () => true,
    ask: async () => null,
    tell: async () => {},
    emit: async () => {},
    set_metadata: async () => {},
    read_metadata: () => ({}),
    run_agent: async () => '',
    fork: async () => ({ id: 'agent_2', type: 'react' }),
    wait: async () => '',
    tell_agent: async () => {},
    call_tool: async () => ({ output: '', is_error: false }),
    earlier_output: async () => undefined,
    now: async () => 0,
    ...given,
  };
}

const NO_WORKSPACE = new ToolWorkspace({
  workspaces: { use: () => Promise.reject(new Error(MISSING)) } as unknown as Workspaces,
  chat_uid: 'uid_1',
  maySee: async () => () => true,
});
