import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv';
import { createContext, Script } from 'node:vm';

/**
 * Timeouts in milliseconds for compiling a server's schema and for checking an input against it:
 * patterns and references may take forever.
 */
const MAX_READ_MS = 1_000;
const MAX_CHECK_MS = 200;
/** In characters. */
const MAX_FAULT = 2_000;

/** Returns the faults of an input; undefined: it is valid. */
export type SchemaCheck = (input: unknown) => string | undefined;

/** @throws Error if the schema can't be used */
export function schemaCheck(schema: Readonly<Record<string, unknown>>): SchemaCheck {
  if ('$async' in schema) throw new Error('its schema is asynchronous');
  const validate = inTime('its schema takes too long to read', MAX_READ_MS, () =>
    new AjvJsonSchemaValidator().getValidator(schema),
  );
  return (input) => {
    const tooLong = "its server's schema takes too long to check them against";
    const { valid, errorMessage } = inTime(tooLong, MAX_CHECK_MS, () => validate(input));
    return valid ? undefined : errorMessage.slice(0, MAX_FAULT).toWellFormed();
  };
}

function inTime<T>(fault: string, ms: number, work: () => T): T {
  try {
    return withinTime(ms, work);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw cause;
    throw new Error(fault, { cause });
  }
}

const place: { work?: () => unknown } = {};
const context = createContext(place);
const script = new Script('work()');

/**
 * Runs code on untrusted data, which may make it run forever, with a timeout.
 * @throws Error with the code `ERR_SCRIPT_EXECUTION_TIMEOUT` on timeout
 */
function withinTime<T>(timeout: number, work: () => T): T {
  place.work = work;
  try {
    return script.runInContext(context, { timeout }) as T;
  } finally {
    delete place.work;
  }
}
