import { createContext, Script } from 'node:vm';
import { Ajv } from 'ajv';
import type { Options, ValidateFunction } from 'ajv';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { LinearRegex } from '../matching/linear-regex.js';

/**
 * Timeouts in milliseconds for compiling a server's schema and for checking an input against it:
 * references may take forever.
 */
const MAX_READ_MS = 1_000;
const MAX_CHECK_MS = 100;
/** In characters. */
const MAX_FAULT = 2_000;

/** Returns the faults of an input; undefined: none are known. */
export type SchemaCheck = (input: unknown) => string | undefined;

type Schema = Readonly<Record<string, unknown>>;

/**
 * The check of inputs against a server's schema. Three things are left to the server: a schema that
 * can't be compiled, a pattern that is not linear, a check that takes too long.
 */
export function schemaCheck(schema: Schema): SchemaCheck {
  let check: SchemaCheck | undefined;
  return (input) => {
    check ??= compile(schema) ?? unchecked;
    try {
      return withinTime(MAX_CHECK_MS, () => check!(input));
    } catch {
      check = unchecked; // it would take as long again
      return undefined;
    }
  };
}

function unchecked(): undefined {
  return undefined;
}

/** Undefined for a schema that can't be compiled. */
function compile(schema: Schema): SchemaCheck | undefined {
  try {
    const ajv = dialectOf(schema);
    if (!ajv || '$async' in schema) return undefined;
    const validate = withinTime<ValidateFunction>(MAX_READ_MS, () => ajv.compile(schema));
    return (input) => {
      if (validate(input)) return undefined;
      return ajv.errorsText(validate.errors).slice(0, MAX_FAULT).toWellFormed();
    };
  } catch {
    return undefined;
  }
}

/** Formats are annotations in the default dialect. */
const OPTIONS: Options = {
  strict: false,
  allErrors: true,
  logger: false,
  validateSchema: false,
  validateFormats: false,
  code: { regExp: Object.assign(linearPattern, { code: 'linearPattern' }) },
};

/** The validator of the schema's dialect, 2020-12 by default; undefined for an unknown dialect. */
function dialectOf({ $schema }: Schema): Ajv | undefined {
  const dialect = typeof $schema === 'string' ? $schema : '2020-12';
  if (dialect.includes('2020-12')) return new Ajv2020(OPTIONS);
  if (dialect.includes('2019-09')) return new Ajv2019(OPTIONS);
  return /draft-0[67]/.test(dialect) ? new Ajv(OPTIONS) : undefined;
}

function linearPattern(pattern: string): { test: (text: string) => boolean } {
  try {
    const regex = LinearRegex.compile(pattern);
    return { test: (text) => regex.finds(text) !== false };
  } catch {
    return { test: () => true };
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
