import type { RecordOf } from '../../../src/protocol/events.js';
import type { RunWorld } from './run-world.js';

/** The first approval that a run asks for, as soon as it is in the log. */
export function askedIn(world: RunWorld): Promise<RecordOf<'APPROVAL_REQUIRED'>> {
  return firstIn(world, 'APPROVAL_REQUIRED');
}

/** The first record of a type, as soon as it is in the log. */
export function firstIn<T extends 'APPROVAL_REQUIRED' | 'INPUT_REQUIRED'>(
  world: RunWorld,
  type: T,
): Promise<RecordOf<T>> {
  return new Promise((resolve) => {
    const look = async () => {
      const [first] = await world.all(type);
      if (first) resolve(first);
    };
    world.bus.frames(world.interactionId).subscribe(() => void look());
    void look();
  });
}
