import type { ToolCall } from '../../protocol/message.js';
import type { AgentIdentity, AgentSettings } from '../../agents/agent-context.js';
import type { CompletingRecord } from '../journal/completes.js';
import { JournalMismatch } from '../journal/journal-mismatch.js';
import { runAgentCode } from './agent-code.js';
import { Children } from '../children/children.js';
import type { Conversation } from '../../conversation/conversation.js';
import { DeferredCall } from '../tool-call/deferred-call.js';
import { guardText } from '../guarding/guard-text.js';
import type { OpenDeferredCall } from '../scope/leftovers.js';
import { makeResources } from './resources.js';
import { JournaledContext } from './journaled-context.js';
import { runHooked } from './run-hooked.js';
import type { AgentScope } from '../scope/agent-scope.js';
import type { ToolCallInput } from '../tool-call/tool-call-input.js';
import { ToolEffect } from '../effects/tool.effect.js';

export interface AgentRunOptions {
  readonly identity: AgentIdentity;
  /** The first part of its step keys. */
  readonly path: string;
  readonly conversation: Conversation;
  readonly settings: AgentSettings;
}

/** Runs an agent's code; answers what it returned, once it has no child and no open call any more. */
export async function runAgent(
  scope: AgentScope,
  options: AgentRunOptions,
): Promise<string | void> {
  const { identity } = options;
  const agent = scope.services.agents.get(identity.type);
  const code = { agent_id: identity.id, interaction_id: identity.interaction_id };
  if (agent.resources) await runAgentCode(code, () => makeResources(scope, { agent, identity }));
  const children = new Children(scope, { parent: identity, runAgent });
  for (const open of scope.leftovers.deferredCalls(identity.id))
    scope.defer(takeUp(scope, open, { agent: identity, children }));
  const context = new JournaledContext({ scope, ...options, children });
  const { conversation } = options;
  const text = await runAgentCode(code, (fail) =>
    runHooked({ agent, context, calls: { agent, conversation, fail, signal: scope.signal } }),
  );
  context.close();
  const unasked = scope.journal.findUnasked(options.path);
  if (unasked && !scope.signal.aborted) return mismatch(scope, unasked);
  await children.stop();
  await scope.deferredSettled();
  return typeof text === 'string' ? returned(scope, identity, text) : undefined;
}

/** What it returned, as readers get to see it. */
async function returned(scope: AgentScope, agent: AgentIdentity, said: string): Promise<string> {
  const { text, remarks } = guardText(scope, agent, said);
  if (remarks.length > 0) await scope.append(remarks);
  return text;
}

/** The agent returns before a step that it once took. */
function mismatch(scope: AgentScope, unasked: CompletingRecord): Promise<never> {
  scope.fail(new JournalMismatch(unasked, 'nothing there'));
  return new Promise(() => {});
}

/** A call that the agent went on without in an earlier run. */
function takeUp(
  scope: AgentScope,
  open: OpenDeferredCall,
  owner: Pick<ToolCallInput, 'agent' | 'children'>,
): DeferredCall {
  const { key, approval_id, tool_call_id: id, tool_name: name, tool_input } = open;
  const call: ToolCall = { id, type: 'function', function: { name, arguments: tool_input } };
  const nest = (inner: ToolCallInput) => new ToolEffect(scope, inner);
  const input = { ...owner, key, call, nest };
  return new DeferredCall(scope, {
    ...{ input, approval_id, tool_input },
    started: open.started_in !== undefined,
  });
}
