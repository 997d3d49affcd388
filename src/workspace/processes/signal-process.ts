/** Sends a signal to a process that may be gone. */
export function signalProcess(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // the process is gone, or belongs to another user
  }
}
