import { AsyncResource } from 'node:async_hooks';
import { AppError } from '../../kernel/app-error.js';
import { Resources } from '../../tools/core/resources.js';
import { toErrorText } from '../../tools/core/to-text.js';
import type { AgentIdentity } from '../../agents/agent-context.js';
import type { Agent } from '../../agents/agent.js';
import type { AgentScope } from '../scope/agent-scope.js';
import { untilAborted, doneWithin } from '../../kernel/async/promises.js';

/**
 * Timeout for an agent to make its resources, in milliseconds; less than UNCLAIMED_MS of the
 * journal.
 */
export const MAKE_MS = 30_000;

/**
 * Calls an agent's `resources`. Its result is disposed of when the agent has stopped and none of
 * its work runs any more. Never settles if the agent is stopped meanwhile.
 * @throws AppError `resources_failed`
 */
export async function makeResources(
  scope: AgentScope,
  { agent, identity }: { readonly agent: Agent; readonly identity: AgentIdentity },
): Promise<void> {
  const objects = new OwnedObjects((error) => warn(scope, identity, error));
  scope.addCleanup(AsyncResource.bind(() => objects.dispose()));
  const time = new AbortController();
  const late = `They were not there within ${MAKE_MS / 1000} s.`;
  const timer = setTimeout(() => time.abort(new Error(late)), MAKE_MS);
  const signal = AbortSignal.any([scope.signal, time.signal]);
  const made = make(agent, { identity, signal, objects });
  // partly made resources are disposed of once making has ended
  scope.track(untilAborted(made, time.signal).then(noop, noop));
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
  { run }: AgentScope,
  { id, interaction_id, type }: AgentIdentity,
  error: unknown,
): void {
  const message = `${interaction_id}: what ${id} (${type}) had as resources could not be disposed of: ${toErrorText(error)}`;
  run.services.logger.warn({ message, err: error });
}

function noop(): void {}

/** Timeout for the disposal of one object, in milliseconds. */
export const DISPOSE_MS = 5_000;

type Dispose = () => unknown;

/** Objects to dispose of, each once. */
class OwnedObjects {
  private readonly owned = new Map<unknown, Dispose>();
  private isOver = false;

  /** @param onFault receives the errors of disposals */
  constructor(private readonly onFault: (error: unknown) => void) {}

  /**
   * `dispose`: disposal function, unless the object is disposable itself. An object that arrives
   * too late is disposed of at once.
   */
  add<T>(object: T, dispose?: (object: T) => unknown): T {
    const how = dispose ? () => dispose(object) : findDispose(object);
    if (!how || (this.owned.has(object) && !dispose)) return object;
    this.owned.set(object, how);
    if (this.isOver) void this.dispose();
    return object;
  }

  /** Adds the value itself if it is disposable, else its members. */
  addAll(value: unknown): void {
    if (findDispose(value)) this.add(value);
    else for (const member of Object.values(Object(value) as object)) this.add(member);
  }

  /** Disposes of the latest first, as each may use earlier ones. Never rejects. */
  async dispose(): Promise<void> {
    this.isOver = true;
    const latestFirst = [...this.owned.values()].reverse();
    this.owned.clear();
    for (const dispose of latestFirst) await this.disposeOne(dispose);
  }

  private async disposeOne(dispose: Dispose): Promise<void> {
    try {
      const done = (async () => dispose())();
      if (!(await doneWithin(done, DISPOSE_MS)))
        throw new Error(`An object was not disposed of within ${DISPOSE_MS / 1000} s.`);
    } catch (error) {
      this.onFault(error);
    }
  }
}

function findDispose(object: unknown): Dispose | undefined {
  if (typeof object !== 'object' || object === null) return undefined;
  const { [Symbol.asyncDispose]: later, [Symbol.dispose]: now } = object as Partial<
    AsyncDisposable & Disposable
  >;
  const dispose = later ?? now;
  return dispose && (() => dispose.call(object));
}
