import { cutText } from '../files/cut-text.js';
import { ToolFault } from '../files/tool-fault.js';
import type { PageOptions } from './number-lines.js';
import { showText } from './show-text.js';
import type { ShownText } from './show-text.js';

/** Longer lines are broken: otherwise they would be truncated, and their rest could not be read. */
const MAX_LINE = 1_500;

/**
 * Shows the output of an earlier call in the format of a file.
 * @throws ToolFault if there is no such output or line
 */
export function showOutput(
  path: string,
  output: string | undefined,
  options: PageOptions,
): ShownText {
  if (output === undefined)
    throw new ToolFault(
      `${path} is not there: no earlier call of this chat has that id. Make the call again if its output is needed.`,
    );
  const text = output.split('\n').flatMap(broken).join('\n');
  return showText(path, { text: `${text}\n`, has_mark: false }, options);
}

function broken(line: string): string[] {
  const parts: string[] = [];
  let rest = line;
  for (; rest.length > MAX_LINE; rest = rest.slice(parts.at(-1)!.length))
    parts.push(cutText(rest, MAX_LINE));
  return [...parts, rest];
}
