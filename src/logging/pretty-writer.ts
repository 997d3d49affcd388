import { createRequire } from 'node:module';

/**
 * Makes a function that writes a line of JSON for people. Loads pino-pretty, which a server that
 * logs JSON does not need.
 */
export function prettyWriter(write: (text: string) => void): (line: string) => void {
  const require = createRequire(import.meta.url);
  const pretty = require('pino-pretty') as typeof import('pino-pretty');
  const format = pretty.prettyFactory({
    colorize: process.stdout.isTTY && process.stdout.hasColors(),
    messageKey: 'message',
    messageFormat: '{if context}[{context}] {end}{message}',
    translateTime: 'SYS:HH:MM:ss.l',
    ignore: 'pid,context',
    singleLine: true,
  });
  return (line) => write(format(printable(JSON.parse(line))));
}

/** Line breaks, what a terminal executes, and what changes the direction of a text. */
const CONTROLS = /[\p{Cc}\u2028-\u202e\u2066-\u2069]/gu;

/** The texts in a log entry can be anyone's: none may look like another entry. */
function printable(value: unknown): unknown {
  if (typeof value === 'string') return escape(value);
  if (Array.isArray(value)) return value.map(printable);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, member]): [string, unknown] => [
    escape(key),
    key === 'stack' ? printableStack(value) : printable(member),
  ]);
  return Object.fromEntries(entries);
}

/** Keeps the line breaks between frames. */
function printableStack({ stack, message }: { stack?: unknown; message?: unknown }): string {
  const text = String(stack);
  const isQuoted = typeof message === 'string' && message !== '' && text.includes(message);
  const head = isQuoted ? text.indexOf(message) + message.length : 0;
  return escape(text.slice(0, head)) + text.slice(head).split('\n').map(escape).join('\n');
}

function escape(text: string): string {
  return text.replace(CONTROLS, (char) => {
    if (char === '\n') return String.raw`\n`;
    return `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}
