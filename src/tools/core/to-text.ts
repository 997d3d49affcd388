import { unmarkNumbers } from '../../kernel/json/exact-json.js';
import { ToolOutput } from './tool-output.js';

/** Converts a tool's answer of any type to text. Never throws. */
export function toText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value instanceof ToolOutput) return value.text;
  if (value === undefined || value === null) return '';
  try {
    const text: string | undefined = JSON.stringify(value, bigintsAsText);
    return text === undefined ? noText(value) : unmarkNumbers(text);
  } catch {
    return noText(value);
  }
}

/** Returns the message of an error, without its stack. Never throws. */
export function toErrorText(error: unknown): string {
  try {
    const text = error instanceof Error ? error.message : toText(error);
    return text || 'no reason given';
  } catch {
    return 'no reason given';
  }
}

function noText(value: unknown): string {
  return `[${typeof value} that can't be shown as text]`;
}

function bigintsAsText(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? value.toString() : value;
}
