import { describeAgents } from './interaction-store/agents.js';
import { describeAppends } from './interaction-store/appends.js';
import { describeBranches } from './interaction-store/branches.js';
import { describeChats } from './interaction-store/chats.js';
import { describeInterventions } from './interaction-store/interventions.js';
import { describeLeases, describeSignals } from './interaction-store/leases.js';
import { describeLiveStates } from './interaction-store/live-states.js';
import { describeLosses } from './interaction-store/losses.js';
import { describeModel } from './interaction-store/model.js';
import { describeParking } from './interaction-store/parking.js';
import { describeQueueChanges } from './interaction-store/queue-changes.js';
import { describeQueueing } from './interaction-store/queueing.js';
import { describeReads } from './interaction-store/reads.js';
import { describeRequests } from './interaction-store/requests.js';
import { describeRestarts } from './interaction-store/restarts.js';
import { describeRetries } from './interaction-store/retries.js';
import { describeTenants } from './interaction-store/tenants.js';
import { describeStarts } from './interaction-store/starts.js';
import type { OpenedStore } from './interaction-store/store-under-test.js';
import { StoreUnderTest } from './interaction-store/store-under-test.js';

/**
 * What every `InteractionStore` must do. Guards I1 (committed before seen, no gap), I3 (nothing is
 * lost by a restart), I5 (a request is settled once), I6 (one writer at a time), I9 (one active
 * interaction per chat) and I11 (what is parked rests). The store is opened once; every test uses
 * ids of its own.
 */
export function interactionStoreContract(name: string, open: () => Promise<OpenedStore>): void {
  describe(`${name} as an InteractionStore`, () => {
    const tested = new StoreUnderTest(open);
    beforeAll(() => tested.start());
    afterAll(() => tested.stop());

    describeChats(tested);
    describeStarts(tested);
    describeTenants(tested);
    describeAppends(tested);
    describeRequests(tested);
    describeInterventions(tested);
    describeParking(tested);
    describeQueueing(tested);
    describeQueueChanges(tested);
    describeBranches(tested);
    describeReads(tested);
    describeAgents(tested);
    describeLeases(tested);
    describeLiveStates(tested);
    describeLosses(tested);
    describeSignals(tested);
    describeRestarts(tested);
    describeRetries(tested);
    describeModel(tested);
  });
}
