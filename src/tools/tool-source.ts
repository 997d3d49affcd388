/** A server whose tools are offered here, and how it is. */
export interface ToolServer {
  readonly name: string;
  readonly state: 'connecting' | 'ready' | 'unavailable';
  /** How many of its tools are offered. */
  readonly tools: number;
  /** Why it is unavailable, or what is wrong with some of its tools; for people. */
  readonly problem: string | null;
  /** When it came into this state, ISO 8601 in UTC. */
  readonly since: string;
}

/** Offers tools that come and go with the servers they live on. */
export interface ToolSource {
  /** By name. */
  servers(): readonly ToolServer[];
  /** Why a tool of this name is not there, if it is one of this source's. */
  explainMissing(toolName: string): string | undefined;
}
