import { STORES } from '../e2e/stores.js';
import { dataKeyStoreContract } from './data-key-store.contract.js';

for (const kind of STORES) {
  const title = `Data keys on ${kind.name}`;
  if (kind.fault) describe.skip(`${title}: ${kind.fault}`, () => it('is skipped', () => {}));
  else dataKeyStoreContract(title, () => kind.open());
}
