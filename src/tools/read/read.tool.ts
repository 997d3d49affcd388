import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { readFile } from '../../workspace/read-file.js';
import type { WorkspaceFile } from '../../workspace/read-file.js';
import { Workspaces } from '../../workspace/workspaces.js';
import { stateOf } from '../workspace-files/file-state.js';
import { pathInput } from '../workspace-files/inputs.js';
import { KnownFiles } from '../workspace-files/known-files.js';
import { requirePermitted } from '../workspace-files/require-permitted.js';
import { decodeText } from '../workspace-files/text-content.js';
import { ToolFault } from '../workspace-files/tool-fault.js';
import { outputIdOf } from '../text/output-path.js';
import { ToolLimits } from '../core/tool-limits.js';
import { ToolOutput } from '../core/tool-output.js';
import { ToolProvider } from '../core/tool-provider.decorator.js';
import { Tool } from '../core/tool.js';
import type { ToolContext, ToolPolicy } from '../core/tool.js';
import { readImage } from '../images/read-image.js';
import type { PageOptions } from './number-lines.js';
import { showOutput, showText } from './show-text.js';
import type { Image } from '../../protocol/message.js';
import type { ReadImage } from '../images/read-image.js';
import type { ShownText } from './show-text.js';

/** Default limit, in lines. */
const LINES = 2_000;

const input = z.object({
  path: pathInput,
  offset: z.int().min(1).default(1).describe('The first line to read; 1 is the first of the file.'),
  limit: z.int().min(1).default(LINES).describe('How many lines to read.'),
});

type Input = z.output<typeof input>;

/** Shows a file of the chat's workspace. */
@Injectable()
@ToolProvider()
export class ReadTool extends Tool<Input> {
  readonly name = 'read';
  readonly description =
    'Reads a text file of the workspace and answers its lines, each after its number and a tab. Of a long file it answers a part and says how to go on. An image (PNG, JPEG, GIF, WebP) is shown to you, if you can see. To find something in many files, use grep; to see what is in a folder, use glob.';
  readonly input = input;
  readonly policy: ToolPolicy = {
    category: 'read',
    read_only: true,
    risk: 'low',
    recovery: 'rerun',
  };
  override readonly uses_workspace = true;

  constructor(
    private readonly workspaces: Workspaces,
    private readonly known: KnownFiles,
    private readonly limits: ToolLimits,
  ) {
    super();
  }

  override summarize({ path, offset, limit }: Input): string {
    return `Read ${path}, up to ${limit} lines from line ${offset} on`;
  }

  async execute({ path, ...range }: Input, context: ToolContext): Promise<ToolOutput> {
    const { chat_uid, earlier_output, cut } = context;
    const options = { ...range, room: this.limits.toolOutputLimit, cut };
    const callId = outputIdOf(path);
    if (callId !== undefined) {
      const shown = showOutput(path, await earlier_output(callId), options);
      return new ToolOutput(shown.text, { truncated: shown.truncated });
    }
    const file = await this.workspaces.use(chat_uid, (workspace) => readFile(workspace, path));
    await requirePermitted({ tool_name: this.name, path }, file.real_path, context);
    const { text, truncated, images } = show(path, file, options);
    const seen = stateOf(file.real_path, file.bytes);
    this.known.remember(chat_uid, seen);
    return new ToolOutput(text, { truncated, journal: { seen, ...(images && { images }) } });
  }
}

function show(path: string, { bytes }: WorkspaceFile, options: PageOptions): ShownFile {
  const content = decodeText(bytes);
  if (content.ok) return showText(path, content, options);
  const image = readImage(bytes);
  if (image) return showImage(path, image);
  throw notText(path, bytes, content.fault);
}

function notText(path: string, bytes: Buffer, fault: string): ToolFault {
  return new ToolFault(
    `${path} ${fault}. It has ${bytes.length} bytes; look into it with bash, such as with file or xxd.`,
  );
}

interface ShownFile extends ShownText {
  readonly images?: readonly Image[];
}

/**
 * Returns the image, and a note for models that do not see it.
 * @throws ToolFault if it can't be shown
 */
function showImage(path: string, read: ReadImage): ShownFile {
  if (!read.ok)
    throw new ToolFault(
      `${path} is an image (${read.about}) that ${read.fault}. Make a copy with bash that can be, such as a smaller one or one frame of it, and read that.`,
    );
  const text = `${path} is an image: ${read.about}. If you don’t see it with this result any more, read it again.`;
  return { text, truncated: false, images: [read.image] };
}
