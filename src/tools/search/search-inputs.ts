import { z } from 'zod';
import { compileGlob } from '../../matching/glob.js';
import { LinearRegex } from '../../matching/linear-regex.js';
import { messageOf } from '../../kernel/app-error.js';

const MAX_LENGTH = 1000;

/** A longer text is not compiled: one of 1 MiB would take minutes. */
const text = z
  .string()
  .min(1, "Give something to look for, such as '**/*.ts'.")
  .max(MAX_LENGTH, { abort: true });

/** A glob over paths. */
export const globInput = text.superRefine((pattern, context) => {
  if (/^(?:\/|~|[A-Za-z]:)|(?:^|\/)\.\.(?:\/|$)/.test(pattern))
    context.addIssue(
      'Globs are relative, without "..": nothing outside of the workspace is found.',
    );
  const fault = faultOf(() => compileGlob(pattern));
  if (fault !== undefined) context.addIssue(`No glob: ${fault}.`);
});

/** A regular expression that runs in linear time. */
export const regexInput = text.superRefine((pattern, context) => {
  const fault = faultOf(() => LinearRegex.compile(pattern));
  if (fault !== undefined)
    context.addIssue(
      `No regular expression: ${fault}. The syntax is RE2's: no look-around, no back references, and \\ before a special character that is meant as itself.`,
    );
});

export const pathInput = z
  .string()
  .max(MAX_LENGTH * 4)
  .optional();

function faultOf(work: () => unknown): string | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}
