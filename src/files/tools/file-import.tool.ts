import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { ToolOutput } from '../../tools/core/tool-output.js';
import { ToolProvider } from '../../tools/core/tool-provider.decorator.js';
import { Tool } from '../../tools/core/tool.js';
import type { ToolContext, ToolPolicy } from '../../tools/core/tool.js';
import { FileChanges } from '../../tools/workspace-files/file-changes.js';
import { pathInput } from '../../tools/workspace-files/inputs.js';
import { ChatFiles } from './chat-files.js';
import { fileIdInput } from './inputs.js';

const input = z.object({ file_id: fileIdInput, path: pathInput });

type Input = z.output<typeof input>;

/** Copies a file of the chat into its workspace. */
@Injectable()
@ToolProvider()
export class FileImportTool extends Tool<Input> {
  readonly name = 'file_import';
  readonly description =
    'Copies a file of this conversation, which the user uploaded, into the workspace, where the other tools work with it. A file that is there already has to be read first, and is replaced.';
  readonly input = input;
  /** Not rerun, as for `write` (I4). */
  readonly policy: ToolPolicy = {
    category: 'write',
    read_only: false,
    risk: 'medium',
    recovery: 'report',
  };
  override readonly announces_start = true;
  override readonly uses_workspace = true;

  constructor(
    private readonly files: ChatFiles,
    private readonly changes: FileChanges,
  ) {
    super();
  }

  override summarize({ file_id, path }: Input): string {
    return `Copy the file ${file_id} to ${path} in the workspace`;
  }

  async execute({ file_id, path }: Input, context: ToolContext): Promise<ToolOutput> {
    const { file, bytes } = await this.files.read(context, file_id);
    const change = { tool_name: this.name, path, apply: () => bytes };
    const { seen } = await this.changes.make(change, context);
    const text = `Copied ${file.filename} to ${path}: ${bytes.length} bytes.`;
    return new ToolOutput(text, { journal: { seen } });
  }
}
