import { AsyncLocalStorage } from 'node:async_hooks';

/** The code of one agent in one run. */
export interface AgentCode {
  readonly interaction_id: string;
  readonly agent_id: string;
  /** Ends the agent as if its function had thrown this. */
  readonly fail: (error: unknown) => void;
}

const running = new AsyncLocalStorage<AgentCode>();

/**
 * Runs an agent's function, which also ends when something throws that its code has left to itself,
 * such as a timer.
 */
export async function runAgentCode<T>(
  names: Omit<AgentCode, 'fail'>,
  code: (fail: AgentCode['fail']) => Promise<T>,
): Promise<T> {
  const { promise: stray, reject: fail } = withReject();
  return Promise.race([running.run({ ...names, fail }, () => code(fail)), stray]);
}

function withReject(): { promise: Promise<never>; reject: AgentCode['fail'] } {
  const parts = {} as { promise: Promise<never>; reject: AgentCode['fail'] };
  parts.promise = new Promise((_, reject) => (parts.reject = reject));
  return parts;
}

/** Runs work of the server that an agent has asked for: its errors are not the agent's. */
export function outsideAgentCode<T>(work: () => T): T {
  return running.exit(work);
}

/** Whose code runs now, or has thrown just now. */
export function findAgentCode(): AgentCode | undefined {
  return running.getStore();
}
