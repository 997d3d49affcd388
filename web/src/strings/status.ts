import type { Interaction } from 'parley/client';

export const statusWords: Readonly<Record<Interaction['status'], string>> = {
  QUEUED: 'queued',
  RUNNING: 'running',
  WAITING_APPROVAL: 'needs a decision',
  WAITING_INPUT: 'asks you',
  COMPLETED: 'done',
  FAILED: 'failed',
  CANCELLED: 'cancelled',
};

/** For lists, where the name needs the room. */
export const shortStatusWords: typeof statusWords = {
  ...statusWords,
  WAITING_APPROVAL: 'decide',
  WAITING_INPUT: 'asks',
};
