const NAME = 'parley.thoughts';
const MOST = 200;

/** For how long the thought was watched in this tab; 0: it was not. */
export function keptSeconds(block_id: string): number {
  return kept().find(([id]) => id === block_id)?.[1] ?? 0;
}

export function keepSeconds(block_id: string, seconds: number): void {
  const others = kept().filter(([id]) => id !== block_id);
  sessionStorage.setItem(NAME, JSON.stringify([...others, [block_id, seconds]].slice(-MOST)));
}

/** Seconds by the id of the block, the oldest first. */
function kept(): readonly (readonly [string, number])[] {
  return JSON.parse(sessionStorage.getItem(NAME) ?? '[]') as [string, number][];
}
