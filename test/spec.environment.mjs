import { AsyncLocalStorage } from 'node:async_hooks';
import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
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
 *
 * Where `TEST_COSTS` names a folder, the CPU-seconds of each spec file are written there.
 */
// oxlint-disable-next-line import/no-default-export -- Jest asks for it
export default class SpecEnvironment extends TestEnvironment {
  #path;
  #startCpu_s = cpu_s();

  constructor(config, context) {
    super(config, context);
    this.#path = context.testPath;
  }

  async teardown() {
    for (const storage of used) storage.disable();
    used.clear();
    await super.teardown();
    this.#writeCost();
  }

  #writeCost() {
    const folder = process.env.TEST_COSTS;
    if (!folder) return;
    const line = JSON.stringify({ path: this.#path, cpu_s: cpu_s() - this.#startCpu_s });
    appendFileSync(join(folder, `${process.pid}.costs`), `${line}\n`);
  }
}

/** Of this process and, where the system tells, of its children that have ended. */
function cpu_s() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6 + childrenCpu_s();
}

function childrenCpu_s() {
  if (process.platform !== 'linux') return 0;
  // proc(5): fields 16 and 17, in ticks of 10 ms; the name before them may have spaces.
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1).split(' ');
  return (Number(fields[13]) + Number(fields[14])) / 100;
}
