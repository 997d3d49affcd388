import type { Entry } from '../../event-log/append/run-log.js';

/** A call whose agent went on without it, and that has not come to its end. */
export interface OpenDeferredCall {
  readonly key: string;
  readonly approval_id: string;
  readonly tool_call_id: string;
  readonly tool_name: string;
  /** As the model wrote it. */
  readonly tool_input: string;
  /** The run that started the tool, if one did. */
  readonly started_in?: number;
}

/** What agents have begun and not ended, as the log tells. */
export interface Leftovers {
  deferredCalls(agentId: string): readonly OpenDeferredCall[];
  /**
   * Of an agent that is ending and its subtree, none of which works any more: closes their requests, and answers the records that end all
   * that is open, but not the agent's own end.
   */
  close(agentId: string): Promise<readonly Entry[]>;
}
