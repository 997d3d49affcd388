import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { normalizeText } from '../../kernel/text/normalize-text.js';
import { FileTree } from '../../workspace/tree/file-tree.js';
import { unsuitable } from '../../workspace/workspace-fault.js';
import { Answer } from '../search/answer.js';
import { compilePathGlob } from '../search/path-glob.js';
import { globInput, pathInput } from '../search/search-inputs.js';
import { SearchTool } from '../search/search-tool.js';
import type { ToolOutput } from '../core/tool-output.js';
import { ToolProvider } from '../core/tool-provider.decorator.js';
import type { ToolContext } from '../core/tool.js';

const MAX_FILES = 1000;

const input = z.object({
  pattern: globInput.describe(
    'Matched with paths below `path`: * and ? stay in a folder, ** crosses folders. For example **/*.ts, src/**/*.{test,spec}.ts, docs/*',
  ),
  path: pathInput.describe('The folder to look in, relative to the workspace; all unless given.'),
});

type Input = z.output<typeof input>;

/** Finds files in the chat's workspace by their names. */
@Injectable()
@ToolProvider()
export class GlobTool extends SearchTool<Input> {
  readonly name = 'glob';
  readonly description =
    'Finds files in the workspace by a glob over their paths, sorted by path. Files that .gitignore names, .git and links are left out.';
  readonly input = input;

  override summarize({ pattern, path }: Input): string {
    return `Find files by name in ${path || 'the workspace'}: ${pattern}`;
  }

  async execute({ pattern, path = '.' }: Input, context: ToolContext): Promise<ToolOutput> {
    const glob = toPlainGlob(pattern);
    const shows = await context.may_show([this.name]);
    return this.workspaces.use(context.chat_uid, async (workspace) => {
      const { path: at, stats } = await workspace.resolve(path);
      if (!stats.isDirectory()) throw unsuitable(path, 'is a file, not a folder');
      const enters = literalFolders(glob, at);
      const tree = new FileTree(workspace, { signal: context.signal, shows, enters });
      return this.list(tree, glob, at);
    });
  }

  private async list(tree: FileTree, glob: string, at: string): Promise<ToolOutput> {
    const wanted = compilePathGlob(glob);
    const answer = new Answer(this.limits.toolOutputLimit, MAX_FILES);
    for await (const files of tree.below(at)) {
      if (answer.isFull) break;
      for (const { path } of files) {
        const isMatch = wanted(at === '' ? path : path.slice(at.length + 1));
        if (isMatch && !answer.add(path)) break;
      }
    }
    return answer.end(summaryOf(answer.found, glob), tree.leftOut.remarks());
  }
}

function toPlainGlob(pattern: string): string {
  return pattern.replace(/\/{2,}/g, '/').replace(/^(?:\.\/)+/, '');
}

function summaryOf(found: number, glob: string): string {
  if (found > 0) return found === 1 ? '1 file' : `${found} files`;
  if (glob.includes('/')) return 'No file has such a path.';
  return `No file has such a path; **/${glob} would also look in the folders below.`;
}

/**
 * Returns a predicate: true if the glob may match in a folder. A glob that begins with literal
 * folder names matches in no other folders.
 */
function literalFolders(pattern: string, at: string): (path: string) => boolean {
  const names = pattern.split('/').slice(0, -1);
  const magic = names.findIndex((name) => /[*?[\]{}\\,]/.test(name));
  const literal = (magic === -1 ? names : names.slice(0, magic)).filter((name) => name !== '.');
  const wanted = normalizeText([at, ...literal].filter((name) => name !== '').join('/'), 'NFC');
  return (path) => {
    const folder = normalizeText(path, 'NFC');
    return wanted === '' || isOnTheWay(folder, wanted) || isOnTheWay(wanted, folder);
  };
}

function isOnTheWay(path: string, to: string): boolean {
  return to === path || to.startsWith(`${path}/`);
}
