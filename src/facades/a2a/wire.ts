type Json = Readonly<Record<string, unknown>>;

export type TaskState =
  | 'TASK_STATE_SUBMITTED'
  | 'TASK_STATE_WORKING'
  | 'TASK_STATE_INPUT_REQUIRED'
  | 'TASK_STATE_COMPLETED'
  | 'TASK_STATE_FAILED'
  | 'TASK_STATE_CANCELED';

/** A part of one of the kinds that the server sends. */
export type Part = { readonly text: string } | { readonly data: Json };

export interface A2aMessage {
  readonly messageId: string;
  readonly contextId: string;
  readonly taskId: string;
  readonly role: 'ROLE_USER' | 'ROLE_AGENT';
  readonly parts: readonly Part[];
}

export interface TaskStatus {
  readonly state: TaskState;
  readonly message?: A2aMessage;
  /** ISO 8601 in UTC. */
  readonly timestamp: string;
}

export interface Artifact {
  readonly artifactId: string;
  readonly parts: readonly Part[];
}

export interface Task {
  readonly id: string;
  readonly contextId: string;
  readonly status: TaskStatus;
  readonly artifacts?: readonly Artifact[];
  readonly history?: readonly A2aMessage[];
  readonly metadata: Json;
}

interface OfTask {
  readonly taskId: string;
  readonly contextId: string;
}

/** Without `append` it replaces the artifact of its id. */
export interface ArtifactChange {
  readonly artifact: Artifact;
  readonly append?: true;
  readonly lastChunk?: true;
}

/** A frame of a stream. */
export type StreamResponse =
  | { readonly task: Task }
  | { readonly statusUpdate: OfTask & { readonly status: TaskStatus; readonly metadata?: Json } }
  | { readonly artifactUpdate: OfTask & ArtifactChange };
