/** Exit codes of all commands; for one interaction, how it ended. */
export const EXIT = {
  completed: 0,
  failed: 1,
  usage: 2,
  needs_human: 3,
  cancelled: 130,
} as const;
