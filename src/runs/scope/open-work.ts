import { isRecordOf } from '../../persistence/rows/log-record.js';
import type { LogRecord } from '../../persistence/rows/log-record.js';
import type { InteractionRow } from '../../persistence/rows/interaction-row.js';
import { agentEndKey } from '../journal/completes.js';
import { RESUME_REASONS } from './run-input.js';
import type { ToolRecovery } from '../../tools/core/tool.js';

/** A started tool. */
interface Started {
  /** Epoch of the run that started it, if one did. */
  started_in?: number;
  /** Recovery of the tool at the time of its start. */
  recovery?: ToolRecovery;
  /** Its processes. */
  trace?: unknown;
  /** Its run was lost; the processes that it left running have been killed since. */
  isCleared?: true;
}

/** A tool call without a result. */
export interface OpenCall extends Started {
  readonly id: string;
  readonly key: string | null;
  readonly agent_id: string;
  readonly tool_name: string;
  /** The client was asked for its result. */
  request_id?: string;
}

/** An approval that is undecided, or whose call has not ended. */
export interface OpenApproval extends Started {
  readonly key: string;
  readonly agent_id: string;
  readonly approval_id: string;
  readonly tool_call_id: string;
  readonly tool_name: string;
  /** Arguments as the model wrote them. */
  readonly tool_input: string;
  isDecided: boolean;
  /** The agent got the result "waiting", and went on. */
  isDeferred: boolean;
}

/** A question without an answer in the log. */
export interface OpenQuestion {
  readonly key: string | null;
  readonly agent_id: string;
  readonly request_id: string;
}

/** A child agent that has not ended. */
export interface OpenAgent {
  readonly agent_id: string;
  readonly parent_agent_id: string;
  readonly agent_type: string;
  /** The journal key of its end. */
  readonly end_key: string;
}

/** Open work of an interaction: a fold over the committed part of its log. */
export class OpenWork {
  readonly openCalls = new Map<string, OpenCall>();
  /** By tool call. */
  readonly openApprovals = new Map<string, OpenApproval>();
  /** By request. */
  readonly openQuestions = new Map<string, OpenQuestion>();
  /**
   * By id, calls that ran in a lost process: they may still be running there, regardless of later
   * records.
   */
  readonly lostCalls = new Map<string, Pick<OpenCall, 'id' | 'tool_name'>>();
  /** Ids of the interventions in the log. */
  readonly takenIn = new Set<string>();
  /** True once a request was made. */
  hasAsked = false;
  readonly rootAgentId: string;
  lastAnswer: string | undefined;
  lastSeq = 0;
  /** Number of times that the interaction was resumed after a loss. */
  resumed = 0;
  /** Parents before their children. */
  private readonly agents = new Map<string, OpenAgent>();

  constructor({ agent_id }: Pick<InteractionRow, 'agent_id'>) {
    this.rootAgentId = agent_id;
  }

  /**
   * The earlier run was parked, not lost: the run of this epoch counts as the one that started the
   * open calls.
   */
  takeOver(epoch: number): void {
    for (const call of [...this.openCalls.values(), ...this.openApprovals.values()])
      if (call.started_in !== undefined) call.started_in = epoch;
  }

  apply(record: LogRecord): void {
    const { body, hidden, agent_id, key, epoch } = record;
    this.lastSeq = record.seq;
    switch (body.type) {
      case 'TOOL_CALL':
        this.openCalls.set(body.id, { id: body.id, key, agent_id, tool_name: body.tool_name });
        break;
      case 'TOOL_STARTED': {
        const started: Started = {
          started_in: epoch,
          ...(isRecordOf(record, 'TOOL_STARTED') && record.hidden),
        };
        Object.assign(this.openCalls.get(body.id) ?? {}, started);
        Object.assign(this.openApprovals.get(body.id) ?? {}, started);
        break;
      }
      case 'TOOL_RESULT': {
        this.openCalls.delete(body.id);
        const approval = this.openApprovals.get(body.id);
        const deferred = hidden && 'deferred' in hidden ? hidden.deferred : undefined;
        if (approval && approval.approval_id === deferred) approval.isDeferred = true;
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
      case 'AGENT_STARTED': {
        const { parent_agent_id, agent_type } = body;
        const end_key = agentEndKey(key ?? '');
        this.agents.set(agent_id, { agent_id, parent_agent_id, agent_type, end_key });
        break;
      }
      case 'AGENT_COMPLETED':
        this.agents.delete(agent_id);
        break;
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
      case 'THINKING':
      case 'MESSAGE':
      case 'TURN_COMPLETED':
      case 'STEP_COMPLETED':
      case 'CUSTOM':
      case 'METADATA_SET':
      case 'AGENT_TOLD':
      case 'NOTE_READ':
      case 'TASK_UPDATED':
      case 'CANCELLED':
      case 'ERROR':
      case 'INTERACTION_COMPLETE':
        break;
    }
  }

  /** Calls that were started and have no result. */
  startedCalls(): readonly (OpenCall | OpenApproval)[] {
    const calls = [...this.openCalls.values(), ...this.openApprovals.values()];
    return calls.filter(({ started_in }) => started_in !== undefined);
  }

  /** True while the log lacks the settlement of a request. */
  get isAsking(): boolean {
    return (
      this.openQuestions.size > 0 ||
      [...this.openApprovals.values()].some(({ isDecided }) => !isDecided) ||
      [...this.openCalls.values()].some(({ request_id }) => request_id !== undefined)
    );
  }

  /** Deferred calls, of this agent or of all: their agents went on without the result. */
  deferredCalls(agentId?: string): readonly OpenApproval[] {
    return [...this.openApprovals.values()].filter(
      ({ isDeferred, agent_id }) => isDeferred && (agentId === undefined || agent_id === agentId),
    );
  }

  /** Child agents that have not ended, children before their parents. */
  openAgents(): readonly OpenAgent[] {
    return [...this.agents.values()].reverse();
  }

  /** This child agent and those below it, children before their parents. */
  openSubtree(agentId: string): readonly OpenAgent[] {
    const ids = new Set([agentId]);
    for (const { agent_id, parent_agent_id } of this.agents.values())
      if (ids.has(parent_agent_id)) ids.add(agent_id);
    return this.openAgents().filter(({ agent_id }) => ids.has(agent_id));
  }

  private noteLost(epoch: number): void {
    for (const call of this.startedCalls()) {
      if (call.isCleared || call.started_in! >= epoch) continue;
      const id = 'id' in call ? call.id : call.tool_call_id;
      this.lostCalls.set(id, { id, tool_name: call.tool_name });
    }
  }
}
