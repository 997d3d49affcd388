const MAX_LENGTH = 64;

/** What a model called a tool, as every provider takes it back: one that is refused would block the conversation for good (I8). */
export function usableToolName(name: string): string {
  return name.slice(0, MAX_LENGTH).replaceAll(/[^A-Za-z0-9_-]/g, '_') || 'unnamed';
}
