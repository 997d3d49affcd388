/** UTF-16 code units that are coloured at once: some grammars take quadratic time. */
const MAX_SLICE = 2_000;
/** With such a line grammars are slowest, and no person reads it: it stays plain. */
const LONG_LINE = /[^\n]{501}/;
/** The time for one text, after which the rest of it stays plain. */
const BUDGET_MS = 1_000;
/** Number of slices of all texts. */
const MAX_KEPT = 200;

/** Text, or text of one kind. */
export type Highlighted =
  string | { readonly className: string; readonly children: readonly Highlighted[] };

/** A part of a text, coloured or plain. */
export interface ColouredSlice {
  readonly nodes: readonly Highlighted[];
  /** 0: it was known. */
  readonly took_ms: number;
}

/** Colours code slice by slice, so that nothing holds the page, and keeps what it has done. */
export class CodeColours {
  private readonly known = new Map<string, readonly Highlighted[]>();

  constructor(
    private readonly highlight: (code: string, language: string) => readonly Highlighted[],
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** The whole text. The caller lets the page do something else after a slice that took time. */
  *of(code: string, language: string): Generator<ColouredSlice, void> {
    let spent_ms = 0;
    for (const slice of slicesOf(code)) {
      const key = `${language}\n${slice}`;
      const begun = this.now();
      const isPlain = spent_ms >= BUDGET_MS || LONG_LINE.test(slice);
      const nodes = this.known.get(key) ?? (isPlain ? [slice] : this.highlight(slice, language));
      const took_ms = this.now() - begun;
      spent_ms += took_ms;
      this.keep(key, nodes);
      yield { nodes, took_ms };
    }
  }

  /** Also that a slice is plain: it is not tried again. */
  private keep(key: string, nodes: readonly Highlighted[]): void {
    this.known.delete(key);
    this.known.set(key, nodes);
    if (this.known.size > MAX_KEPT) this.known.delete(this.known.keys().next().value!);
  }
}

/** Whole lines, cut after a paragraph if possible; the same for a text that has grown. */
function* slicesOf(code: string): Generator<string, void> {
  let slice = '';
  const texts = code.split('\n');
  for (const [index, text] of texts.entries()) {
    const line = index < texts.length - 1 ? `${text}\n` : text;
    const isLong = LONG_LINE.test(line);
    if (isLong || slice.length + line.length > MAX_SLICE) {
      const paragraph = slice.lastIndexOf('\n\n') + 2;
      const end = !isLong && paragraph > MAX_SLICE / 2 ? paragraph : slice.length;
      if (end > 0) yield slice.slice(0, end);
      slice = slice.slice(end);
    }
    if (isLong) yield line;
    else slice += line;
  }
  if (slice !== '') yield slice;
}
