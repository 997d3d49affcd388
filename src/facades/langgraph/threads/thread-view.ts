import type { InteractionStatus } from '../../../protocol/interaction.js';
import type { Interrupt } from '../interrupts/interrupt.js';
import type { ChatSummary } from '../../../protocol/wire/chat.js';

type ThreadStatus = 'idle' | 'busy' | 'interrupted' | 'error';

interface Shown {
  /** Null in lists. */
  readonly values: object | null;
  readonly interrupts: readonly Interrupt[];
}

/** A thread as clients read it. */
export function viewThread(chat: ChatSummary, { values, interrupts }: Shown): object {
  const { id: thread_id, created_at, updated_at, title, preview, agent } = chat;
  return {
    ...{ thread_id, created_at, updated_at, state_updated_at: updated_at },
    metadata: {
      ...chat.metadata,
      ...(agent !== null && { graph_id: agent }),
      parley: { title, preview },
    },
    status: statusOf(chat.status),
    values,
    interrupts: interrupts.length > 0 ? { [chat.active_interaction_id ?? '']: interrupts } : {},
    config: {},
    error: null,
  };
}

export function statusOf(status: InteractionStatus | null): ThreadStatus {
  switch (status) {
    case 'QUEUED':
    case 'RUNNING':
      return 'busy';
    case 'WAITING_APPROVAL':
    case 'WAITING_INPUT':
      return 'interrupted';
    case 'FAILED':
      return 'error';
    case 'COMPLETED':
    case 'CANCELLED':
    case null:
      return 'idle';
  }
}
