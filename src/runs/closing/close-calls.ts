import { decisionOf, deferredNote } from './call-records.js';
import { deciderOf } from '../../protocol/events.js';
import type { Settlement } from '../../persistence/rows/request-rows.js';
import type { Entry } from '../../event-log/append/run-log.js';
import { STOPPED_WITH_SERVER } from '../../tools/core/tool-executor.js';
import type { OpenAgent, OpenCall, OpenQuestion } from '../scope/open-work.js';
import type { ClosingContext } from './closing-context.js';

/** Open work, by its agent and by the journal key of its step. */
export interface Owned {
  readonly agent_id: string;
  readonly key: string | null;
}

const BY_CANCEL = { by: deciderOf(null), cause: 'cancel' } as const;
const CANCELLED_VERDICT = { kind: 'approval', approved: false, ...BY_CANCEL } as const;

/** Gives every open call that is included a decision and a result (I8). */
export function closeCalls(
  context: ClosingContext,
  why: string,
  isIncluded: (owned: Owned) => boolean = () => true,
): Entry[] {
  return [
    ...closeApprovals(context, isIncluded),
    ...closeToolCalls(context, why, isIncluded),
    ...closeDeferred(context, why, isIncluded),
  ];
}

/**
 * Results of calls that a shutdown stopped and that must not run again. A call that asks a question
 * is left to the next run, which closes the question first.
 */
export function closeStopped({ state, epoch }: ClosingContext): Entry[] {
  const asking = [...state.openQuestions.values()].map(({ key }) => key);
  const isOver = ({ key, started_in, recovery }: Omit<OpenCall, 'id' | 'agent_id'>): boolean =>
    started_in === epoch &&
    recovery === 'report' &&
    !asking.some((question) => question?.startsWith(`${key}/`));
  return [
    ...[...state.openCalls.values()]
      .filter(isOver)
      .map((call) => failedCall(call, STOPPED_WITH_SERVER)),
    ...state
      .deferredCalls()
      .filter(isOver)
      .map((call) => deferredNote({ ...call, id: call.tool_call_id }, STOPPED_WITH_SERVER)),
  ];
}

/** Ends child agents, in the given order. */
export function closeAgents(agents: readonly OpenAgent[], result: string): Entry[] {
  return agents.map(({ agent_id, end_key: key }) => ({
    agent_id,
    key,
    body: { type: 'AGENT_COMPLETED', status: 'cancelled', result },
  }));
}

/**
 * Answers the open questions that are included: with the settlement if it came in time, else with
 * null.
 */
export function closeQuestions(
  { state, settlementOf }: ClosingContext,
  isIncluded: (owned: Owned) => boolean,
): Entry[] {
  const questions = [...state.openQuestions.values()].filter(isIncluded);
  return questions.map((question) => answered(question, settlementOf(question.request_id)));
}

/** Writes the answers that were settled before the end (I5). */
export function closeAnswered({ state, settlementOf }: ClosingContext): Entry[] {
  return [...state.openQuestions.values()].flatMap((question) => {
    const settlement = settlementOf(question.request_id);
    return settlement ? [answered(question, settlement)] : [];
  });
}

function answered({ agent_id, key, request_id }: OpenQuestion, settlement?: Settlement): Entry {
  const answer = settlement?.kind === 'input' ? settlement.answer : null;
  const { by, cause } = settlement ?? BY_CANCEL;
  const settled = { by, ...(cause && { cause }) };
  return { agent_id, key, body: { type: 'INPUT_RECEIVED', request_id, answer, ...settled } };
}

function closeApprovals(
  { state, settlementOf }: ClosingContext,
  isIncluded: (owned: Owned) => boolean,
): Entry[] {
  const open = [...state.openApprovals.values()].filter(isIncluded);
  const undecided = open.filter(({ isDecided }) => !isDecided);
  return undecided.map(({ key, agent_id, approval_id, tool_call_id }) => {
    const settlement = settlementOf(approval_id);
    const verdict = settlement?.kind === 'approval' ? settlement : CANCELLED_VERDICT;
    return { agent_id, key, body: decisionOf(verdict, { approval_id, tool_call_id }) };
  });
}

function closeToolCalls(
  context: ClosingContext,
  why: string,
  isIncluded: (owned: Owned) => boolean,
): Entry[] {
  const open = [...context.state.openCalls.values()].filter(isIncluded);
  return open.map(
    (call) =>
      clientResult(call, context) ?? failedCall(call, `${why} ${whatHappened(call, context)}`),
  );
}

/** The result that the client sent before the end (I5). */
function clientResult(
  { id, agent_id, key, tool_name, request_id }: OpenCall,
  { settlementOf, limit }: ClosingContext,
): Entry | undefined {
  const settlement = request_id === undefined ? undefined : settlementOf(request_id);
  if (settlement?.kind !== 'tool' || settlement.cause === 'cancel') return undefined;
  const { output: tool_output, truncated } = limit(settlement.tool_output);
  const body = { type: 'TOOL_RESULT', id, tool_name, tool_output } as const;
  const { is_error } = settlement;
  return {
    agent_id,
    key,
    body: { ...body, is_error, duration_ms: 0, ...(truncated && { truncated }) },
  };
}

function failedCall({ id, agent_id, key, tool_name }: OpenCall, tool_output: string): Entry {
  const body = { type: 'TOOL_RESULT', id, tool_name, tool_output } as const;
  return { agent_id, key, body: { ...body, is_error: true, duration_ms: 0 } };
}

/** Ends the deferred calls: their agents went on without the result. */
function closeDeferred(
  context: ClosingContext,
  why: string,
  isIncluded: (owned: Owned) => boolean,
): Entry[] {
  const open = context.state.deferredCalls().filter(isIncluded);
  return open.map(({ tool_call_id: id, ...call }) => {
    const outcome = `${why} ${whatHappened({ id, ...call }, context)}`;
    return deferredNote({ ...call, id }, outcome);
  });
}

function whatHappened(
  { id, started_in, request_id }: Pick<OpenCall, 'id' | 'started_in' | 'request_id'>,
  { epoch, unstoppable }: ClosingContext,
): string {
  if (request_id !== undefined)
    return 'The client was asked to run the tool and sent no result: it may have run it.';
  if (started_in === undefined) return 'The tool was not started.';
  if (unstoppable.has(id)) return 'The tool was told to stop and did not: it may still be running.';
  if (started_in === epoch)
    return 'The tool was stopped while it ran; part of its effect may have taken place.';
  return 'The server that ran the tool was lost; it is unknown whether its effect took place.';
}
