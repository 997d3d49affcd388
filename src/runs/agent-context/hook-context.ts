import type { AgentContext } from '../../agents/agent-context.js';
import type { HookContext } from '../../agents/agent-hooks.js';
import { customBody } from '../effects/emit.effect.js';
import { guardJson } from '../guarding/guard-output.js';
import type { AgentScope } from '../scope/agent-scope.js';
import { outsideAgentCode } from '../effects/agent-code.js';

/**
 * The context of an agent as its hooks have it. Their events are no steps, so that hooks may change
 * while an agent runs: they are told apart by their number.
 */
export function hookContext(context: AgentContext, scope: AgentScope): HookContext {
  const { agent } = context;
  let left = scope.run.hookEvents.get(agent.id) ?? 0;
  const emit = (name: string, data: unknown): void => {
    const body = customBody(name, data);
    if (left-- > 0) return; // an earlier run has sent it
    const { value, remarks } = guardJson(scope.run, agent, body.data);
    const hidden = { of_hook: true } as const;
    const entry = { agent_id: agent.id, key: null, body: { ...body, data: value }, hidden };
    scope.track(outsideAgentCode(() => scope.append([...remarks, entry])).then(() => {}));
  };
  return Object.create(context, { emit: { value: emit } }) as HookContext;
}
