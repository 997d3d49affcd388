import { isOutdated } from 'parley/client';
import { client } from '../session/client';
import { Store } from '../ui/store';
import { feedConnection } from './shared-feed';

/** The server is older than the page needs. */
export const isServerOutdated = new Store(false);

/** Asks for the version with each connection: another server may be there then. */
export function watchServerVersion(): void {
  feedConnection.subscribe(() => {
    if (feedConnection.get() === 'live') void check();
  });
}

async function check(): Promise<void> {
  const ready = await client.health.ready().catch(() => undefined);
  if (ready) isServerOutdated.set(isOutdated(ready.version));
}
