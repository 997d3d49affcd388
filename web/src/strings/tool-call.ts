export const callText = {
  states: {
    writing: 'preparing',
    waiting: 'waits for a decision',
    asking: 'asks you',
    client: 'waits for a client',
    pending: 'waits',
    running: 'running',
    done: 'done',
    failed: 'failed',
    rejected: 'rejected',
    unknown: 'no result',
  },
  seconds: (count: number) => (count < 1 ? '' : spanText(count)),
  ms: (ms: number) => {
    if (ms < 1000) return `${ms} ms`;
    return ms < 60_000 ? `${(ms / 1000).toFixed(1)} s` : spanText(Math.round(ms / 1000));
  },
  input: 'Input',
  output: 'Output',
  changes: 'Changes',
  changedInput: 'Input as you changed it',
  onBoard: 'See it on the board',
  truncated: 'The rest was too long for the server to keep.',
};

/** Whole seconds in at most two units: `5 min 2 s`, `3 h 10 min`. */
function spanText(seconds: number): string {
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
