/** To a process that may be gone by now. */
export function signalProcess(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // it is gone, or was never ours to stop
  }
}
