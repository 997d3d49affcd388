import { mkdtemp, readdir, readFile, realpath, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '../../src/config/load-config.js';
import type { Environment } from '../../src/config/load-config.js';
import type { Image } from '../../src/protocol/message.js';
import { checkArguments } from '../../src/tools/core/check-arguments.js';
import { EditTool } from '../../src/tools/edit/edit.tool.js';
import { FileChanges } from '../../src/tools/workspace-files/file-changes.js';
import { KnownFiles } from '../../src/tools/workspace-files/known-files.js';
import { ReadTool } from '../../src/tools/read/read.tool.js';
import { ToolOutput } from '../../src/tools/core/tool-output.js';
import type { Tool, ToolContext } from '../../src/tools/core/tool.js';
import { cutText } from '../../src/kernel/text/cut-text.js';
import { WriteTool } from '../../src/tools/write/write.tool.js';
import { Workspaces } from '../../src/workspace/workspaces.js';
import { memoryStore } from '../support/store/whole-store.js';

interface Called {
  readonly text: string;
  readonly is_error: boolean;
  readonly truncated: boolean;
  /** Whether the log was told that the effect begins. */
  readonly started: boolean;
  /** What a model that can see is shown with it. */
  readonly images?: readonly Image[];
}

/** A real folder for the chats `one` and `two`, and the tools that work in it. */
export class FilesWorld {
  readonly store = memoryStore();
  /** Is called when an effect begins. */
  onStart: () => Promise<void> = () => Promise.resolve();
  private tools: Readonly<Record<string, Tool>> = {};

  private constructor(
    readonly base: string,
    private readonly env: Environment,
  ) {
    this.restart();
  }

  static async open(env: Environment = {}): Promise<FilesWorld> {
    return new FilesWorld(await realpath(await mkdtemp(join(tmpdir(), 'parley-files-'))), env);
  }

  /** As a new process: what was only remembered is gone. */
  restart(): void {
    const [DATA_DIR, WORKSPACE_DIR] = [join(this.base, 'data'), join(this.base, 'work')];
    const config = loadConfig({ DATA_DIR, WORKSPACE_DIR, ...this.env });
    const workspaces = new Workspaces(config, this.store);
    const known = new KnownFiles(this.store, this.store);
    const changes = new FileChanges(workspaces, known);
    this.tools = {
      read: new ReadTool(workspaces, known, config),
      write: new WriteTool(changes),
      edit: new EditTool(changes),
    };
  }

  at(path: string, chat = 'one'): string {
    return join(this.base, 'work', chat, path);
  }

  content(path: string, chat?: string): Promise<string> {
    return readFile(this.at(path, chat), 'utf8');
  }

  async mode(path: string): Promise<number> {
    return (await stat(this.at(path))).mode & 0o7777;
  }

  /** All there is, folders too. */
  async everything(): Promise<string[]> {
    return (await readdir(this.at(''), { recursive: true })).toSorted();
  }

  /** As a model calls it; what is thrown is an error's text. */
  async call(name: string, input: object, context: Partial<ToolContext> = {}): Promise<Called> {
    let started = false;
    const full = {
      chat_id: 'one',
      chat_uid: 'one',
      may_show: () => Promise.resolve(() => true),
      cut: cutText,
      signal: new AbortController().signal,
      started: () => {
        started = true;
        return this.onStart();
      },
      ...context,
    } as unknown as ToolContext;
    const output = await this.execute(name, input, full).catch(
      ({ message }: Error) => new ToolOutput(message, { is_error: true }),
    );
    const { text, is_error, truncated, journal } = output;
    const { images } = journal ?? {};
    return { text, is_error, truncated, started, ...(images && { images }) };
  }

  /** What a person would read who has to approve the call. */
  async summary(name: string, input: object, chat_uid = 'one'): Promise<string> {
    return this.tools[name]!.summarize!(this.parse(name, input), { chat_uid, cut: cutText });
  }

  close(): Promise<void> {
    return rm(this.base, { recursive: true, force: true });
  }

  private async execute(name: string, input: object, context: ToolContext): Promise<ToolOutput> {
    const answer = await this.tools[name]!.execute(this.parse(name, input), context);
    return answer instanceof ToolOutput ? answer : new ToolOutput(answer);
  }

  private parse(name: string, input: object): unknown {
    const checked = checkArguments(this.tools[name]!, JSON.stringify(input));
    if (checked.ok) return checked.input;
    throw new Error(checked.fault);
  }
}
