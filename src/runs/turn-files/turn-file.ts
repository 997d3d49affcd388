import type { Clock } from '../../kernel/clock.js';
import { WireTap } from '../../models/http/wire-tap.js';
import type { Exchange } from '../../models/http/wire-tap.js';

/** Bytes of all requests of a file, and as many of all answers. */
const MAX_HALF = 2 * 1024 * 1024;
const CUT = Buffer.from('\n[cut: the file has reached its limit]');
const LINE = Buffer.from('\n');
const MAX_NAME = 80;

/** The turn that a file is of. */
export interface TurnNames {
  readonly interaction_id: string;
  readonly chat_id: string;
  readonly epoch: number;
  readonly agent_id: string;
  /** Key of the turn's record. */
  readonly key: string;
}

/** The requests of one model turn, and their answers as the bytes came. */
export class TurnFile extends WireTap {
  /** Sorts by time. */
  readonly name: string;
  private readonly parts: (Buffer | Half)[] = [];
  private readonly room = { request: MAX_HALF, answer: MAX_HALF };
  private readonly over: Promise<void>[] = [];

  constructor(
    private readonly turn: TurnNames,
    private readonly clock: Clock,
  ) {
    super();
    const key = turn.key.replace(/[^\w.-]+/g, '-').slice(-MAX_NAME);
    this.name = `${this.now.replaceAll(':', '-')}_${turn.interaction_id}_${key}`;
  }

  /** True if nothing was asked over HTTP. */
  get isEmpty(): boolean {
    return this.over.length === 0;
  }

  /** Resolves when all answers that were begun have ended. */
  async ended(): Promise<void> {
    await Promise.all(this.over);
  }

  /** The parts of the file, in order. */
  content(): readonly Buffer[] {
    const names = Object.entries(this.turn).map(([name, value]) => `${name}: ${value}\n`);
    const parts = this.parts.map((part) => (part instanceof Half ? part.bytes : part));
    return [Buffer.from(names.join('')), ...parts];
  }

  begin(endpoint: string, body: string): Exchange {
    const number = this.over.length + 1;
    const request = new Half(this.room, 'request');
    request.add(Buffer.from(body));
    this.head(`${number}. request`, `POST ${endpoint}`);
    this.parts.push(request);
    const answer = new Half(this.room, 'answer');
    let end!: () => void;
    this.over.push(new Promise((resolve) => (end = resolve)));
    return {
      answered: (status, type) => {
        this.head(`${number}. answer`, `${status} ${type ?? ''}`);
        this.parts.push(answer);
      },
      received: (bytes) => answer.add(bytes),
      ended: (fault = '') => {
        this.head(`${number}. end`, fault);
        end();
      },
    };
  }

  private head(name: string, detail: string): void {
    this.parts.push(Buffer.from(`\n=== ${name} ${this.now} ${detail}`.trimEnd()), LINE);
  }

  private get now(): string {
    return this.clock.now().toISOString();
  }
}

/** The requests, or the answers, of a file. */
class Half {
  private readonly chunks: Uint8Array[] = [];
  private isCut = false;

  constructor(
    private readonly room: Record<'request' | 'answer', number>,
    private readonly name: 'request' | 'answer',
  ) {}

  add(bytes: Uint8Array): void {
    const kept = bytes.subarray(0, endOfText(bytes, this.room[this.name]));
    this.room[this.name] -= kept.length;
    this.chunks.push(kept);
    if (kept.length === bytes.length || this.isCut) return;
    this.isCut = true;
    this.room[this.name] = 0;
    this.chunks.push(CUT);
  }

  get bytes(): Buffer {
    return Buffer.concat(this.chunks);
  }
}

/** At most `limit`, and not in the middle of a character of UTF-8. */
function endOfText(bytes: Uint8Array, limit: number): number {
  let end = Math.min(bytes.length, limit);
  while (end > 0 && end < bytes.length && (bytes[end]! & 0xc0) === 0x80) end--;
  return end;
}
