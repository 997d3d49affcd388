import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { MAX_FILE_BYTES } from '../../workspace/read-file.js';
import { missing } from '../../workspace/workspace-fault.js';
import { diffData } from '../workspace-files/describe-change.js';
import { FileChanges } from '../workspace-files/file-changes.js';
import type { FileChange } from '../workspace-files/file-changes.js';
import { pathInput, textInput } from '../workspace-files/inputs.js';
import { decodeText, encodeText } from '../workspace-files/text-content.js';
import { ToolFault } from '../workspace-files/tool-fault.js';
import { ToolOutput } from '../core/tool-output.js';
import { ToolProvider } from '../core/tool-provider.decorator.js';
import { Tool } from '../core/tool.js';
import type { CallAbout, ToolContext, ToolPolicy } from '../core/tool.js';
import { numberLine } from '../read/number-lines.js';
import type { Cut } from '../../kernel/text/cut-text.js';
import { nearestLines } from './nearest-lines.js';
import type { NearLines } from './nearest-lines.js';
import { MAX_PLACES, replaceText } from './replace-text.js';
import type { Places } from './replace-text.js';

const input = z
  .object({
    path: pathInput,
    old_string: textInput
      .min(1, 'Say what to replace. To make a file, use write.')
      .describe('Exactly as it is in the file, white space included, without line numbers.'),
    new_string: textInput.describe('What takes its place.'),
    replace_all: z
      .boolean()
      .default(false)
      .describe('Everywhere; without it, it has to be unique.'),
  })
  .refine(({ old_string, new_string }) => old_string !== new_string, {
    path: ['new_string'],
    message: 'It is the same as old_string: nothing would change.',
  });

type Input = z.output<typeof input>;

/** Replaces text in a file of the chat's workspace. */
@Injectable()
@ToolProvider()
export class EditTool extends Tool<Input> {
  readonly name = 'edit';
  readonly description =
    'Replaces a piece of text in a file of the workspace. The file has to be read first. old_string has to be in it exactly once, unless replace_all is set; take enough of the text around it to make it unique. Line endings stay as they are.';
  readonly input = input;
  /** Not idempotent: a second run may fail or insert its text twice (I4). */
  readonly policy: ToolPolicy = {
    category: 'write',
    read_only: false,
    risk: 'medium',
    recovery: 'report',
  };
  override readonly announces_start = true;
  override readonly uses_workspace = true;

  constructor(private readonly changes: FileChanges) {
    super();
  }

  override async summarize(value: Input, about: CallAbout): Promise<string> {
    return `Edit ${await this.changes.preview(new Edit(value).change, about)}`;
  }

  async execute(value: Input, context: ToolContext): Promise<ToolOutput> {
    const edit = new Edit(value);
    const { before, after, seen } = await this.changes.make(edit.change, context);
    const data = diffData({ path: value.path, before, after }, context.cut);
    return new ToolOutput(`Edited ${value.path}: ${edit.describe()}.`, { journal: { seen }, data });
  }
}

/** Edit with the lines that it changed. */
class Edit {
  private lines: readonly number[] = [];
  private count = 0;

  constructor(private readonly wanted: Input) {}

  get change(): FileChange {
    const { path } = this.wanted;
    return { tool_name: 'edit', path, apply: (before, cut) => this.apply(before, cut) };
  }

  describe(): string {
    const where = [...new Set(this.lines)].join(', ');
    if (this.count === 1) return `replaced it in line ${where}`;
    const more = this.count > MAX_PLACES ? ', …' : '';
    return `replaced it ${this.count} times, in lines ${where}${more}`;
  }

  private apply(before: Buffer | undefined, cut: Cut): Buffer {
    const { path, old_string } = this.wanted;
    if (!before) throw missing(path);
    const content = decodeText(before);
    if (!content.ok) throw new ToolFault(`${path} ${content.fault}.`);
    const replaced = replaceText(content.text, this.wanted, MAX_FILE_BYTES);
    switch (replaced.kind) {
      case 'none':
        throw noMatch(path, { text: content.text, old_string, cut });
      case 'several':
        throw severalMatches(path, { text: content.text, places: replaced, cut });
      case 'too_many':
        throw new ToolFault(
          `old_string is in ${path} ${replaced.count} times, which are too many for one edit. Replace them with bash, such as with sed.`,
        );
      case 'too_large':
        throw new ToolFault(
          `${path} would become ${replaced.length} characters long, which is too much.`,
        );
      case 'replaced':
        if (replaced.text === content.text)
          throw new ToolFault(
            `${path} would be the same as before: only line endings differ, and they stay as they are.`,
          );
        this.lines = replaced.lines;
        this.count = replaced.count;
        return encodeText({ text: replaced.text, has_mark: content.has_mark });
    }
  }
}

/** Maximum number of lines shown per place. */
const MAX_LINES = 8;
const MAX_LINE = 200;
/** The line numbers that `read` puts before the lines. */
// regex: linear, as no line begins in the spaces of another
const NUMBERS = /^ *\d+\t/gm;

/** The text of a file, and what cuts its long lines. */
interface SearchedText {
  readonly text: string;
  readonly cut: Cut;
}

function noMatch(
  path: string,
  { text, old_string, cut }: SearchedText & { readonly old_string: string },
): ToolFault {
  const plain = text.replaceAll('\r\n', '\n');
  const wanted = old_string.replaceAll('\r\n', '\n');
  const bare = wanted.replace(NUMBERS, '');
  const near = nearestLines(plain, bare);
  const said = [`old_string is not in ${path}.`];
  if (bare !== wanted) said.push('Leave out the line numbers that read puts before the lines.');
  if (near.length > 0) said.push('The nearest to it:');
  for (const place of near) said.push(showPlace(place, cut));
  said.push('Copy the text exactly as it is in the file, white space included, and try again.');
  return new ToolFault(said.join('\n'));
}

function severalMatches(
  path: string,
  { text, places: { lines, count }, cut }: SearchedText & { readonly places: Places },
): ToolFault {
  const all = text.split(/\r?\n/, Math.max(...lines));
  const places = [...new Set(lines)].map((line) =>
    numberLine(line, all[line - 1]!, { most: MAX_LINE, cut }),
  );
  const more = count > MAX_PLACES ? `\n[… and ${count - MAX_PLACES} more]` : '';
  return new ToolFault(
    `old_string is in ${path} ${count} times, and has to be there once. It begins in these lines:\n${places.join('\n')}${more}\nTake more of the text around the one that is meant, or set replace_all.`,
  );
}

function showPlace({ first, lines, is_spaced }: NearLines, cut: Cut): string {
  const shown = lines
    .slice(0, MAX_LINES)
    .map((line, at) => numberLine(first + at, line, { most: MAX_LINE, cut }));
  if (lines.length > MAX_LINES) shown.push(`[… ${lines.length - MAX_LINES} more lines]`);
  const last = first + lines.length - 1;
  const where = last === first ? `Line ${first}` : `Lines ${first} to ${last}`;
  const remark = is_spaced ? ' (only white space differs)' : '';
  return `${where}${remark}:\n${shown.join('\n')}`;
}
