import { atOnce, inSlices } from '../kernel/async/sliced.js';
import type { Sliced } from '../kernel/async/sliced.js';
import type { Guardrail, OpenFilter, OutputAbout, OutputFilter, OutputPart } from './guardrail.js';
import { Tripwire } from './tripwire.js';

interface NamedFilter {
  readonly name: string;
  readonly filter: OutputFilter;
}

/** The Tripwire of a guardrail: `tripped`, and it counts. */
type Trip = (name: string, why: unknown) => Tripwire;

/** Text behind a chain of filters: each reads the text that the previous one lets through. */
export class GuardedText {
  constructor(
    private readonly filters: readonly NamedFilter[],
    private readonly trip: Trip,
  ) {}

  /** @throws Tripwire */
  push(text: string): string {
    return atOnce(this.through(text, 0));
  }

  /** @throws Tripwire */
  end(): string {
    return atOnce(this.ending());
  }

  /** Does the same as `push`, for a text of any length. */
  pushSliced(text: string): Promise<string> {
    return inSlices(this.through(text, 0));
  }

  /** Does the same as `end`, after a text of any length. */
  endSliced(): Promise<string> {
    return inSlices(this.ending());
  }

  /** A whole text of any length. @throws Tripwire */
  async whole(text: string): Promise<string> {
    return (await this.pushSliced(text)) + (await this.endSliced());
  }

  /** @throws Tripwire */
  remarks(): readonly string[] {
    return this.filters.flatMap(({ name, filter }) => {
      const remark = guard(name, this.trip, () => filter.remark);
      return remark === undefined ? [] : [`Guardrail ${name}: ${remark}`];
    });
  }

  private *ending(): Sliced<string> {
    let shown = '';
    for (const [i, { name, filter }] of this.filters.entries()) {
      const rest = yield* guardSliced(name, this.trip, filter.endSliced?.() ?? ended(filter));
      shown += yield* this.through(rest, i + 1);
    }
    return shown;
  }

  private *through(text: string, from: number): Sliced<string> {
    let left = text;
    for (let i = from; i < this.filters.length && left !== ''; i++) {
      const { name, filter } = this.filters[i]!;
      left = yield* guardSliced(name, this.trip, filter.pushSliced?.(left) ?? pushed(filter, left));
    }
    return left;
  }
}

/** In UTF-16 code units: a filter that is fast for every chunk takes a few milliseconds. */
const SLICE = 65_536;

function* pushed(filter: OutputFilter, text: string): Sliced<unknown> {
  if (text.length <= SLICE) return filter.push(text);
  const shown: string[] = [];
  for (let at = 0; at < text.length; at += SLICE) {
    shown.push(requireText(filter.push(text.slice(at, at + SLICE))));
    yield;
  }
  return shown.join('');
}

function* ended(filter: OutputFilter): Sliced<unknown> {
  yield;
  return filter.end();
}

/** The output of one model turn or of one tool call. */
export class GuardedOutput {
  private readonly open: readonly { readonly name: string; readonly open: OpenFilter }[];
  private readonly texts: GuardedText[] = [];

  /** @throws Tripwire */
  constructor(
    guardrails: readonly Guardrail[],
    about: OutputAbout,
    private readonly trip: Trip,
  ) {
    this.open = guardrails.flatMap((guardrail) => {
      const { name } = guardrail;
      const open = guard(name, trip, () => guardrail.openOutput?.(about));
      return open ? [{ name, open }] : [];
    });
  }

  /** @throws Tripwire */
  begin(part: OutputPart): GuardedText {
    const filters = this.open.flatMap(({ name, open }) => {
      const filter = guard(name, this.trip, () => open(part));
      return filter ? [{ name, filter }] : [];
    });
    const text = new GuardedText(filters, this.trip);
    this.texts.push(text);
    return text;
  }

  /**
   * The remarks for readers.
   * @throws Tripwire
   */
  remarks(): readonly string[] {
    return [...new Set(this.texts.flatMap((text) => text.remarks()))];
  }
}

/** Checks the type at run time, for filters written in JavaScript. */
function requireText(text: unknown): string {
  if (typeof text === 'string') return text;
  throw new Error('it failed, so nothing passes: `push` and `end` have to answer a string.');
}

function guard<T>(name: string, trip: Trip, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw error instanceof Tripwire ? error : trip(name, error);
  }
}

function* guardSliced(name: string, trip: Trip, work: Sliced<unknown>): Sliced<string> {
  try {
    return requireText(yield* work);
  } catch (error) {
    throw error instanceof Tripwire ? error : trip(name, error);
  }
}
