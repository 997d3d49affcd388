import type { AgentIdentity } from '../agents/agent-context.js';
import type { Agent } from '../agents/agent.js';
import type { Conversation } from '../agents/runtime/conversation.js';
import { DeferredCall } from '../agents/runtime/deferred-call.js';
import { RunContext } from '../agents/runtime/run-context.js';
import type { RunScope } from '../agents/runtime/run-scope.js';
import type { ToolCall } from '../protocol/message.js';
import type { OpenApproval, RunState } from './run-state.js';

const ROOT_PATH = 'main';

/** The agent that answers an interaction's message, and the calls that it went on without. */
export class RootAgent {
  private readonly identity: AgentIdentity;

  constructor(
    private readonly scope: RunScope,
    private readonly state: RunState,
    private readonly conversation: Conversation,
  ) {
    const { id: interaction_id, chat_id, agent, metadata } = scope.interaction;
    const id = state.rootAgentId;
    this.identity = { id, type: agent, parent_id: null, chat_id, interaction_id, metadata };
  }

  /** Answers what the agent returned, once no call is open any more. */
  async run(agent: Agent): Promise<string | void> {
    for (const deferred of this.state.deferredCalls()) this.takeUp(deferred);
    const { identity, conversation } = this;
    const options = { agent: identity, path: ROOT_PATH, conversation };
    const text = await agent.run(new RunContext(this.scope, options));
    await this.scope.deferredSettled();
    return text;
  }

  private takeUp(open: OpenApproval): void {
    const { key, approval_id, tool_call_id: id, tool_name: name, tool_input } = open;
    const call: ToolCall = { id, type: 'function', function: { name, arguments: tool_input } };
    const input = { key, agent: this.identity, call };
    const started = open.started_in !== undefined;
    this.scope.defer(new DeferredCall(this.scope, { input, approval_id, tool_input, started }));
  }
}
