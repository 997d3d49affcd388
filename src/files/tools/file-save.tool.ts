import { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { ToolProvider } from '../../tools/core/tool-provider.decorator.js';
import { Tool } from '../../tools/core/tool.js';
import type { ToolContext, ToolPolicy } from '../../tools/core/tool.js';
import { pathInput, textInput } from '../../tools/workspace-files/inputs.js';
import { requirePermitted } from '../../tools/workspace-files/require-permitted.js';
import { Workspaces } from '../../workspace/workspaces.js';
import { ChatFiles } from './chat-files.js';

const input = z
  .object({
    path: pathInput.optional(),
    content: textInput
      .optional()
      .describe('The text of the file, instead of a path. It needs a filename.'),
    filename: z
      .string()
      .min(1)
      .max(255)
      .refine((text) => !text.includes('\0'), 'No name can have a NUL character in it.')
      .optional()
      .describe('The name by which the user gets it; that of the file unless given.'),
  })
  .refine(
    ({ path, content }) => (path === undefined) !== (content === undefined),
    'Give either the path of a file of the workspace, or the content of a text.',
  )
  .refine(({ content, filename }) => content === undefined || filename !== undefined, {
    path: ['filename'],
    message: 'A text needs a filename, such as notes.md.',
  });

type Input = z.output<typeof input>;

/** Publishes a file of the chat's workspace, or a text, for download. */
@Injectable()
@ToolProvider()
export class FileSaveTool extends Tool<Input> {
  readonly name = 'file_save';
  readonly description =
    'Saves a file for the user, who can download it then: a copy of a file of the workspace (path), or a text (content and filename). Do this with results that are files, such as a report, a chart or a table. Later changes in the workspace do not change the copy.';
  readonly input = input;
  /** Not rerun: each call makes another file (I4). */
  readonly policy: ToolPolicy = {
    category: 'write',
    read_only: false,
    risk: 'medium',
    recovery: 'report',
  };
  override readonly announces_start = true;
  override readonly uses_workspace = true;

  constructor(
    private readonly workspaces: Workspaces,
    private readonly files: ChatFiles,
  ) {
    super();
  }

  override summarize({ path, content, filename }: Input): string {
    if (path === undefined)
      return `Save a text of ${content?.length ?? 0} characters for download as ${filename}`;
    return `Save ${path} for download${filename === undefined ? '' : ` as ${filename}`}`;
  }

  async execute({ path, content = '', filename }: Input, context: ToolContext): Promise<string> {
    if (path !== undefined) return this.saveCopy(path, filename ?? path, context);
    await context.started();
    return this.save(filename ?? '', Readable.from([Buffer.from(content)]), context);
  }

  private saveCopy(path: string, filename: string, context: ToolContext): Promise<string> {
    return this.workspaces.use(context.chat_uid, async (workspace) => {
      const { handle, real_path } = await workspace.openFile(path);
      try {
        await requirePermitted({ tool_name: this.name, path }, real_path, context);
        await context.started();
        const content = handle.createReadStream({ autoClose: false, signal: context.signal });
        return await this.save(filename, content, context);
      } finally {
        await handle.close();
      }
    });
  }

  private async save(filename: string, content: Readable, context: ToolContext): Promise<string> {
    const { id: file_id, size_bytes, ...file } = await this.files.add(context, filename, content);
    return `Saved ${JSON.stringify({ file_id, filename: file.filename, size_bytes })}`;
  }
}
