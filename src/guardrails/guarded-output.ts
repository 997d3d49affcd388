import type { Guardrail, OpenFilter, OutputAbout, OutputFilter, OutputPart } from './guardrail.js';
import { Tripwire, tripped } from './tripwire.js';

interface NamedFilter {
  readonly name: string;
  readonly filter: OutputFilter;
}

/** One text behind a chain of filters: each reads the text that the previous one lets through. */
export class GuardedText {
  constructor(private readonly filters: readonly NamedFilter[]) {}

  /** @throws Tripwire */
  push(text: string): string {
    return this.through(text, 0);
  }

  /** @throws Tripwire */
  end(): string {
    return this.filters
      .map(({ name, filter }, i) =>
        this.through(
          guard(name, () => requireText(filter.end())),
          i + 1,
        ),
      )
      .join('');
  }

  /** @throws Tripwire */
  remarks(): readonly string[] {
    return this.filters.flatMap(({ name, filter }) => {
      const remark = guard(name, () => filter.remark);
      return remark === undefined ? [] : [`Guardrail ${name}: ${remark}`];
    });
  }

  private through(text: string, from: number): string {
    let left = text;
    for (let i = from; i < this.filters.length && left !== ''; i++) {
      const { name, filter } = this.filters[i]!;
      left = guard(name, () => requireText(filter.push(left)));
    }
    return left;
  }
}

/** The output of one model turn or of one tool call. */
export class GuardedOutput {
  private readonly open: readonly { readonly name: string; readonly open: OpenFilter }[];
  private readonly texts: GuardedText[] = [];

  /** @throws Tripwire */
  constructor(guardrails: readonly Guardrail[], about: OutputAbout) {
    this.open = guardrails.flatMap((guardrail) => {
      const { name } = guardrail;
      const open = guard(name, () => guardrail.openOutput?.(about));
      return open ? [{ name, open }] : [];
    });
  }

  /** @throws Tripwire */
  begin(part: OutputPart): GuardedText {
    const filters = this.open.flatMap(({ name, open }) => {
      const filter = guard(name, () => open(part));
      return filter ? [{ name, filter }] : [];
    });
    const text = new GuardedText(filters);
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

function guard<T>(name: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw error instanceof Tripwire ? error : tripped(name, error);
  }
}
