import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { ToolProvider } from '../../tools/core/tool-provider.decorator.js';
import { Tool } from '../../tools/core/tool.js';
import type { ToolContext, ToolPolicy } from '../../tools/core/tool.js';
import { ChatFiles } from './chat-files.js';

const MAX_LISTED = 100;

const input = z.object({});

/** Lists the files of the chat. */
@Injectable()
@ToolProvider()
export class FileListTool extends Tool<z.output<typeof input>> {
  readonly name = 'file_list';
  readonly description =
    'Lists the files of this conversation, newest first: those that the user uploaded, and those that you saved for the user with file_save. They are not in the workspace: file_read shows one, file_import copies one there.';
  readonly input = input;
  readonly policy: ToolPolicy = {
    category: 'read',
    read_only: true,
    risk: 'low',
    recovery: 'rerun',
  };

  constructor(private readonly files: ChatFiles) {
    super();
  }

  override summarize(): string {
    return 'List the files of the conversation';
  }

  async execute(_: object, context: ToolContext): Promise<string> {
    const found = await this.files.list(context, MAX_LISTED + 1);
    if (found.length === 0) return 'The conversation has no files.';
    const lines = found
      .slice(0, MAX_LISTED)
      .map(({ id: file_id, filename, mime_type, size_bytes, created_at }) =>
        JSON.stringify({ file_id, filename, mime_type, size_bytes, created_at }),
      );
    const rest =
      found.length > MAX_LISTED ? [`[These are the newest ${MAX_LISTED}; there are more.]`] : [];
    return [...lines, ...rest].join('\n');
  }
}
