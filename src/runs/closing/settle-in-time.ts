import { doneWithin } from '../../kernel/done-within.js';
import type { AgentScope } from '../scope/agent-scope.js';

/** How long what was stopped may take to stop, in milliseconds. */
const STOP_GRACE_MS = 8_000;

/** Resolves when nothing of the agent and its subtree is running any more, or it has had its time to stop. */
export async function settleInTime(scope: AgentScope, grace_ms = STOP_GRACE_MS): Promise<void> {
  await doneWithin(scope.settled(), grace_ms);
}
