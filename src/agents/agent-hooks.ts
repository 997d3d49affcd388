import type { ToolCall } from '../protocol/message.js';
import type {
  AgentContext,
  AgentHandle,
  AskOptions,
  ForkOptions,
  GenerateOptions,
  ToolOutcome,
  Turn,
} from './agent-context.js';

/** The part of the context that hooks may use: no steps. */
export interface HookContext<R = unknown> extends Pick<
  AgentContext<R>,
  | 'agent'
  | 'messages'
  | 'resources'
  | 'signal'
  | 'metadata'
  | 'max_iterations'
  | 'instructions'
  | 'client_tools'
> {
  /**
   * Sends readers an event, as `emit` of an agent does, without waiting. An event that is in the
   * log when the agent runs again is not sent again; one that was not saved is.
   * @throws AppError `invalid_event`
   */
  emit(name: string, data: unknown): void;
}

/** The input of each kind of step. */
interface Asked {
  generate: { readonly options: GenerateOptions };
  tool_call: { readonly call: ToolCall };
  ask: { readonly question: string; readonly options: AskOptions };
  fork: { readonly prompt: string; readonly options: ForkOptions };
  wait: { readonly child: AgentHandle };
  step: { readonly name: string };
  say: { readonly text: string };
  notice: { readonly code: string; readonly message: string };
  emit: { readonly name: string; readonly data: unknown };
  set_metadata: { readonly key: string; readonly value: unknown };
  tell: { readonly agent: AgentHandle | 'parent'; readonly text: string };
}

/** The result of each kind of step. */
export interface Answered {
  generate: Turn;
  tool_call: ToolOutcome;
  ask: string | null;
  fork: AgentHandle;
  wait: string;
  step: unknown;
  say: void;
  notice: void;
  emit: void;
  set_metadata: void;
  tell: void;
}

export type StepKind = keyof Asked;
export type StepOf<K extends StepKind> = { readonly kind: K } & Asked[K];
/** `error` is the error that the agent's code receives. */
export type DoneStepOf<K extends StepKind> = StepOf<K> &
  (
    | { readonly value: Answered[K]; readonly error?: undefined }
    | { readonly value?: undefined; readonly error: Error }
  );

/**
 * Effect that an agent's own code requests, discriminated by its `kind`; not the effects of its
 * tools.
 */
export type Step = { [K in StepKind]: StepOf<K> }[StepKind];
/** With its `value`, or the `error` that it rejects with. */
export type DoneStep = { [K in StepKind]: DoneStepOf<K> }[StepKind];
