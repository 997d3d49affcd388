/** Why a run was taken up again, as readers are told. */
export const RESUME_REASONS = {
  unsaved: 'what it did could not be saved for a while',
  /** It had stopped all that it had begun. */
  stopped: 'the server was stopped',
  lost: 'the process that ran it was lost',
} as const;
