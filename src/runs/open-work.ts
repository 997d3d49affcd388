import { OpenAgents } from './closing/open-agents.js';
import { RESUME_REASONS } from './runner/resume-reasons.js';
import type { LogRecord } from '../persistence/rows/log-record.js';
import type { InteractionRow } from '../persistence/rows/store-rows.js';

/** A tool call that has no result yet. */
export interface OpenCall {
  readonly id: string;
  readonly key: string | null;
  readonly agent_id: string;
  readonly tool_name: string;
  /** The run that started it, if one did. */
  started_in?: number;
  /** What was kept of its processes. */
  trace?: unknown;
  /** Its run was lost, and what that had left running was stopped since. */
  isCleared?: true;
  /** The client was asked for its result. */
  request_id?: string;
}

/** A tool call whose process was lost. */
export type LostCall = Pick<OpenCall, 'id' | 'tool_name'>;

/** An approval whose call has not come to its end: not decided, or running. */
export interface OpenApproval {
  readonly key: string;
  readonly agent_id: string;
  readonly approval_id: string;
  readonly tool_call_id: string;
  readonly tool_name: string;
  readonly tool_input: string;
  isDecided: boolean;
  /** The agent has its result, "waiting", and went on. */
  isDeferred: boolean;
  /** The run that started it after it was deferred. */
  started_in?: number;
  /** What was kept of its processes. */
  trace?: unknown;
  /** Its run was lost, and what that had left running was stopped since. */
  isCleared?: true;
}

/** A question that has no answer in the log yet. */
export interface OpenQuestion {
  readonly key: string | null;
  readonly agent_id: string;
  readonly request_id: string;
}

/** Where an interaction is: a fold over its log, as far as it is committed. */
export class OpenWork {
  readonly openCalls = new Map<string, OpenCall>();
  /** By tool call. */
  readonly openApprovals = new Map<string, OpenApproval>();
  readonly agents = new OpenAgents();
  /** By id, calls that ran in a process that was lost: nobody knows when they stop, whatever the log has of them since. */
  readonly lostCalls = new Map<string, LostCall>();
  /** By request. */
  readonly openQuestions = new Map<string, OpenQuestion>();
  /** Ids of the interventions that were taken in. */
  readonly takenIn = new Set<string>();
  /** Whether a request was ever made. */
  hasAsked = false;
  /** The author of record 1. */
  readonly rootAgentId: string;
  lastAnswer: string | undefined;
  lastSeq = 0;
  /** How often it was taken up after a loss. */
  resumed = 0;

  constructor({ agent_id }: Pick<InteractionRow, 'agent_id'>) {
    this.rootAgentId = agent_id;
  }

  /** The run before was parked, not lost: what it had in flight, it had stopped. */
  takeOver(epoch: number): void {
    for (const call of [...this.openCalls.values(), ...this.openApprovals.values()])
      if (call.started_in !== undefined) call.started_in = epoch;
  }

  apply(record: LogRecord): void {
    const { body, hidden, agent_id, key, epoch } = record;
    this.lastSeq = record.seq;
    this.agents.apply(record);
    switch (body.type) {
      case 'TOOL_CALL':
        this.openCalls.set(body.id, { id: body.id, key, agent_id, tool_name: body.tool_name });
        break;
      case 'TOOL_STARTED': {
        const begun = { started_in: epoch, trace: hidden };
        Object.assign(this.openCalls.get(body.id) ?? {}, begun);
        Object.assign(this.openApprovals.get(body.id) ?? {}, begun);
        break;
      }
      case 'TOOL_RESULT': {
        this.openCalls.delete(body.id);
        const approval = this.openApprovals.get(body.id);
        if (approval && !approval.isDecided) approval.isDeferred = true;
        else this.openApprovals.delete(body.id);
        break;
      }
      case 'NOTICE': {
        const settled = hidden && 'deferred' in hidden ? hidden.deferred : undefined;
        for (const [id, { approval_id }] of this.openApprovals)
          if (approval_id === settled) this.openApprovals.delete(id);
        break;
      }
      case 'APPROVAL_REQUIRED': {
        const { approval_id, tool_call_id, tool_name, tool_input } = body;
        this.openApprovals.set(tool_call_id, {
          ...{ key: key ?? '', agent_id, approval_id, tool_call_id, tool_name, tool_input },
          ...{ isDecided: false, isDeferred: false },
        });
        this.hasAsked = true;
        break;
      }
      case 'APPROVED':
      case 'REJECTED': {
        const approval = this.openApprovals.get(body.tool_call_id);
        if (approval) approval.isDecided = true;
        break;
      }
      case 'INPUT_REQUIRED':
        this.openQuestions.set(body.request_id, { key, agent_id, request_id: body.request_id });
        this.hasAsked = true;
        break;
      case 'INPUT_RECEIVED':
        this.openQuestions.delete(body.request_id);
        break;
      case 'TOOL_RESULT_REQUIRED': {
        const { tool_call_id, request_id } = body;
        Object.assign(this.openCalls.get(tool_call_id) ?? {}, { request_id });
        this.hasAsked = true;
        break;
      }
      case 'ANSWER':
        this.lastAnswer = body.content;
        break;
      case 'RESUMED':
        this.resumed = body.attempt;
        if (body.reason !== RESUME_REASONS.stopped) this.noteLost(epoch);
        break;
      case 'AGENT_INTERVENED':
        this.takenIn.add(body.intervention_id);
        break;
      case 'INTERACTION_STARTED':
      case 'AGENT_COMPLETED':
      case 'AGENT_STARTED':
      case 'THINKING':
      case 'MESSAGE':
      case 'TURN_COMPLETED':
      case 'STEP_COMPLETED':
      case 'TASK_UPDATED':
      case 'CANCELLED':
      case 'ERROR':
      case 'INTERACTION_COMPLETE':
        break;
    }
  }

  private noteLost(epoch: number): void {
    for (const call of this.startedCalls()) {
      if (call.isCleared || call.started_in! >= epoch) continue;
      const id = 'id' in call ? call.id : call.tool_call_id;
      this.lostCalls.set(id, { id, tool_name: call.tool_name });
    }
  }

  /** What was started and has no result. */
  startedCalls(): readonly (OpenCall | OpenApproval)[] {
    const calls = [...this.openCalls.values(), ...this.openApprovals.values()];
    return calls.filter(({ started_in }) => started_in !== undefined);
  }

  /** Whether somebody was asked for something that is not in the log yet. */
  get isAsking(): boolean {
    return (
      this.openQuestions.size > 0 ||
      [...this.openApprovals.values()].some(({ isDecided }) => !isDecided) ||
      [...this.openCalls.values()].some(({ request_id }) => request_id !== undefined)
    );
  }

  /** Calls whose agents went on without them. */
  deferredCalls(): readonly OpenApproval[] {
    return [...this.openApprovals.values()].filter(({ isDeferred }) => isDeferred);
  }
}
