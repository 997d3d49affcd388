import type { InteractionStatus } from '../../../protocol/interaction.js';
import type { Interaction } from '../../../protocol/wire/interaction.js';

export type RunStatus = 'pending' | 'running' | 'error' | 'success' | 'interrupted';

const STATUSES: Readonly<Record<InteractionStatus, RunStatus>> = {
  QUEUED: 'pending',
  RUNNING: 'running',
  WAITING_APPROVAL: 'interrupted',
  WAITING_INPUT: 'interrupted',
  COMPLETED: 'success',
  FAILED: 'error',
  CANCELLED: 'interrupted',
};

type Shown = Pick<
  Interaction,
  'chat_id' | 'agent' | 'created_at' | 'completed_at' | 'status' | 'metadata'
>;

/** A run as clients read it. */
export function viewRun(run_id: string, interaction: Shown): object {
  const { chat_id: thread_id, agent: assistant_id, created_at, completed_at } = interaction;
  return {
    ...{ run_id, thread_id, assistant_id, created_at, updated_at: completed_at ?? created_at },
    status: STATUSES[interaction.status],
    metadata: interaction.metadata,
    multitask_strategy: null,
  };
}

export function statusOf(status: InteractionStatus): RunStatus {
  return STATUSES[status];
}
