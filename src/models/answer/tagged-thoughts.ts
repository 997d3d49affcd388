/** The tags in which models write their thoughts unless their server separates them. */
const TAGS: readonly (readonly [opening: string, closing: string])[] = [
  ['<think>', '</think>'],
  ['<thinking>', '</thinking>'],
  ['<thought>', '</thought>'],
  ['<seed:think>', '</seed:think>'],
  ['◁think▷', '◁/think▷'],
];
/** White space before the first tag. */
const MAX_HELD = 100;

export interface Separated {
  readonly thinking: string;
  readonly text: string;
}

/**
 * Separates the thoughts at the very beginning of a streamed text from the rest, without their tags
 * and the white space behind these. Tags further on are part of the text.
 */
export class TaggedThoughts {
  private part: 'start' | 'thinking' | 'text' = 'start';
  private closing = '';
  /** The beginning of what may be a tag. */
  private held = '';
  private isBehindTag = false;

  push(delta: string): Separated {
    if (this.part === 'text' && !this.isBehindTag) return { thinking: '', text: delta };
    const rest = this.held + delta;
    this.held = '';
    return this.separate(rest);
  }

  /** True in thoughts that have not ended. */
  get isOpen(): boolean {
    return this.part === 'thinking';
  }

  /** Returns what was held back. */
  end(): Separated {
    const { part, held } = this;
    this.held = '';
    return part === 'thinking' ? { thinking: held, text: '' } : { thinking: '', text: held };
  }

  private separate(rest: string): Separated {
    switch (this.part) {
      case 'start':
        return this.start(rest);
      case 'thinking':
        return this.think(rest);
      case 'text':
        return { thinking: '', text: this.trimmed(rest) };
    }
  }

  private start(rest: string): Separated {
    const begun = rest.trimStart();
    const tags = TAGS.find(([opening]) => begun.startsWith(opening));
    if (tags) {
      this.enter('thinking');
      this.closing = tags[1];
      return this.think(begun.slice(tags[0].length));
    }
    if (rest.length < MAX_HELD && TAGS.some(([opening]) => opening.startsWith(begun))) {
      this.held = rest;
      return { thinking: '', text: '' };
    }
    this.part = 'text';
    return { thinking: '', text: rest };
  }

  private think(rest: string): Separated {
    const end = rest.indexOf(this.closing);
    if (end === -1) {
      const kept = rest.length - overlap(rest, this.closing);
      this.held = rest.slice(kept);
      return { thinking: this.trimmed(rest.slice(0, kept)), text: '' };
    }
    const thinking = this.trimmed(rest.slice(0, end));
    this.enter('text');
    return { thinking, text: this.trimmed(rest.slice(end + this.closing.length)) };
  }

  private enter(part: 'thinking' | 'text'): void {
    this.part = part;
    this.isBehindTag = true;
  }

  private trimmed(text: string): string {
    const rest = this.isBehindTag ? text.trimStart() : text;
    this.isBehindTag &&= rest === '';
    return rest;
  }
}

/**
 * The part of a whole text behind the thoughts in it, also if their first tag is missing; empty if
 * they don't end.
 */
export function behindThoughts(text: string): string {
  const ends = TAGS.map(([, closing]) => {
    const at = text.lastIndexOf(closing);
    return at === -1 ? 0 : at + closing.length;
  });
  const rest = text.slice(Math.max(...ends));
  const begun = rest.trimStart();
  return TAGS.some(([opening]) => begun.startsWith(opening)) ? '' : rest;
}

/** The length of the longest end of `text` that `tag` begins with. */
function overlap(text: string, tag: string): number {
  let length = Math.min(text.length, tag.length - 1);
  while (length > 0 && !tag.startsWith(text.slice(-length))) length--;
  return length;
}
