import { runAgentCode } from '../effects/agent-code.js';
import type { AgentRunOptions } from '../scope/agent-run-options.js';
import { HookCalls } from './hook-calls.js';
import { HookedContext } from './hooked-context.js';
import { JournaledContext } from './journaled-context.js';
import type { ContextParts } from './journaled-context.js';
import { makeResources } from './resources.js';
import { hookContext } from './hook-context.js';
import type { Agent } from '../../agents/agent.js';
import type { AgentIdentity } from '../../agents/agent-context.js';
import { Children } from '../children/children.js';
import { ToolEffect } from '../tool-call/tool.effect.js';
import { guardLongText } from '../guarding/guard-output.js';
import type { CompletingRecord } from '../journal/completes.js';
import { JournalMismatch } from '../journal/journal-mismatch.js';
import type { OpenApproval } from '../scope/open-work.js';
import type { ToolCall } from '../../protocol/message.js';
import type { AgentScope } from '../scope/agent-scope.js';
import { DeferredCall } from '../tool-call/deferred-call.js';
import type { ToolCallInput } from '../tool-call/tool-call-input.js';

/** Runs an agent's code. Returns its result once the agent has no child and no open call. */
export async function runAgent(
  scope: AgentScope,
  options: AgentRunOptions,
): Promise<string | void> {
  const { identity, path } = options;
  const agent = scope.run.services.agents.get(identity.type);
  const code = { agent_id: identity.id, interaction_id: identity.interaction_id };
  if (agent.resources) await runAgentCode(code, () => makeResources(scope, { agent, identity }));
  const children = new Children(scope, { parent: identity, runAgent });
  for (const call of scope.run.openWork.deferredCalls(identity.id))
    scope.defer(resumeDeferred(scope, call, { agent: identity, children }));
  const parts = { scope, ...options, children };
  const text = await runAgentCode(code, (fail) => runCode(agent, parts, fail));
  const unclaimed = scope.run.journal.firstUnclaimedOf(path);
  if (unclaimed && !scope.signal.aborted) return mismatch(scope, unclaimed);
  await children.stop();
  await scope.deferredDone();
  return typeof text === 'string' ? guarded(scope, identity, text) : undefined;
}

/** Calls the agent's function and its hooks. */
async function runCode(
  agent: Agent,
  parts: ContextParts,
  fail: (error: unknown) => void,
): Promise<string | void> {
  const all = [...parts.scope.run.services.hooks.all, agent];
  if (!HookCalls.areIn(all)) return runAndClose(agent, new JournaledContext(parts));
  const { conversation, scope } = parts;
  const hooks = new HookCalls({ hooks: all, conversation, fail, signal: scope.signal });
  const context = new HookedContext(parts, hooks);
  if (!hooks.open(hookContext(context, scope))) return new Promise(() => {});
  const text = await runAndClose(agent, context);
  return hooks.close(text) ? text : new Promise(() => {});
}

async function runAndClose(agent: Agent, context: JournaledContext): Promise<string | void> {
  const text = await agent.run(context);
  context.close();
  return text;
}

async function guarded(scope: AgentScope, agent: AgentIdentity, said: string): Promise<string> {
  const { text, remarks } = await guardLongText(scope.run, agent, said);
  if (remarks.length > 0) await scope.append(remarks);
  return text;
}

/** The error of an agent that returned before a step that the log contains. */
function mismatch(scope: AgentScope, unclaimed: CompletingRecord): Promise<never> {
  scope.run.fail(new JournalMismatch(unclaimed, 'nothing there'));
  return new Promise(() => {});
}

/** Resumes a call that the agent deferred in an earlier run. */
function resumeDeferred(
  scope: AgentScope,
  approval: OpenApproval,
  owner: Pick<ToolCallInput, 'agent' | 'children'>,
): DeferredCall {
  const { key, approval_id, tool_call_id: id, tool_name: name, tool_input } = approval;
  const call: ToolCall = { id, type: 'function', function: { name, arguments: tool_input } };
  const nest = (inner: ToolCallInput) => new ToolEffect(scope, inner);
  const input = { ...owner, key, call, nest };
  const started = approval.started_in === undefined ? undefined : approval;
  const declared = scope.run.journal.findProgress(key, 'APPROVAL_REQUIRED')?.hidden?.declared;
  return new DeferredCall(scope, { input, approval_id, tool_input, declared, started });
}
