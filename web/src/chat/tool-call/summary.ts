import type { RecordOf } from 'parley/client';
import { layOutJson } from '../../text/json';
import type { CallItem } from '../items/items';

/** The arguments that say most, in the order in which they are looked for. */
const TELLING = [
  'command',
  'path',
  'file_path',
  'expression',
  'query',
  'pattern',
  'url',
  'prompt',
  'question',
  'title',
  'code',
];
const MOST_HEADLINE = 200;

/** The call that runs in one line: its most telling argument, else all of them. */
export function headline(item: CallItem): string {
  const changed = item.request?.settlement?.modified_input;
  const input = changed ? JSON.stringify(changed) : item.input;
  const values = parsed(input);
  const telling =
    values && TELLING.map((name) => values[name]).find((it) => typeof it === 'string');
  const line = telling ?? titlesIn(values?.['tasks']) ?? (input === '{}' ? '' : input);
  return line.replaceAll(/\s+/g, ' ').slice(0, MOST_HEADLINE);
}

/** The arguments, laid out for people; as they are if they are not whole yet. */
export function inputText({ input, request }: CallItem): string {
  const changed = request?.settlement?.modified_input;
  if (changed) return JSON.stringify(changed, null, 2);
  return layOutJson(input);
}

/** A unified diff that a tool has left for programs. */
export function diffIn(result: RecordOf<'TOOL_RESULT'> | null): string | undefined {
  const diff = result?.data?.['diff'];
  return typeof diff === 'string' && diff !== '' ? diff : undefined;
}

/** Titles of tasks that are written to the board. */
function titlesIn(tasks: unknown): string | undefined {
  if (!Array.isArray(tasks)) return undefined;
  const titles = tasks.map((task: { readonly title?: unknown } | null) => task?.title);
  return titles.filter((title) => typeof title === 'string').join(', ') || undefined;
}

function parsed(input: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(input);
    return typeof value === 'object' && value !== null
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}
