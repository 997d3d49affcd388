import { createContext, Script } from 'node:vm';

const place: { work?: () => unknown } = {};
const context = createContext(place);
const script = new Script('work()');

/** Does what somebody else's data may make endless; it is cut off after a time. @throws Error with the code `ERR_SCRIPT_EXECUTION_TIMEOUT` then */
export function withinTime<T>(timeout: number, work: () => T): T {
  place.work = work;
  try {
    return script.runInContext(context, { timeout }) as T;
  } finally {
    delete place.work;
  }
}
