import type { ToolPolicy } from '../tools/tool.js';
import type { Decision } from './permission-rule.js';

export interface DefaultDecision {
  readonly decision: Decision;
  /** The end of a sentence that begins with the tool's name. */
  readonly why: string;
}

/** What holds where no rule matches: what only reads is allowed; what writes, executes or reaches the network asks. */
export function defaultDecision(policy: ToolPolicy | undefined): DefaultDecision {
  if (!policy) return { decision: 'ask', why: 'is not a tool that is known here' };
  if (policy.requires_approval) return { decision: 'ask', why: 'always requires approval' };
  switch (policy.category) {
    case 'write':
      return { decision: 'ask', why: 'changes something' };
    case 'execute':
      return { decision: 'ask', why: 'executes commands' };
    case 'network':
      return { decision: 'ask', why: 'reaches the network' };
    case 'compute':
    case 'human':
    case 'agent':
      return { decision: 'allow', why: 'has no effect outside of the conversation' };
    case 'read':
      return policy.read_only
        ? { decision: 'allow', why: 'only reads' }
        : { decision: 'ask', why: 'does more than read' };
  }
}
