/** A server whose tools are offered here, and its state. */
export interface ToolServer {
  readonly name: string;
  readonly state: 'connecting' | 'ready' | 'unavailable';
  /** Number of its tools that are offered. */
  readonly tools: number;
  /** The reason why it is unavailable, or the problems of some of its tools; for people. */
  readonly problem: string | null;
  /** Start of this state, ISO 8601 in UTC. */
  readonly since: string;
}

/** Port: offers the tools of servers, which may become available and unavailable at any time. */
export interface ToolSource {
  /** Sorted by name. */
  servers(): readonly ToolServer[];
  /**
   * Explains why a tool of this source is missing; undefined if the name is not one of this source.
   */
  explainMissing(toolName: string): string | undefined;
}
