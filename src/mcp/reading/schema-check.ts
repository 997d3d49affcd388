import { createContext, Script } from 'node:vm';
import { Ajv } from 'ajv';
import type { Options, ValidateFunction } from 'ajv';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { findExcess } from '../../kernel/json/bounded-json.js';
import type { JsonLimits } from '../../kernel/json/bounded-json.js';
import { LinearRegex } from '../../matching/linear-regex.js';
import { cutText } from '../../kernel/text/cut-text.js';

/**
 * Maximum CPU time in milliseconds for checking an input against a schema: references may take
 * forever.
 */
const MAX_CHECK_MS = 50;
/** The same for compiling one within the limits below, none of which is known to need it. */
const MAX_COMPILE_MS = 500;
/** Limits of a schema that is compiled: more would block the event loop. */
const MAX_SCHEMA: JsonLimits = { depth: 100, values: 1_000, fields: 1_000 };
/** In characters. */
const MAX_PATTERN = 1_000;
/** In characters. */
const MAX_FAULT = 2_000;

/** Returns the faults of an input; undefined: none are known. */
export type SchemaCheck = (input: unknown) => string | undefined;

type Schema = Readonly<Record<string, unknown>>;

/**
 * The check of inputs against a server's schema. These are left to the server: a schema that is
 * large or can't be compiled, a pattern that is long or not linear, a check that takes too long.
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
    const isLarge = findExcess(JSON.stringify(schema), MAX_SCHEMA) !== undefined;
    if (!ajv || isLarge || '$async' in schema) return undefined;
    const validate = withinTime<ValidateFunction>(MAX_COMPILE_MS, () => ajv.compile(schema));
    return (input) => {
      if (validate(input)) return undefined;
      return cutText(ajv.errorsText(validate.errors), MAX_FAULT);
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
  code: {
    regExp: Object.assign(linearPattern, { code: 'linearPattern' }),
    optimize: false, // takes many times as long as all other compiling
  },
};

/** The validator of the schema's dialect, 2020-12 by default; undefined for an unknown dialect. */
function dialectOf({ $schema }: Schema): Ajv | undefined {
  const dialect = typeof $schema === 'string' ? $schema : '2020-12';
  if (dialect.includes('2020-12')) return new Ajv2020(OPTIONS);
  if (dialect.includes('2019-09')) return new Ajv2019(OPTIONS);
  return /draft-0[67]/.test(dialect) ? new Ajv(OPTIONS) : undefined;
}

function linearPattern(pattern: string): { test: (text: string) => boolean } {
  if (pattern.length > MAX_PATTERN) return { test: () => true };
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
 * Runs code on untrusted data, which may make it run forever, with a limit of CPU time. Where other
 * processes took the processor, it is run again with more time: the load of the machine decides
 * nothing.
 * @throws Error with the code `ERR_SCRIPT_EXECUTION_TIMEOUT` beyond the limit
 */
function withinTime<T>(cpu_ms: number, work: () => T): T {
  place.work = work;
  const before = process.cpuUsage();
  try {
    for (let timeout = cpu_ms; ; timeout *= 2) {
      try {
        return script.runInContext(context, { timeout }) as T;
      } catch (error) {
        const { user, system } = process.cpuUsage(before);
        if (!isTimeout(error) || user + system >= cpu_ms * 1_000) throw error;
      }
    }
  } finally {
    delete place.work;
  }
}

function isTimeout(error: unknown): boolean {
  return Object(error).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
}
