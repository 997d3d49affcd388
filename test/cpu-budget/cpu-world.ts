import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { ApiClient } from '../support/client/api-client.js';
import { FakeAnthropic } from '../support/model/fake-anthropic.js';
import { FakeOpenAi } from '../support/model/fake-openai.js';
import { builtServer } from '../support/server/built-server.js';
import { ServerProcess } from '../support/server/server-process.js';
import { CpuMeter } from './cpu-meter.js';
import type { MainThreadTime } from './cpu-meter.js';

/** The reason why the main thread can't be measured here. */
export const FAULT = existsSync('/proc/thread-self/schedstat')
  ? undefined
  : 'there is no /proc/thread-self/schedstat';

/** Something from outside, and its way in. */
export interface CpuCase {
  readonly name: string;
  /** What is not measured: the state that it needs. */
  readonly prepare?: (world: CpuWorld) => Promise<void>;
  readonly run: (world: CpuWorld) => Promise<unknown>;
  /** Where the work is split, the whole of it may take longer than `hold`. */
  readonly total?: number;
}

/**
 * In calibrated milliseconds: how long the main thread may work without a break, and in all for one
 * text of 1 MiB that is read, redacted, stored, streamed and sent to a model.
 */
const BUDGET: MainThreadTime = { hold: 100, total: 600 };

const REDACTED = [
  { name: 'email', pattern: '[a-z0-9._-]+@[a-z0-9-]+(\\.[a-z0-9-]+)+' },
  { name: 'card', pattern: '\\b\\d{4}-\\d{4}\\b' },
];

interface OfferedTool {
  readonly function: { readonly name: string; readonly parameters: object };
}

/** A server whose main thread is measured, with models and an MCP server of the test. */
export class CpuWorld {
  private chats = 0;

  private constructor(
    readonly api: ApiClient,
    readonly folder: string,
    readonly openai: FakeOpenAi,
    readonly anthropic: FakeAnthropic,
    private readonly server: ServerProcess,
    private readonly meter: CpuMeter,
  ) {}

  static async start(env: Readonly<Record<string, string>> = {}): Promise<CpuWorld> {
    const folder = await mkdtemp(join(tmpdir(), 'cpu-budget-'));
    const at = (name: string): string => join(folder, name);
    const [openai, anthropic] = await Promise.all([FakeOpenAi.start(), FakeAnthropic.start()]);
    await mkdir(at('workspace'));
    await writeFile(at('redact.json'), JSON.stringify(REDACTED));
    await writeFile(
      at('mcp-list.json'),
      '{"tools":[{"name":"done","inputSchema":{"type":"object"}}]}',
    );
    await writeFile(at('mcp-call.json'), '{"content":[]}');
    const program = resolve('test/support/tools/mcp/file-server.mjs');
    const odd = { command: process.execPath, args: [program, folder], trust: true };
    await writeFile(at('mcp.json'), JSON.stringify({ mcpServers: { odd } }));
    const server = await ServerProcess.start(
      {
        ...{ STORE: 'file', DATA_DIR: at('data'), WORKSPACE_DIR: at('workspace'), SANDBOX: 'none' },
        ...{ MODEL: 'openai/fake', OPENAI_BASE_URL: openai.baseUrl, OPENAI_API_KEY: 'sk-a' },
        ...{ ANTHROPIC_BASE_URL: anthropic.baseUrl, ANTHROPIC_API_KEY: 'sk-b' },
        ...{ REDACT_PATTERNS: at('redact.json'), GUARDRAIL_SECRETS_INPUT: 'true' },
        ...{ MCP_CONFIG: at('mcp.json'), TOOL_TIMEOUT_MS: '5000' },
        ...{ MODEL_CONTEXT_TOKENS: '10000000' },
        ...env,
      },
      [await builtServer('dist/test/support/server/measured-server.js'), at('meter')],
    );
    const meter = await CpuMeter.open(at('meter'));
    const world = new CpuWorld(await server.api(), folder, openai, anthropic, server, meter);
    for (let n = 0; n < 10; n++) await world.say({ user_message: 'Warm up.' });
    return world;
  }

  /** The names of the cases that took longer than their budget, with their times. */
  async tooSlow(cases: readonly CpuCase[], budget = BUDGET): Promise<string[]> {
    const slow: string[] = [];
    for (const { name, prepare, run, total = budget.total } of cases) {
      await prepare?.(this);
      const most = { ...budget, total };
      const time = await this.meter.measure(() => run(this), most);
      if (time.hold > most.hold || time.total > most.total)
        slow.push(`${name}: ${Math.round(time.hold)} ms at once, ${Math.round(time.total)} in all`);
      for (const model of [this.openai, this.anthropic]) model.reset(); // they keep each request
    }
    return slow;
  }

  /** Starts an interaction in a new chat and reads its events to the end. */
  async say(body: object, headers: Readonly<Record<string, string>> = {}): Promise<string> {
    const path = `/chats/${this.newChat()}/interactions`;
    return this.send('POST', path, { body: JSON.stringify(body), headers });
  }

  /** A request whose answer is read to its end. */
  async send(
    method: string,
    path: string,
    { body, headers }: { body?: string; headers?: Readonly<Record<string, string>> } = {},
  ): Promise<string> {
    const type = typeof body === 'string' ? { 'content-type': 'application/json' } : undefined;
    // A connection that the server closed while this thread was busy is not used again.
    await setImmediate();
    const response = await this.api.fetch(path, {
      method,
      headers: { ...type, ...headers },
      ...(body !== undefined && { body }),
    });
    return response.text();
  }

  /** The input schemas of the tools that a model is offered, by name. */
  async tools(): Promise<ReadonlyMap<string, object>> {
    this.openai.reset();
    await this.say({ user_message: 'Hi.' });
    const { tools } = (await this.openai.request(1)).body;
    return new Map((tools as OfferedTool[]).map(({ function: f }) => [f.name, f.parameters]));
  }

  newChat(): string {
    return `chat_${this.chats++}`;
  }

  async stop(): Promise<void> {
    this.meter.close();
    await this.server.kill('SIGKILL');
    await Promise.all([this.openai.stop(), this.anthropic.stop()]);
    // The MCP server outlives the killed one for a moment, and may be writing there.
    await rm(this.folder, { recursive: true, force: true, maxRetries: 10 });
  }
}
