import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { ToolLimits } from '../../tools/core/tool-limits.js';
import { ToolOutput } from '../../tools/core/tool-output.js';
import { ToolProvider } from '../../tools/core/tool-provider.decorator.js';
import { Tool } from '../../tools/core/tool.js';
import type { ToolContext, ToolPolicy } from '../../tools/core/tool.js';
import { readableText } from '../../tools/workspace-files/text-content.js';
import { ToolFault } from '../../tools/workspace-files/tool-fault.js';
import { fitImage, MAX_SOURCE_BYTES } from '../../tools/images/scaling/fit-image.js';
import { showText } from '../../tools/read/show-text.js';
import { IMAGE_TYPES } from '../../protocol/message.js';
import { MAX_FILE_BYTES } from '../../workspace/read-file.js';
import type { FileRow } from '../file-catalog.js';
import { ChatFiles } from './chat-files.js';
import { fileIdInput } from './inputs.js';

/** Default limit, in lines. */
const LINES = 2_000;

const input = z.object({
  file_id: fileIdInput,
  offset: z.int().min(1).default(1).describe('The first line to read; 1 is the first of the file.'),
  limit: z.int().min(1).default(LINES).describe('How many lines to read.'),
});

type Input = z.output<typeof input>;

/** Shows a file of the chat. */
@Injectable()
@ToolProvider()
export class FileReadTool extends Tool<Input> {
  readonly name = 'file_read';
  readonly description =
    'Reads a text file of this conversation, which the user uploaded, and answers its lines, each after its number and a tab. Of a long file it answers a part and says how to go on. An image (PNG, JPEG, GIF, WebP) is shown to you, if you can see. For a file of the workspace, use read.';
  readonly input = input;
  readonly policy: ToolPolicy = {
    category: 'read',
    read_only: true,
    risk: 'low',
    recovery: 'rerun',
  };

  constructor(
    private readonly files: ChatFiles,
    private readonly limits: ToolLimits,
  ) {
    super();
  }

  override summarize({ file_id, offset, limit }: Input): string {
    return `Read the file ${file_id}, up to ${limit} lines from line ${offset} on`;
  }

  async execute({ file_id, ...range }: Input, context: ToolContext): Promise<ToolOutput> {
    const { file, bytes } = await this.files.read(context, file_id, maxBytesOf);
    const { filename } = file;
    const content = readableText(bytes);
    if (content.ok) {
      const options = { ...range, room: this.limits.toolOutputLimit, cut: context.cut };
      const { text, truncated } = showText(filename, content, options);
      return new ToolOutput(text, { truncated });
    }
    const image = await fitImage(bytes, { signal: context.signal });
    if (!image) throw new ToolFault(`${filename} ${content.fault}. ${ADVICE}`);
    if (!image.ok)
      throw new ToolFault(
        `${filename} is an image (${image.about}) that ${image.fault}. ${ADVICE}`,
      );
    const what = image.is_copy ? 'an image, of which a smaller copy is shown' : 'an image';
    const text = `${filename} is ${what}: ${image.about}. If you don’t see it with this result any more, read it again.`;
    return new ToolOutput(text, { journal: { images: [image.image] } });
  }
}

function maxBytesOf({ mime_type }: FileRow): number {
  return IMAGE_TYPES.some((type) => type === mime_type) ? MAX_SOURCE_BYTES : MAX_FILE_BYTES;
}

const ADVICE = 'Copy it into the workspace with file_import, and look into it there with bash.';
