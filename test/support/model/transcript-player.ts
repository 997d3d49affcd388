import type { FakeAnthropic } from './fake-anthropic.js';
import type { ChatBody, FakeHttpTurn, FakeStep } from './fake-model.js';
import type { FakeOpenAi } from './fake-openai.js';
import { missingIn } from '../client/json-subset.js';
import { random } from '../random.js';
import type { Exchange, Transcript } from './transcript.js';

interface Played extends FakeHttpTurn {
  readonly steps?: readonly FakeStep[];
}

/** Ends an interaction at once. */
const REFUSED = { status: 400, headers: { 'x-should-retry': 'false' } } as const;
/**
 * How often there is a cut before a byte: any, and one in the middle of a character or of a line's
 * end.
 */
const CUT = { anywhere: 0.04, inside: 0.5 };

/**
 * Answers the requests to a fake model as a transcript says, in pieces, and compares them with what
 * it expects.
 */
export class TranscriptPlayer {
  private readonly faults: string[] = [];
  private readonly waiting: Exchange[];
  private readonly random: () => number;

  constructor(
    private readonly model: FakeOpenAi | FakeAnthropic,
    { exchanges }: Pick<Transcript, 'exchanges'>,
    seed: number,
  ) {
    this.waiting = [...exchanges];
    this.random = random(seed);
    model.otherwise((body) => this.answer(body));
  }

  /** What was wrong with the requests that came, and those that did not come. */
  end(): string[] {
    this.model.otherwise(REFUSED);
    const missing = this.waiting.map(({ title }) => `no request came for "${title}"`);
    return [...this.faults, ...this.model.violations.splice(0), ...missing];
  }

  private answer(body: ChatBody): Played {
    const came = { headers: this.model.requests.at(-1)!.headers, body };
    const looked = this.due().map((exchange) => {
      return { exchange, faults: missingIn(came, exchange.request, exchange.title) };
    });
    const fitting = looked.find(({ faults }) => faults.length === 0);
    if (!fitting)
      return this.refuse(
        looked.flatMap(({ faults }) => faults),
        body,
      );
    this.waiting.splice(this.waiting.indexOf(fitting.exchange), 1);
    return this.play(fitting.exchange);
  }

  /** The next one, and those that may come beside it. */
  private due(): readonly Exchange[] {
    const end = this.waiting.findIndex(({ beside }, at) => at > 0 && !beside);
    return this.waiting.slice(0, end === -1 ? undefined : end);
  }

  private refuse(faults: readonly string[], body: ChatBody): Played {
    const all = faults.length > 0 ? faults : [`one request too many: ${JSON.stringify(body)}`];
    this.faults.push(...all);
    return { ...REFUSED, body: all.join('\n') };
  }

  private play({ response: { status, headers, body } }: Exchange): Played {
    if (status !== 200) return { status, headers, body: body.toString() };
    return { headers, steps: this.cut(body).map((raw) => ({ raw })) };
  }

  private cut(bytes: Buffer): Buffer[] {
    const pieces: Buffer[] = [];
    let start = 0;
    for (let at = 1; at < bytes.length; at++) {
      if (this.random() >= (isInside(bytes, at) ? CUT.inside : CUT.anywhere)) continue;
      pieces.push(bytes.subarray(start, at));
      start = at;
    }
    return [...pieces, bytes.subarray(start)];
  }
}

function isInside(bytes: Buffer, at: number): boolean {
  const isContinued = (bytes[at]! & 0xc0) === 0x80;
  return isContinued || (bytes[at - 1] === 0x0d && bytes[at] === 0x0a);
}
