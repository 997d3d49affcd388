import { AsyncLocalStorage } from 'node:async_hooks';
import { TestEnvironment } from 'jest-environment-node';

const used = new Set();

for (const name of ['run', 'enterWith']) {
  const method = AsyncLocalStorage.prototype[name];
  AsyncLocalStorage.prototype[name] = function (...args) {
    used.add(this);
    return method.apply(this, args);
  };
}

/**
 * In Node 20 every promise is handed to each AsyncLocalStorage that was ever used, and each spec
 * file has its own ones: without this, a worker becomes slower with every file.
 */
// oxlint-disable-next-line import/no-default-export -- Jest asks for it
export default class ReleasedContexts extends TestEnvironment {
  async teardown() {
    for (const storage of used) storage.disable();
    used.clear();
    await super.teardown();
  }
}
