import { Resources } from '../../../src/tools/core/resources.js';
import type { ToolContext } from '../../../src/tools/core/tool.js';

/** What a tool has that runs by itself, with nobody around. */
export function toolContext(more: Partial<ToolContext> = {}): ToolContext {
  return {
    interaction_id: 'int_1',
    chat_id: 'chat_1',
    chat_uid: 'uid_1',
    agent_id: 'agent_1',
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
    call_tool: () => Promise.resolve({ output: '', is_error: false }),
    earlier_output: () => Promise.resolve(undefined),
    now: () => Promise.resolve(0),
    ...more,
  };
}
