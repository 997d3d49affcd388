import type { CheckedArguments } from './check-arguments.js';
import { toErrorText } from './to-text.js';

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
    return isObject(input) ? { ok: true, input } : { ok: false, fault: 'a JSON object' };
  } catch (error) {
    return { ok: false, fault: `valid JSON (${toErrorText(error)})` };
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
