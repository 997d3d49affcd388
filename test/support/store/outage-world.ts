import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Environment } from '../../../src/config/load-config.js';
import type { SealedLine } from '../../../src/event-log/spill/spill-lines.js';
import type { ApiClient, Reply } from '../client/api-client.js';
import { EventReader } from '../client/event-reader.js';
import { eventually } from '../eventually.js';
import { FakeOpenAi } from '../model/fake-openai.js';
import type { ChatBody } from '../model/fake-model.js';
import type { FakeTurn } from '../model/fake-openai-turn.js';
import { Gate } from '../gate.js';
import { ServerProcess } from '../server/server-process.js';
import type { Interaction } from '../../../src/protocol/wire/interaction.js';

/** Tool calls of each interaction, one a turn; the model waits at the gate in the second turn. */
const CALLS = 4;
const INTERACTIONS = 3;
/** More than what a database has room for in files that are there already. */
const LONG_ANSWER = Array.from({ length: 40_000 }, (_, n) => n.toString(36)).join(' ');
const SETTINGS: Environment = {
  MODEL: 'openai/fake',
  SYSTEM_PROMPT_FILE: '/dev/null',
  OPENAI_API_KEY: 'sk-a-key-that-nobody-may-see',
  SAVE_TIMEOUT_MS: '2400', // half of it is what a connection may take, also of a machine that is busy
  LEASE_TTL_MS: '3000',
  HEARTBEAT_MS: '300',
  LOG_LEVEL: 'info',
};

/** Interactions in the middle of a turn, each with a reader that comes back. */
export interface Work {
  /** Lets the model go on. */
  readonly gate: Gate;
  readonly all: readonly Interaction[];
  /** Resolves when each reader has read its interaction to the end. */
  readonly readers: Promise<readonly EventReader[]>;
}

/**
 * A server process on a store that a test takes away from it, and what must hold whatever happens
 * to the store.
 */
export class OutageWorld {
  private server: ServerProcess | undefined;
  private client: ApiClient | undefined;
  private chats = 0;

  private constructor(
    private readonly env: Environment,
    readonly fake: FakeOpenAi,
    readonly dataDir: string,
  ) {}

  static async open(env: Environment): Promise<OutageWorld> {
    const dataDir = await mkdtemp(join(tmpdir(), 'parley-outage-'));
    const fake = await FakeOpenAi.start();
    const world = new OutageWorld({ DATA_DIR: dataDir, ...env }, fake, dataDir);
    await world.startServer();
    return world;
  }

  get api(): ApiClient {
    return this.client!;
  }

  get output(): string {
    return this.server!.output;
  }

  async startServer(): Promise<void> {
    this.server = await ServerProcess.start({
      ...SETTINGS,
      OPENAI_BASE_URL: this.fake.baseUrl,
      ...this.env,
    });
    this.client = await this.server.api();
  }

  async killServer(): Promise<void> {
    await this.server!.kill('SIGKILL');
  }

  async close(): Promise<void> {
    await this.killServer();
    await this.fake.stop();
    await rm(this.dataDir, { recursive: true, force: true });
  }

  /**
   * Resolves when every interaction has run a tool, and every reader has seen the half of what
   * comes next.
   */
  async begin(): Promise<Work> {
    await this.untilReady(200);
    const gate = new Gate();
    this.fake.otherwise((body) => turnOf(body, gate));
    const chats = Array.from({ length: INTERACTIONS }, () => `outage-${this.chats++}`);
    const all = await Promise.all(chats.map((chat) => this.start(chat)));
    const halves = all.map(() => new Gate());
    const readers = Promise.all(all.map((of, n) => this.read(of, () => void halves[n]!.pass())));
    readers.catch(() => {});
    await Promise.race([Promise.all(halves.map((half) => half.reached)), readers]);
    return { gate, all, readers };
  }

  private async start(chat: string): Promise<Interaction> {
    try {
      return await this.api.begin(chat, 'Go');
    } catch (cause) {
      throw new Error(`${chat} could not be started. The server said:\n${this.output}`, { cause });
    }
  }

  /** Everybody came to the end, and everything is there, once and in order. */
  async expectWhole({ all, readers }: Work): Promise<readonly EventReader[]> {
    const read = await readers;
    await this.untilReady(200);
    for (const [n, reader] of read.entries()) {
      expect(reader.faults).toEqual([]);
      const again = await this.api.follow(all[n]!);
      expect(again.faults).toEqual([]);
      expect(again.records).toEqual(reader.records);
      expect(reader.records.at(-1)).toMatchObject({ status: 'COMPLETED' });
      expect(reader.list('TOOL_RESULT').map(({ tool_output }) => tool_output)).toEqual(
        Array.from({ length: CALLS }, (_, call) => String(6 * call)),
      );
      expect((await this.api.interaction(all[n]!)).last_seq).toBe(reader.records.length);
    }
    expect(this.fake.violations).toEqual([]);
    return read;
  }

  ready(): Promise<Reply> {
    return this.api.get('/health/ready');
  }

  /** Answers what it says. */
  async untilReady(status: 200 | 503): Promise<Reply> {
    let reply: Reply;
    await eventually(async () => (reply = await this.ready()).status === status);
    return reply!;
  }

  /** Names of the spill files. */
  async spilled(): Promise<string[]> {
    const names = await readdir(join(this.dataDir, 'spill')).catch(() => []);
    return names.filter((name) => name.endsWith('.jsonl'));
  }

  async aside(): Promise<string[]> {
    return readdir(join(this.dataDir, 'spill', 'aside')).catch(() => []);
  }

  /** Its lines; the texts are encrypted. */
  async spilledOf({ id }: Interaction): Promise<SealedLine[]> {
    const text = await readFile(join(this.dataDir, 'spill', `${id}.jsonl`), 'utf8');
    const lines = text.trimEnd().split('\n');
    return lines.map((line) => JSON.parse(line) as SealedLine);
  }

  /** A client that comes back with its cursor, whatever becomes of the server. */
  private async read(of: Interaction, onHalf: () => void): Promise<EventReader> {
    const reader = new EventReader();
    while (!reader.done) {
      const stream = await this.api.events(of, reader.cursor).catch(() => undefined);
      if (stream?.status === 503)
        expect(stream.response.headers.get('retry-after')).toMatch(/^[1-5]$/);
      if (stream?.status !== 200) {
        await stream?.response.body?.cancel();
        await this.untilReady(200).catch(() => {}); // it takes longer, or the process is gone
        continue;
      }
      try {
        for await (const frame of stream) {
          reader.read(frame);
          if (reader.openText.endsWith('Half')) onHalf();
        }
      } catch {
        // The connection broke.
      }
    }
    return reader;
  }
}

function turnOf({ messages }: ChatBody, gate: Gate): FakeTurn {
  const done = messages.filter(({ role }: { role: string }) => role === 'tool').length;
  if (done >= CALLS) return { text: LONG_ANSWER, chunk_size: 10_000 };
  const calls = [{ name: 'calculator', arguments: { expression: `6*${done}` } }];
  return { ...(done === 1 && { text: ['Half', gate, ' and the other half.'] }), calls };
}
