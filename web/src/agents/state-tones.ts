import type { Tone } from '../ui/status';
import type { AgentState } from './tree';

export const TONES: Readonly<Record<AgentState, Tone>> = {
  idle: 'idle',
  processing: 'run',
  thinking: 'run',
  executing_tool: 'run',
  waiting_permission: 'wait',
  awaiting_user: 'wait',
  waiting_subagent: 'idle',
  completed: 'good',
  deleted: 'idle',
  modified: 'run',
  error: 'bad',
  cancelled: 'idle',
};
