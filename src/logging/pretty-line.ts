import type { ErrorDescription } from './describe-error.js';

const COLOURS: Readonly<Record<string, number>> = {
  fatal: 31,
  error: 31,
  warn: 33,
  info: 32,
  debug: 36,
  trace: 90,
};

interface Entry {
  readonly level: string;
  readonly time: string;
  readonly pid?: number;
  readonly context?: string;
  readonly message?: string;
  readonly err?: ErrorDescription;
}

/** One entry of the JSON log as a person at a terminal wants to read it: `12:00:01.250  info  [Runner] message  key=value`. */
export function prettyLine(json: string, isColoured: boolean): string {
  const paint = (code: number, text: string): string =>
    isColoured ? `\u001b[${code}m${text}\u001b[0m` : text;
  const { level, time, context, message, err, pid: _pid, ...rest } = JSON.parse(json) as Entry;
  const head = [
    paint(90, time.slice(11, 23)),
    paint(COLOURS[level] ?? 0, level.padStart(5)),
    ...(context ? [paint(90, `[${context}]`)] : []),
    ...(message ? [message] : []),
    ...Object.entries(rest).map(([key, value]) => paint(90, `${key}=${inline(value)}`)),
  ];
  return `${head.join(' ')}\n${err ? describe(err) : ''}`;
}

function inline(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function describe({ type, message, stack, cause }: ErrorDescription): string {
  const text = (stack ?? `${type}: ${message}`).replaceAll('\n', '\n  ');
  return `  ${text}\n${cause ? `  caused by:\n${describe(cause)}` : ''}`;
}
