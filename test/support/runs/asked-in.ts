import type { RecordOf } from '../../../src/protocol/events.js';
import type { RunWorld } from './run-world.js';

/** The first approval that a run asks for, as soon as it is in the log. */
export function askedIn(world: RunWorld): Promise<RecordOf<'APPROVAL_REQUIRED'>> {
  return new Promise((resolve) => {
    const look = async () => {
      const [asked] = await world.all('APPROVAL_REQUIRED');
      if (asked) resolve(asked);
    };
    world.bus.frames(world.interactionId).subscribe(() => void look());
    void look();
  });
}
