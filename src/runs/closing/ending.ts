import type { Entry } from '../../event-log/append/run-log.js';
import type { Decider, EventError, RecordOf, StoppedEffect } from '../../protocol/events.js';
import type { FinalStatus } from '../../protocol/interaction.js';
import { closeAgents, closeAnswered, closeCalls } from './close-calls.js';
import type { OpenAgent, OpenCall } from '../scope/open-work.js';
import type { ShownText } from '../scope/running.js';
import type { ClosingContext } from './closing-context.js';

/** The end of an interaction, before it is written. */
export interface Ending {
  readonly status: FinalStatus;
  readonly error: EventError | null;
  /** The last append; `interaction_complete` is its last entry. */
  readonly entries: readonly Entry[];
  /** Set if the cause is a bug: the thrown value. */
  readonly fault?: { readonly thrown: unknown };
}

export interface EndingContext extends ClosingContext {
  readonly newBlockId: () => string;
  /** The block of the last answer, in whose place a returned text stands. */
  readonly answerBlock?: string | undefined;
}

/** `text`: the return value of the agent. */
export function completed(context: EndingContext, text: string | void): Ending {
  const isNew = typeof text === 'string' && text !== '' && text !== context.state.lastAnswer;
  return finish(context, { status: 'COMPLETED', error: null }, [
    ...(isNew ? [returned(context, text)] : []),
    ...closeAll(context, 'The agent finished before this tool call did.'),
  ]);
}

function returned(context: EndingContext, content: string): Entry {
  const replaces = context.answerBlock;
  const block_id = context.newBlockId();
  return answer(context, { block_id, content, ...(replaces !== undefined && { replaces }) });
}

/** `error`: as shown to models and people. */
export function failed(context: EndingContext, error: EventError): Ending {
  return finish(context, { status: 'FAILED', error }, [
    ...closeAll(context, 'The run failed before this tool call finished.'),
    entry(context, { type: 'ERROR', ...error }),
  ]);
}

export interface CancelledAnswer {
  /** The part of the answer that readers have seen, or that the user has heard. */
  readonly shown?: ShownText & { readonly heard_ms?: number };
  /** The block of the whole answer, if that is in the log. */
  readonly replaces?: string;
}

interface Cancelled extends CancelledAnswer {
  readonly reason: string;
  readonly by: Decider;
  /** Model requests that were aborted, by model. */
  readonly models: readonly string[];
  /** The interventions that caused the end. */
  readonly told?: readonly Entry[];
}

export function cancelled(
  context: EndingContext,
  { reason, by, shown, replaces, models, told = [] }: Cancelled,
): Ending {
  const stopped: StoppedEffect[] = [
    ...context.state.openAgents().map(stoppedAgent),
    ...models.map((name): StoppedEffect => ({ kind: 'model', name, state: 'stopped' })),
    ...startedCalls(context).map((call) => stoppedCall(call, context)),
    ...leftCalls(context),
  ];
  return finish(context, { status: 'CANCELLED', error: null }, [
    ...(shown
      ? [answer(context, { ...shown, partial: true, ...(replaces !== undefined && { replaces }) })]
      : []),
    ...told,
    ...closeAll(context, 'Cancelled.'),
    entry(context, { type: 'CANCELLED', reason, by, stopped }),
  ]);
}

function finish(
  context: EndingContext,
  { status, error }: Pick<Ending, 'status' | 'error'>,
  before: readonly Entry[],
): Ending {
  const entries = [...before, entry(context, { type: 'INTERACTION_COMPLETE', status })];
  return { status, error, entries };
}

function entry({ state }: EndingContext, body: Entry['body']): Entry {
  return { agent_id: state.rootAgentId, key: null, body };
}

function answer(context: EndingContext, content: Omit<RecordOf<'ANSWER'>, 'type'>): Entry {
  const agent_id = context.state.rootAgentId;
  const body = { type: 'ANSWER', ...content } as const;
  return { agent_id, key: null, body, hidden: { standalone: true } };
}

function closeAll(context: EndingContext, why: string): Entry[] {
  const agents = context.state.openAgents();
  return [
    ...closeAnswered(context),
    ...closeCalls(context, why),
    ...closeAgents(agents, 'The interaction has ended.'),
  ];
}

/** Agent code runs only in its run, so it has stopped; only tools can still be running. */
function stoppedAgent({ agent_id: id, agent_type: name }: OpenAgent): StoppedEffect {
  return { kind: 'agent', id, name, state: 'stopped' };
}

/** Calls that were running, including those that no agent waits for. */
function startedCalls({ state }: EndingContext): Omit<OpenCall, 'key' | 'agent_id'>[] {
  const deferred = state.deferredCalls().map(({ tool_call_id: id, ...call }) => ({ ...call, id }));
  return [...state.openCalls.values(), ...deferred].filter(
    ({ started_in }) => started_in !== undefined,
  );
}

/**
 * Calls that have a result, or were started again since, and whose first execution may still be
 * running (I7): it did not stop on request, or its process was lost.
 */
function leftCalls(context: EndingContext): StoppedEffect[] {
  const { state, unstoppable } = context;
  const left = new Map(unstoppable);
  for (const { id, tool_name } of state.lostCalls.values()) left.set(id, tool_name);
  for (const { id } of startedCalls(context)) left.delete(id);
  return [...left].map(([id, name]) => ({ kind: 'tool', id, name, state: 'unknown' }));
}

function stoppedCall(
  { id, tool_name: name, started_in, isCleared }: Omit<OpenCall, 'key' | 'agent_id'>,
  { epoch, unstoppable }: EndingContext,
): StoppedEffect {
  const isStopped = isCleared === true || (started_in === epoch && !unstoppable.has(id));
  return { kind: 'tool', id, name, state: isStopped ? 'stopped' : 'unknown' };
}
