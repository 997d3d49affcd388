import type { FinalStatus, Usage } from './interaction.js';
import type { Task } from './task.js';

/** The durable events, by type. Each is one record of an interaction's log. */
export type RecordBody =
  /** Always the first. */
  | {
      readonly type: 'INTERACTION_STARTED';
      readonly chat_id: string;
      readonly user_message: string;
      readonly agent: string;
      /** `<provider>/<name>` */
      readonly model: string;
      /** The interaction that this one goes on from. */
      readonly parent_id: string | null;
      /** The interaction that this one takes the place of. */
      readonly edited_from?: string;
    }
  /** What the model thought before it spoke, where its provider tells. */
  | { readonly type: 'THINKING'; readonly block_id: string; readonly content: string }
  /** Text of a turn that goes on (it also calls tools), or of a child agent. */
  | { readonly type: 'MESSAGE'; readonly block_id: string; readonly content: string }
  /** The final answer, if it is the last of its interaction. */
  | {
      readonly type: 'ANSWER';
      readonly block_id: string;
      readonly content: string;
      /** The interaction was cancelled midway. */
      readonly partial?: true;
    }
  /** The model wants a tool to run. */
  | {
      readonly type: 'TOOL_CALL';
      readonly id: string;
      readonly block_id: string;
      readonly tool_name: string;
      /** JSON text as the model wrote it, well-formed or not. */
      readonly tool_input: string;
      /** The call inside whose tool this call was made. */
      readonly parent_tool_call_id?: string;
    }
  /** The tool's side effect begins now. */
  | { readonly type: 'TOOL_STARTED'; readonly id: string; readonly tool_name: string }
  /** What the model gets to read of a call; each call has exactly one. */
  | {
      readonly type: 'TOOL_RESULT';
      readonly id: string;
      /** The block of its output deltas, if there were any. */
      readonly block_id?: string;
      readonly tool_name: string;
      readonly tool_output: string;
      readonly is_error: boolean;
      readonly duration_ms: number;
      /** The output was longer than `TOOL_OUTPUT_LIMIT`. */
      readonly truncated?: true;
    }
  /** A person has to decide before this call runs. */
  | {
      readonly type: 'APPROVAL_REQUIRED';
      readonly approval_id: string;
      readonly tool_call_id: string;
      readonly tool_name: string;
      /** JSON text as the model wrote it. */
      readonly tool_input: string;
      /** What would happen, for people. */
      readonly action: string;
      readonly category: string;
      readonly risk: string;
      /** Why it is asked. */
      readonly reason: string;
      /** ISO 8601 in UTC; null: never. */
      readonly expires_at: string | null;
    }
  | {
      readonly type: 'APPROVED';
      readonly approval_id: string;
      readonly tool_call_id: string;
      readonly by: Decider;
      readonly reason?: string;
      /** What runs instead of what the model wrote. */
      readonly modified_input?: Readonly<Record<string, unknown>>;
    }
  | {
      readonly type: 'REJECTED';
      readonly approval_id: string;
      readonly tool_call_id: string;
      readonly by: Decider;
      readonly reason?: string;
    }
  | {
      readonly type: 'INPUT_REQUIRED';
      readonly request_id: string;
      readonly question: string;
      readonly options?: readonly string[];
      readonly expires_at: string | null;
    }
  | {
      readonly type: 'INPUT_RECEIVED';
      readonly request_id: string;
      /** null: declined, or nobody answered in time. */
      readonly answer: string | null;
    }
  /** The client runs this call and sends its result. */
  | {
      readonly type: 'TOOL_RESULT_REQUIRED';
      readonly request_id: string;
      readonly tool_call_id: string;
      readonly tool_name: string;
      readonly tool_input: string;
    }
  /** A model turn ended, well or not. */
  | {
      readonly type: 'TURN_COMPLETED';
      readonly model: string;
      readonly finish_reason: FinishReason;
      readonly usage: Usage;
      readonly duration_ms: number;
      /** Why it failed; `finish_reason` is `error` then. */
      readonly error?: EventError;
    }
  /** Some other effect of the agent's was done. */
  | { readonly type: 'STEP_COMPLETED'; readonly name: string }
  /** The chat's task board was changed by a tool. */
  | {
      readonly type: 'TASK_UPDATED';
      /** As it is now. */
      readonly task: Task;
      /** It was taken off the board. */
      readonly deleted?: true;
    }
  /** A child agent begins; the event's `agent_id` is the child's, and so is that of all that it does. */
  | {
      readonly type: 'AGENT_STARTED';
      readonly parent_agent_id: string;
      readonly agent_type: string;
      readonly prompt: string;
      /** The call inside whose tool it was started. */
      readonly tool_call_id?: string;
    }
  /** A child agent has ended, and nothing of it is running any more. */
  | {
      readonly type: 'AGENT_COMPLETED';
      readonly status: AgentStatus;
      /** Its answer, or why it has none. */
      readonly result: string;
    }
  /** What a person told this agent, or did to it, is taken in here. */
  | {
      readonly type: 'AGENT_INTERVENED';
      readonly intervention_id: string;
      /** `delete`, `modify`, or a note in the person's words. */
      readonly user_comment: string;
      /** Of `modify`: what the agent is to do from now on. */
      readonly user_content?: string;
    }
  /** Something about the run itself: a provider was retried, a guardrail spoke. */
  | {
      readonly type: 'NOTICE';
      readonly code: string;
      readonly message: string;
      /** Open blocks that will never be completed. */
      readonly void?: readonly string[];
    }
  /** A run was lost and taken up again; blocks still open are void. */
  | { readonly type: 'RESUMED'; readonly attempt: number; readonly reason: string }
  /** Nothing of the interaction is running any more. */
  | {
      readonly type: 'CANCELLED';
      readonly reason: string;
      readonly stopped: readonly StoppedEffect[];
    }
  /** Why the interaction failed. */
  | ({ readonly type: 'ERROR' } & EventError)
  /** Always the last, exactly one. */
  | { readonly type: 'INTERACTION_COMPLETE'; readonly status: FinalStatus };

export interface EventError {
  readonly code: string;
  readonly message: string;
}

/** How a child agent ended. `cancelled`: with its interaction, or because nobody waits for it any more. */
export type AgentStatus = 'completed' | 'error' | 'cancelled';

/** Who settled an approval. */
export type Decider = 'user' | 'rule' | 'timeout' | 'cancel';

/** Something that a cancel ended: a child agent, a model request or a tool call. */
export interface StoppedEffect {
  readonly kind: 'agent' | 'model' | 'tool';
  readonly name: string;
  readonly id?: string;
  /** `unknown`: it ran on a host that was lost, or did not stop when told to. */
  readonly state: 'stopped' | 'unknown';
}

export type FinishReason = 'stop' | 'tool_calls' | 'length' | 'content_filter' | 'error';

export type RecordType = RecordBody['type'];
export type RecordOf<T extends RecordType> = Extract<RecordBody, { type: T }>;

/** What every event carries besides its body. */
export interface EventOrigin {
  readonly interaction_id: string;
  readonly agent_id: string;
}

/** A durable event as clients see it; `at` is ISO 8601 in UTC. */
export type RecordEvent = EventOrigin & { readonly seq: number; readonly at: string } & RecordBody;

/** The part of the log that `Interaction.agent_events` shows. */
export const AGENT_EVENT_TYPES = [
  'TOOL_CALL',
  'TOOL_RESULT',
  'THINKING',
  'MESSAGE',
  'ANSWER',
] as const;
export type AgentEvent = EventOrigin & { readonly seq: number; readonly at: string } & RecordOf<
    (typeof AGENT_EVENT_TYPES)[number]
  >;

/** An ephemeral fragment of a block; `offset` counts UTF-16 code units from the block's start. */
export interface Delta {
  readonly type: DeltaType;
  readonly block_id: string;
  readonly offset: number;
  readonly delta: string;
  readonly tool_call_id?: string;
}

export type DeltaType = 'TEXT_DELTA' | 'THINKING_DELTA' | 'TOOL_INPUT_DELTA' | 'TOOL_OUTPUT_DELTA';

/** A provider event that nobody knows; sent to readers that asked with `?trace=1`. */
export interface Trace {
  readonly type: 'TRACE';
  readonly name: string;
  readonly detail: unknown;
}
