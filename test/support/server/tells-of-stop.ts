/** True if the log of a server says that its run of an interaction stopped. */
export function tellsOfStop(output: string, interactionId: string): boolean {
  const lines = output.split('\n').filter((line) => line.includes('Run stopped'));
  return lines.some((line) => line.includes(interactionId));
}
