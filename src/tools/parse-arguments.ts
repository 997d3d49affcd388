import type { CheckedArguments } from './check-arguments.js';
import { toErrorText } from './to-text.js';

/** Objects and lists in each other. What walks through an input step by step runs out of stack at some thousands. */
const MAX_DEPTH = 100;

/** The JSON object that a model wrote as arguments of a tool, or what is wrong with it; nothing at all counts as `{}`. */
export function parseArguments(toolName: string, text: string): CheckedArguments {
  const parsed = parseObject(text);
  if (parsed.ok) return parsed;
  const fault = `The arguments of ${toolName} are not ${parsed.fault}. Send one JSON object.`;
  return { ok: false, fault };
}

function parseObject(text: string): CheckedArguments {
  if (text.trim() === '') return { ok: true, input: {} };
  try {
    const input: unknown = JSON.parse(text);
    if (!isObject(input)) return { ok: false, fault: 'a JSON object' };
    if (isDeeper(input, MAX_DEPTH))
      return { ok: false, fault: `usable: they are nested more than ${MAX_DEPTH} deep` };
    return { ok: true, input };
  } catch (error) {
    return { ok: false, fault: `valid JSON (${toErrorText(error)})` };
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isDeeper(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return depth === 0 || Object.values(value).some((item) => isDeeper(item, depth - 1));
}
