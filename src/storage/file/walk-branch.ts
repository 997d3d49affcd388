import type { InteractionLog } from './interaction-log.js';

type Find = (interactionId: string) => InteractionLog | undefined;

/** From one interaction back along the parents, as far as they are there. Files that somebody has edited may lead round in a circle. */
export function* walkBranch(find: Find, from: string | null): Generator<InteractionLog> {
  const seen = new Set<InteractionLog>();
  for (let id = from; id !== null;) {
    const log = find(id);
    if (!log || seen.has(log)) return;
    seen.add(log);
    yield log;
    id = log.state.parent_id;
  }
}
