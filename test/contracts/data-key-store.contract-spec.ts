import { STORES } from '../e2e/stores.js';
import { dataKeyStoreContract } from './data-key-store.contract.js';
import { skipContract } from '../support/skip-contract.js';

for (const kind of STORES) {
  const title = `Data keys on ${kind.name}`;
  if (kind.fault) skipContract(title, kind.fault);
  else dataKeyStoreContract(title, () => kind.open());
}
