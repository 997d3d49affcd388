import type { Agent } from '../../agents/agent.js';
import { HookCalls } from './hook-calls.js';
import type { HookCallsOptions } from './hook-calls.js';
import { HookedContext } from './hooked-context.js';
import type { JournaledContext } from './journaled-context.js';

interface HookedAgent {
  readonly agent: Agent;
  readonly context: JournaledContext;
  readonly calls: HookCallsOptions;
}

/** Runs an agent's code, and calls its hooks if it has some. */
export async function runHooked({ agent, context, calls }: HookedAgent): Promise<string | void> {
  if (!HookCalls.areOf(agent)) return agent.run(context);
  const hooks = new HookCalls(calls);
  const hooked = new HookedContext(context, hooks);
  if (!hooks.open(hooked)) return new Promise(() => {});
  const text = await agent.run(hooked);
  return hooks.close(text) ? text : new Promise(() => {});
}
