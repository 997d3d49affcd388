import type { components, operations } from './generated/api.js';

type Schemas = components['schemas'];

/** An event of one interaction: a record, which has `seq`, or a delta, which has `offset`. */
export type StreamEvent = Schemas['StreamEvent'];
/** An event of the stream of a chat: also what changes beside its interactions. */
export type ChatStreamEvent = Schemas['ChatStreamEvent'];
/** An event of the feed of all chats. */
export type FeedEvent = Schemas['FeedEvent'];
/** A durable event. */
export type RecordEvent = Extract<StreamEvent, { readonly seq: number }>;
/** A fragment of a block of text that a record holds whole later. */
export type DeltaEvent = Extract<StreamEvent, { readonly offset: number }>;
export type RecordOf<T extends RecordEvent['type']> = Extract<RecordEvent, { readonly type: T }>;

export type Chat = Schemas['Chat'];
export type Interaction = Schemas['Interaction'];
export type InteractionStatus = Interaction['status'];
export type Task = Schemas['Task'];
export type File = Schemas['File'];
export type Transcript = Schemas['Transcript'];
export type Problem = Schemas['Problem'];
export type Decider = Schemas['Decider'];
export type Usage = Schemas['Usage'];

type ParametersOf<O> = O extends { readonly parameters: infer P } ? P : never;
type ContentOf<T> = T extends { readonly content: infer C } ? C : never;
type JsonOf<C> = C extends { readonly 'application/json': infer J } ? J : never;
type TextOf<C> = C extends { readonly 'text/plain': infer T } ? T : never;
type AnswerOf<O> = O extends { readonly responses: infer R }
  ? R[keyof R & (200 | 201 | 202)]
  : never;
type ResultIn<C> = C extends { readonly 'application/json': infer J } ? J : TextOf<C>;

/** The query that an operation takes. */
export type QueryOf<O> =
  ParametersOf<O> extends { readonly query?: infer Q } ? Exclude<Q, undefined> : never;
/** The variables of its path. */
export type VariablesOf<O> = ParametersOf<O> extends { readonly path: infer V } ? V : never;
/** The JSON that it takes. */
export type BodyOf<O> = O extends { readonly requestBody?: infer B }
  ? JsonOf<ContentOf<NonNullable<B>>>
  : never;
/** The JSON or text that it answers with; undefined where that is empty. */
export type ResultOf<O> = [AnswerOf<O>] extends [never]
  ? undefined
  : ResultIn<ContentOf<AnswerOf<O>>>;

export type Query<K extends keyof operations> = QueryOf<operations[K]>;
export type Body<K extends keyof operations> = BodyOf<operations[K]>;
