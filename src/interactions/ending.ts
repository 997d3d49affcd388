import { deferredNote } from '../agents/runtime/deferred-call.js';
import { decisionOf } from '../agents/runtime/decision.js';
import type { Settlement } from '../log/request-rows.js';
import type { Entry } from '../log/run-log.js';
import type { EventError, StoppedEffect } from '../protocol/events.js';
import type { FinalStatus } from '../protocol/interaction.js';
import { AppError } from '../kernel/app-error.js';
import { toErrorText } from '../tools/to-text.js';
import type { OpenCall, RunState } from './run-state.js';

/** Bounds what an agent's error puts into the log, in characters. */
const MAX_MESSAGE = 10_000;

/** How an interaction ends, before it is written. */
export interface Ending {
  readonly status: FinalStatus;
  readonly error: EventError | null;
  /** The last append, `interaction_complete` last. */
  readonly entries: readonly Entry[];
}

const CANCELLED_VERDICT = { kind: 'approval', approved: false, by: 'cancel' } as const;

export interface EndingContext {
  readonly state: RunState;
  /** Tool calls that may still be running. */
  readonly unstoppable: ReadonlySet<string>;
  /** What a request came to before the end, if anything. */
  readonly settlementOf: (requestId: string) => Settlement | undefined;
  readonly epoch: number;
  readonly newBlockId: () => string;
}

/** The agent returned; `text` is what it returned. */
export function completed(context: EndingContext, text: string | void): Ending {
  const isNew = typeof text === 'string' && text !== '' && text !== context.state.lastAnswer;
  return finish(context, { status: 'COMPLETED', error: null }, [
    ...(isNew ? [answer(context, { block_id: context.newBlockId(), content: text })] : []),
    ...closeCalls(context, 'The agent finished before this tool call did.'),
  ]);
}

export function failed(context: EndingContext, cause: unknown): Ending {
  const error = toEventError(cause);
  return finish(context, { status: 'FAILED', error }, [
    ...closeCalls(context, 'The run failed before this tool call finished.'),
    entry(context, { type: 'ERROR', ...error }),
  ]);
}

export interface Cancelled {
  readonly reason: string;
  /** What readers have seen of the answer. */
  readonly shown?: { readonly block_id: string; readonly content: string };
  /** Model requests that were aborted, by model. */
  readonly models: readonly string[];
}

export function cancelled(context: EndingContext, { reason, shown, models }: Cancelled): Ending {
  const stopped: StoppedEffect[] = [
    ...models.map((name): StoppedEffect => ({ kind: 'model', name, state: 'stopped' })),
    ...startedCalls(context).map((call) => stoppedCall(call, context)),
  ];
  return finish(context, { status: 'CANCELLED', error: null }, [
    ...(shown ? [answer(context, { ...shown, partial: true })] : []),
    ...closeCalls(context, 'Cancelled.'),
    entry(context, { type: 'CANCELLED', reason, stopped }),
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

function entry({ state }: EndingContext, body: Entry['body'], hidden?: unknown): Entry {
  return { agent_id: state.rootAgentId, key: null, body, hidden };
}

function answer(
  context: EndingContext,
  content: { block_id: string; content: string; partial?: true },
): Entry {
  return entry(context, { type: 'ANSWER', ...content }, { standalone: true });
}

/** Every call gets a result, whatever happened (I8). */
function closeCalls(context: EndingContext, why: string): Entry[] {
  return [
    ...closeApprovals(context),
    ...closeToolCalls(context, why),
    ...closeDeferred(context, why),
  ];
}

/** What an agent went on without is over too. */
function closeDeferred(context: EndingContext, why: string): Entry[] {
  return context.state.deferredCalls().map(({ tool_call_id: id, ...call }) => {
    const outcome = `${why} ${whatHappened({ id, ...call }, context)}`;
    return deferredNote({ ...call, id }, outcome);
  });
}

function closeApprovals({ state, settlementOf }: EndingContext): Entry[] {
  const undecided = [...state.openApprovals.values()].filter(({ isDecided }) => !isDecided);
  return undecided.map(({ key, agent_id, approval_id, tool_call_id }) => {
    const settlement = settlementOf(approval_id);
    const verdict = settlement?.kind === 'approval' ? settlement : CANCELLED_VERDICT;
    return { agent_id, key, body: decisionOf(verdict, { approval_id, tool_call_id }) };
  });
}

function closeToolCalls(context: EndingContext, why: string): Entry[] {
  return [...context.state.openCalls.values()].map((call) => ({
    agent_id: call.agent_id,
    key: call.key,
    body: {
      type: 'TOOL_RESULT',
      id: call.id,
      tool_name: call.tool_name,
      tool_output: `${why} ${whatHappened(call, context)}`,
      is_error: true,
      duration_ms: 0,
    },
  }));
}

function whatHappened(
  { id, started_in }: Pick<OpenCall, 'id' | 'started_in'>,
  { epoch, unstoppable }: EndingContext,
): string {
  if (started_in === undefined) return 'The tool was not started.';
  if (unstoppable.has(id)) return 'The tool was told to stop and did not: it may still be running.';
  if (started_in === epoch)
    return 'The tool was stopped while it ran; part of its effect may have taken place.';
  return 'The server that ran the tool was lost; it is unknown whether its effect took place.';
}

/** What was running, whether or not its agent waits for it. */
function startedCalls({ state }: EndingContext): Omit<OpenCall, 'key' | 'agent_id'>[] {
  const deferred = state.deferredCalls().map(({ tool_call_id: id, ...call }) => ({ ...call, id }));
  return [...state.openCalls.values(), ...deferred].filter(
    ({ started_in }) => started_in !== undefined,
  );
}

function stoppedCall(
  { id, tool_name: name, started_in }: Omit<OpenCall, 'key' | 'agent_id'>,
  { epoch, unstoppable }: EndingContext,
): StoppedEffect {
  const isStopped = started_in === epoch && !unstoppable.has(id);
  return { kind: 'tool', id, name, state: isStopped ? 'stopped' : 'unknown' };
}

function toEventError(cause: unknown): EventError {
  const message = toErrorText(cause).slice(0, MAX_MESSAGE);
  if (cause instanceof AppError) return { code: cause.code, message };
  return { code: 'agent_error', message: `The agent failed: ${message}` };
}
