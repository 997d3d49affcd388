import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { LinearRegex } from '../../matching/linear-regex.js';
import { FileTree } from '../../workspace/tree/file-tree.js';
import type { Workspace } from '../../workspace/workspace.js';
import { Answer } from '../search/answer.js';
import { compilePathGlob } from '../search/path-glob.js';
import { globInput, pathInput, regexInput } from '../search/search-inputs.js';
import { SearchTool } from '../search/search-tool.js';
import type { ToolOutput } from '../core/tool-output.js';
import { ToolProvider } from '../core/tool-provider.decorator.js';
import type { ToolContext } from '../core/tool.js';
import type { Cut } from '../../kernel/text/cut-text.js';
import { LineSearch } from './line-search.js';

const MAX_LINES = 1000;

const input = z.object({
  pattern: regexInput.describe('A regular expression (RE2 syntax) that is matched with each line.'),
  path: pathInput.describe(
    'A folder or file to search, relative to the workspace; all unless given.',
  ),
  glob: globInput
    .optional()
    .describe('Only files like this: *.ts in any folder, or with a / the path below `path`.'),
  ignore_case: z.boolean().optional().describe('Large and small letters are the same.'),
});

type Input = z.output<typeof input>;

interface Searched {
  readonly workspace: Workspace;
  readonly tree: FileTree;
  readonly cut: Cut;
}

/** Finds lines in the files of the chat's workspace. */
@Injectable()
@ToolProvider()
export class GrepTool extends SearchTool<Input> {
  readonly name = 'grep';
  readonly description =
    'Searches the files of the workspace for lines that match a regular expression, and answers them as path:line: text. Files that .gitignore names, .git, links, binary and very large files are left out.';
  readonly input = input;

  override summarize({ pattern, path, glob }: Input): string {
    const where = path || 'the workspace';
    return `Search ${where}${glob === undefined ? '' : ` (${glob})`} for lines that match: ${pattern}`;
  }

  async execute(asked: Input, context: ToolContext): Promise<ToolOutput> {
    const { chat_uid, signal, cut } = context;
    const shows = await context.may_show([this.name, 'read']);
    return this.workspaces.use(chat_uid, (workspace) =>
      this.search(asked, { workspace, tree: new FileTree(workspace, { signal, shows }), cut }),
    );
  }

  /** Skips files that may not be shown: a match alone would reveal their content. */
  private async search(
    { pattern, path = '.', glob, ignore_case = false }: Input,
    { workspace, tree, cut }: Searched,
  ): Promise<ToolOutput> {
    const { path: at, stats } = await workspace.resolve(path);
    const isFolder = stats.isDirectory();
    const files = isFolder ? tree.below(at) : tree.file(at);
    const isWanted = fileMatcher(
      glob,
      isFolder ? at : at.slice(0, Math.max(0, at.lastIndexOf('/'))),
    );
    const regex = LinearRegex.compile(pattern, { ignoreCase: ignore_case });
    const lines = new LineSearch(regex, tree, cut);
    const answer = new Answer(this.limits.toolOutputLimit, MAX_LINES);
    const found = new Set<string>();
    const matches: object[] = [];
    for await (const group of files) {
      const wanted = group.filter((file) => isWanted(file.path));
      for await (const { file, number, text } of lines.in(wanted)) {
        const gap = found.size > 0 && !found.has(file) ? '\n' : '';
        if (!answer.add(`${gap}${file}:${number}: ${text}`)) break;
        found.add(file);
        matches.push({ path: file, line: number, text });
      }
      if (answer.isFull) break;
    }
    const summary = summaryOf(answer.found, found.size);
    return answer.end(summary, tree.leftOut.remarks(), { matches });
  }
}

function summaryOf(lines: number, files: number): string {
  if (lines === 0) return 'No line matches.';
  return `${lines} ${lines === 1 ? 'line' : 'lines'} in ${files} ${files === 1 ? 'file' : 'files'}`;
}

/**
 * Returns a predicate: true if the glob covers a file. A glob without a slash matches the name in
 * any folder, one with a slash the path below `at`.
 */
function fileMatcher(glob: string | undefined, at: string): (path: string) => boolean {
  if (glob === undefined) return () => true;
  const plain = glob.replace(/^(?:\.?\/)+/, '');
  const wanted = compilePathGlob(glob.includes('/') ? plain : `**/${plain}`);
  return (path) => wanted(at === '' ? path : path.slice(at.length + 1));
}
