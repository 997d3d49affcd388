import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { ToolProvider } from '../../tools/core/tool-provider.decorator.js';
import { Tool } from '../../tools/core/tool.js';
import type { CallAbout, ToolContext, ToolPolicy } from '../../tools/core/tool.js';
import { ChatFiles } from './chat-files.js';
import { fileIdInput } from './inputs.js';

const input = z.object({ file_id: fileIdInput });

type Input = z.output<typeof input>;

/** Characters of the name in the summary of a call. */
const MAX_NAME = 255;

/** Deletes a file of the chat. */
@Injectable()
@ToolProvider()
export class FileDeleteTool extends Tool<Input> {
  readonly name = 'file_delete';
  readonly description =
    'Deletes a file of this conversation for good, for the user too: one that you saved and that is no longer needed, or one that the user asks you to delete. Files of the workspace stay as they are.';
  readonly input = input;
  /** Not rerun: a second call would say that there is no such file (I4). */
  readonly policy: ToolPolicy = {
    category: 'write',
    read_only: false,
    risk: 'high',
    recovery: 'report',
  };
  override readonly announces_start = true;

  constructor(private readonly files: ChatFiles) {
    super();
  }

  override async summarize({ file_id }: Input, { chat_uid, cut }: CallAbout): Promise<string> {
    const file = await this.files.find({ chat_uid }, file_id);
    const name = file ? `${cut(file.filename, MAX_NAME)} (${file_id})` : file_id;
    return `Delete the file ${name} for good`;
  }

  async execute({ file_id }: Input, context: ToolContext): Promise<string> {
    const { filename } = await this.files.require(context, file_id);
    await context.started();
    await this.files.delete(context, file_id);
    return `Deleted ${filename} (${file_id}). If it came with a message, the message still names it, and what was read of it stays in the conversation.`;
  }
}
