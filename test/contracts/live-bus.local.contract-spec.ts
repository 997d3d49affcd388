import { LocalLiveBus } from '../../src/event-log/live/local/local-live-bus.js';
import { liveBusContract } from './live-bus.contract.js';

liveBusContract(LocalLiveBus.name, async () => {
  const bus = new LocalLiveBus();
  return { publisher: bus, subscriber: bus, close: async () => {} };
});
