import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv';
import { createContext, Script } from 'node:vm';

/** Milliseconds for a server's schema to be read, and for an input to be checked against it: patterns and references can take for ever. */
const MAX_READ_MS = 1_000;
const MAX_CHECK_MS = 200;
/** Characters. */
const MAX_FAULT = 2_000;

/** What is wrong with an input; undefined: nothing. */
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

/** Does what somebody else's data may make endless; it is cut off after a time. @throws Error with the code `ERR_SCRIPT_EXECUTION_TIMEOUT` then */
function withinTime<T>(timeout: number, work: () => T): T {
  place.work = work;
  try {
    return script.runInContext(context, { timeout }) as T;
  } finally {
    delete place.work;
  }
}
