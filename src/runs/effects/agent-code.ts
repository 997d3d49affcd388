import { AsyncValue } from '../../kernel/async/async-value.js';
import { asWork } from '../../kernel/async/current-work.js';

/** The code of one agent in one run. */
export interface AgentCode {
  readonly interaction_id: string;
  readonly agent_id: string;
  /** Ends the agent as if its function had thrown this error. */
  readonly fail: (error: unknown) => void;
}

const running = new AsyncValue<AgentCode>();

/**
 * Runs an agent's function. An uncaught error of its asynchronous code, such as a timer callback,
 * also ends it.
 */
export async function runAgentCode<T>(
  names: Omit<AgentCode, 'fail'>,
  code: (fail: AgentCode['fail']) => Promise<T>,
): Promise<T> {
  const { promise: stray, reject: fail } = withReject();
  const name = (): string => `agent ${names.agent_id} of ${names.interaction_id}`;
  const work = asWork(name, () => running.run({ ...names, fail }, () => code(fail)));
  return Promise.race([work, stray]);
}

function withReject(): { promise: Promise<never>; reject: AgentCode['fail'] } {
  const parts = {} as { promise: Promise<never>; reject: AgentCode['fail'] };
  parts.promise = new Promise((_, reject) => (parts.reject = reject));
  return parts;
}

/** Runs server work that an agent has requested: its errors are not attributed to the agent. */
export function outsideAgentCode<T>(work: () => T): T {
  return running.run(undefined, work);
}

/** The agent whose code runs now or has just thrown. */
export function findAgentCode(): AgentCode | undefined {
  return running.get();
}
