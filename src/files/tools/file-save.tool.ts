import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { ToolProvider } from '../../tools/core/tool-provider.decorator.js';
import { Tool } from '../../tools/core/tool.js';
import type { ToolContext, ToolPolicy } from '../../tools/core/tool.js';
import { pathInput } from '../../tools/files/inputs.js';
import { requirePermitted } from '../../tools/files/require-permitted.js';
import { Workspaces } from '../../workspace/workspaces.js';
import { ChatFiles } from './chat-files.js';

const input = z.object({
  path: pathInput,
  filename: z
    .string()
    .min(1)
    .max(255)
    .refine((text) => !text.includes('\0'), 'No name can have a NUL character in it.')
    .optional()
    .describe('The name by which the user gets it; that of the file unless given.'),
});

type Input = z.output<typeof input>;

/** Publishes a file of the chat's workspace for download. */
@Injectable()
@ToolProvider()
export class FileSaveTool extends Tool<Input> {
  readonly name = 'file_save';
  readonly description =
    'Saves a copy of a file of the workspace for the user, who can download it then. Do this with results that are files, such as a report, a chart or a table. Later changes in the workspace do not change the copy.';
  readonly input = input;
  /** Not rerun: each call makes another file (I4). */
  readonly policy: ToolPolicy = {
    category: 'write',
    read_only: false,
    risk: 'medium',
    recovery: 'report',
  };
  override readonly announces_start = true;

  constructor(
    private readonly workspaces: Workspaces,
    private readonly files: ChatFiles,
  ) {
    super();
  }

  override summarize({ path, filename }: Input): string {
    return `Save ${path} for download${filename === undefined ? '' : ` as ${filename}`}`;
  }

  execute({ path, filename }: Input, context: ToolContext): Promise<string> {
    return this.workspaces.use(context.chat_uid, async (workspace) => {
      const { handle, real_path } = await workspace.openFile(path);
      try {
        await requirePermitted({ tool_name: this.name, path }, real_path, context);
        await context.started();
        const content = handle.createReadStream({ autoClose: false, signal: context.signal });
        const file = await this.files.add(context, filename ?? path, content);
        const { id: file_id, size_bytes } = file;
        return `Saved ${path}: ${JSON.stringify({ file_id, filename: file.filename, size_bytes })}`;
      } finally {
        await handle.close();
      }
    });
  }
}
