import type { ZodError } from 'zod';
import type { Tool } from './tool.js';
import { toErrorText } from './to-text.js';
import { findExcess, objectText } from '../../kernel/json/bounded-json.js';
import { findInexact, parseExact, parseWithDigits } from '../../kernel/json/exact-json.js';
import { isObject } from '../../kernel/json/json.js';
import type { Json } from '../../protocol/json.js';

/** The parsed input of a tool, or the fault of its arguments. */
export type CheckedArguments =
  { readonly ok: true; readonly input: unknown } | ({ readonly ok: false } & ArgumentsFault);

interface ArgumentsFault {
  /** The fault as the model sees it, so that it can correct the call. */
  readonly fault: string;
  /** The fault as people see it, without advice for the model; only if it differs. */
  readonly fault_for_people?: string;
}

/** Maximum number of faults reported; more would not help a model. */
const MAX_FAULTS = 20;
/** Maximum digits of a number that a fault shows. */
const MAX_SHOWN = 100;

/** `text` is the JSON that the model wrote, as for `parseArguments`. */
export function checkArguments(tool: Tool, text: string): CheckedArguments {
  const parsed = parseArguments(tool, text);
  if (!parsed.ok) return parsed;
  const inexact = tool.exact_numbers ? undefined : findInexact(objectText(text));
  if (inexact !== undefined) return fail(describeInexact(tool, inexact));
  try {
    const result = tool.input.safeParse(parsed.input);
    if (result.success) return { ok: true, input: result.data };
    const fault_for_people = describe(tool, result.error);
    const fault = `${fault_for_people}\nFix them and call it again.`;
    return { ok: false, fault, fault_for_people };
  } catch (error) {
    return fail(`The arguments of ${tool.name} could not be checked: ${toErrorText(error)}`);
  }
}

function describe({ name }: Tool, { issues }: ZodError): string {
  const lines = issues
    .slice(0, MAX_FAULTS)
    .map(({ path, message }) => `- ${path.map(String).join('.') || 'input'}: ${message}`);
  if (issues.length > MAX_FAULTS) lines.push(`- and ${issues.length - MAX_FAULTS} more`);
  return `The arguments of ${name} don't fit its input:\n${lines.join('\n')}`;
}

function describeInexact({ name }: Tool, number: string): string {
  const shown = number.length > MAX_SHOWN ? `${number.slice(0, MAX_SHOWN)}…` : number;
  return `The arguments of ${name} have the number ${shown}, which would be changed: ${name} takes numbers of up to 15 digits. Round it, or write it as a string.`;
}

function fail(fault: string): CheckedArguments {
  return { ok: false, fault };
}

/**
 * The arguments of a call, as permission rules read them: a number that a double would change is
 * the string of its digits.
 * @throws SyntaxError also beyond the limits of a document
 */
export function judgedArguments(text: string): Json {
  const json = objectText(text);
  const excess = findExcess(json);
  if (excess !== undefined) throw new SyntaxError(excess);
  return parseWithDigits(json) as Json;
}

/**
 * Parses the JSON object that a model wrote as arguments of a tool, with its numbers as they were
 * written if the tool takes them, or returns its fault. Other texts are read as `objectText` does.
 */
export function parseArguments(
  { name, exact_numbers: isExact = false }: Pick<Tool, 'name' | 'exact_numbers'>,
  text: string,
): CheckedArguments {
  const parsed = parseObject(text, isExact ? parseExact : JSON.parse);
  if (parsed.ok) return parsed;
  const fault = `The arguments of ${name} are not ${parsed.fault}. Send one JSON object.`;
  return { ok: false, fault };
}

function parseObject(written: string, parse: (text: string) => unknown): CheckedArguments {
  const text = objectText(written);
  const excess = findExcess(text);
  if (excess !== undefined) return { ok: false, fault: `usable: they have ${excess}` };
  try {
    const input = parse(text);
    if (!isObject(input)) return { ok: false, fault: 'a JSON object' };
    return { ok: true, input };
  } catch (error) {
    return { ok: false, fault: `valid JSON (${toErrorText(error)})` };
  }
}
