import type { ProgramEnd } from './program.js';

/** What is said after a program's output of how it ended; empty when there is nothing to say. */
export function describeEnd(end: ProgramEnd, memory_mb: number): string {
  switch (end.kind) {
    case 'ended':
      return end.value ?? '';
    case 'exited':
      return `[The program left with exit code ${end.code}.]`;
    case 'refused':
      return `[The program was stopped: it called ${end.name}, which reaches out of Python. There is no JavaScript, no native library, no network and no process here.]`;
    case 'crashed':
      return `[The interpreter was stopped: ${why(end.why, memory_mb)}.]`;
    case 'stopped':
      return '[The program was stopped before it was done.]';
  }
}

function why(text: string, memory_mb: number): string {
  if (text.includes('call stack')) return 'the recursion was too deep';
  if (text === 'unreachable' || text.includes('out of bounds'))
    return `Python gave up, perhaps for want of memory (there are ${memory_mb} MB)`;
  return text;
}
