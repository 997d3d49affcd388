import type { Stores } from '../persistence/stores.js';
import type { RuleStore } from '../permissions/rule-store.js';
import type { UsageStore } from '../quotas/usage-store.js';
import type { TaskStore } from '../tasks/task-store.js';

/** All stores: an implementation of each port. */
export interface AllStores extends Stores {
  readonly rules: RuleStore;
  readonly tasks: TaskStore;
  readonly usage: UsageStore;
  /** Those of `RunStores`; undefined: the same. */
  readonly runs?: Stores;
}
