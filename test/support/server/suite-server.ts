import type { ApiClient } from '../client/api-client.js';
import type { FakeOpenAi } from '../model/fake-openai.js';
import type { Class } from './test-app.js';

/** A server that suites run against, and what they may know of its inside. */
export interface SuiteServer {
  /** Speaks with each process that answers clients in turn. */
  readonly api: ApiClient;
  readonly fake: FakeOpenAi;
  /** All that was logged. */
  readonly log: readonly string[];
  /** A provider, of each of its processes. */
  getAll<T>(type: Class<T>): readonly T[];
  /** Event streams that are open. */
  readonly streams: number;
  /** Readers that an interaction has. */
  readersOf(interactionId: string): number;
  /** Whether it has no reader, and each process has heard so. */
  isUnread(interactionId: string): Promise<boolean>;
  /** Whether a run of it is in memory. */
  runs(interactionId: string): boolean;
  /** Whether no run is in memory. */
  isIdle(): Promise<boolean>;
  /** Stops the server and leaves the fake model for the next one. */
  close(): Promise<void>;
  stop(): Promise<void>;
}
