import type { z } from 'zod';
import type { AGENT_EVENT_TYPES, delta, deltaType, trace } from './deltas.js';
import type { Immutable } from './json.js';
import type { records } from './records.js';
import type {
  agentStatus,
  cause,
  decider,
  eventError,
  finishReason,
  stoppedEffect,
} from './wire/fields.js';

/** Result, for the model, of a call that a crash interrupted and that must not be repeated (I4). */
export const OUTCOME_UNKNOWN =
  'The server stopped while this tool was running. It is unknown whether its effect took place: check before you call it again.';

type Schemas = ReturnType<typeof records>;

export type RecordType = keyof Schemas;

type Bodies = { readonly [T in RecordType]: Immutable<z.infer<Schemas[T]['body']>> };
type HiddenParts = {
  readonly [T in RecordType]: Schemas[T] extends { readonly hidden: infer H extends z.ZodType }
    ? Immutable<z.infer<H>>
    : never;
};

/** The durable event of a type, as clients see it but for its origin. */
export type RecordOf<T extends RecordType> = Bodies[T];
export type RecordBody = RecordOf<RecordType>;

/** The hidden part of a record of the type, for the journal; never sent to a client. */
export type HiddenOf<T extends RecordType> = HiddenParts[T];
export type Hidden = HiddenOf<RecordType>;

/** A file of the user's message, as the model reads it. */
export type ReadFile = Extract<
  HiddenOf<'STEP_COMPLETED'>,
  { readonly files: unknown }
>['files'][number];

export type EventError = Immutable<z.infer<typeof eventError>>;
export type AgentStatus = z.infer<typeof agentStatus>;
export type Decider = Immutable<z.infer<typeof decider>>;
export type Cause = z.infer<typeof cause>;
export type StoppedEffect = Immutable<z.infer<typeof stoppedEffect>>;
export type FinishReason = z.infer<typeof finishReason>;

/** Carried by every event besides its body. */
export interface EventOrigin {
  readonly interaction_id: string;
  readonly agent_id: string;
}

/** A durable event as clients see it; `at` is ISO 8601 in UTC. */
export type RecordEvent = EventOrigin & { readonly seq: number; readonly at: string } & RecordBody;

/** An event of `Interaction.agent_events`. */
export type AgentEvent = EventOrigin & { readonly seq: number; readonly at: string } & RecordOf<
    (typeof AGENT_EVENT_TYPES)[number]
  >;

/** An ephemeral fragment of a block; `offset` counts UTF-16 code units from the block's start. */
export type Delta = Immutable<z.infer<typeof delta>>;
export type DeltaType = z.infer<typeof deltaType>;

/** A provider event of a type that the server does not interpret; sent with `?trace=1` only. */
export type Trace = Immutable<z.infer<typeof trace>>;

/** `userId`: null for the server itself. */
export function deciderOf(userId: string | null): Decider {
  return userId === null ? { kind: 'system' } : { kind: 'user', user_id: userId };
}

/**
 * True if a run that writes this record has got further than the run before it. A run that crashes
 * the process may write the other records each time.
 */
export function isProgress(body: RecordBody): boolean {
  if (body.type === 'TOOL_RESULT') return body.tool_output !== OUTCOME_UNKNOWN;
  return body.type !== 'RESUMED' && body.type !== 'NOTICE' && body.type !== 'TOOL_STARTED';
}
