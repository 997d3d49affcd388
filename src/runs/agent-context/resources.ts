import { AsyncResource } from 'node:async_hooks';
import { AppError } from '../../kernel/app-error.js';
import { Resources } from '../../tools/resources.js';
import { toErrorText } from '../../tools/to-text.js';
import type { AgentIdentity } from '../../agents/agent-context.js';
import type { Agent } from '../../agents/agent.js';
import { OwnedObjects } from './owned-objects.js';
import type { AgentScope } from '../scope/agent-scope.js';
import { untilAborted } from '../scope/until-aborted.js';

/** How long an agent may take to make its resources, in milliseconds: less than a replay waits for a step that nobody asks for. */
export const MAKE_MS = 30_000;

/**
 * Makes what an agent's `resources` answers, which is disposed of when the agent was stopped and nothing of it runs any more. Never settles
 * when the agent is stopped meanwhile.
 * @throws AppError `resources_failed`
 */
export async function makeResources(
  scope: AgentScope,
  { agent, identity }: { readonly agent: Agent; readonly identity: AgentIdentity },
): Promise<void> {
  const objects = new OwnedObjects((error) => warn(scope, identity, error));
  scope.doLast(AsyncResource.bind(() => objects.dispose()));
  const time = new AbortController();
  const late = `They were not there within ${MAKE_MS / 1000} s.`;
  const timer = setTimeout(() => time.abort(new Error(late)), MAKE_MS);
  const signal = AbortSignal.any([scope.signal, time.signal]);
  const made = make(agent, { identity, signal, objects });
  scope.track(untilAborted(made, time.signal).then(noop, noop)); // what is made halfway is disposed of when that is over
  try {
    scope.resources = new Resources(await untilAborted(made, signal));
  } catch (error) {
    if (scope.signal.aborted) return new Promise(() => {});
    const message = `The resources of the agent "${identity.type}" could not be made: ${toErrorText(error)}`;
    throw new AppError('internal', 'resources_failed', message, { cause: error });
  } finally {
    clearTimeout(timer);
  }
}

interface MakingInput {
  readonly identity: AgentIdentity;
  readonly signal: AbortSignal;
  readonly objects: OwnedObjects;
}

async function make(agent: Agent, { identity, signal, objects }: MakingInput): Promise<unknown> {
  const own = <T>(object: T, dispose?: (object: T) => unknown): T => objects.add(object, dispose);
  const made = await agent.resources?.({ agent: identity, signal, own });
  objects.addAll(made);
  return made;
}

function warn(
  { services }: AgentScope,
  { id, interaction_id, type }: AgentIdentity,
  error: unknown,
): void {
  const message = `${interaction_id}: what ${id} (${type}) had as resources could not be disposed of: ${toErrorText(error)}`;
  services.logger.warn({ message, err: error });
}

function noop(): void {}
