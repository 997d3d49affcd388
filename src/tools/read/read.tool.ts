import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { readFile } from '../../workspace/read-file.js';
import type { WorkspaceFile } from '../../workspace/read-file.js';
import { Workspaces } from '../../workspace/workspaces.js';
import { stateOf } from '../files/file-state.js';
import { pathInput } from '../files/inputs.js';
import { KnownFiles } from '../files/known-files.js';
import { decodeText } from '../files/text-content.js';
import { ToolFault } from '../files/tool-fault.js';
import { ToolLimits } from '../tool-limits.js';
import { ToolOutput } from '../tool-output.js';
import { ToolProvider } from '../tool-provider.decorator.js';
import { Tool } from '../tool.js';
import type { ToolContext, ToolPolicy } from '../tool.js';
import { imageKind } from './image-kind.js';
import { showText } from './show-text.js';

/** Lines, where no limit is given. */
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
    'Reads a text file of the workspace and answers its lines, each after its number and a tab. Of a long file it answers a part and says how to go on. To find something in many files, use grep; to see what is in a folder, use glob.';
  readonly input = input;
  readonly policy: ToolPolicy = {
    category: 'read',
    read_only: true,
    risk: 'low',
    recovery: 'rerun',
  };

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

  async execute({ path, ...range }: Input, { chat_id }: ToolContext): Promise<ToolOutput> {
    const file = await this.workspaces.use(chat_id, (workspace) => readFile(workspace, path));
    const { text, truncated } = this.show(path, file, range);
    const seen = stateOf(file.real_path, file.bytes);
    this.known.remember(chat_id, seen);
    return new ToolOutput(text, { truncated, journal: { seen } });
  }

  private show(path: string, { bytes }: WorkspaceFile, range: Pick<Input, 'offset' | 'limit'>) {
    const content = decodeText(bytes);
    if (!content.ok) throw notText(path, bytes, content.fault);
    return showText(path, content, { ...range, room: this.limits.toolOutputLimit });
  }
}

function notText(path: string, bytes: Buffer, fault: string): ToolFault {
  const kind = imageKind(bytes);
  if (kind !== undefined)
    return new ToolFault(
      `${path} is an image (${kind}, ${bytes.length} bytes), and read shows text only. Ask the user what is on it, or examine it with bash.`,
    );
  return new ToolFault(
    `${path} ${fault}. It has ${bytes.length} bytes; look into it with bash, such as with file or xxd.`,
  );
}
