import type { Artifact, ArtifactChange } from './wire.js';

interface Text {
  readonly id: string;
  content: string;
}

interface RecordedText {
  readonly block_id: string;
  readonly content: string;
  /** The block of an earlier text, in whose place this one stands. */
  readonly replaces?: string | undefined;
}

/**
 * The texts of the root agent as artifacts, numbered in their order. A text that stands in the
 * place of another one, and the next text after one that is void, have the id of that one.
 */
export class Texts {
  private readonly texts: Text[] = [];
  private readonly byBlock = new Map<string, Text>();
  private readonly open = new Set<string>();
  /** Empty texts, whose ids are used again. */
  private readonly free: Text[] = [];

  add({ block_id, delta }: { readonly block_id: string; readonly delta: string }): ArtifactChange {
    const text = this.byBlock.get(block_id);
    if (!text) {
      this.open.add(block_id);
      return this.replace(this.make(block_id), delta);
    }
    text.content += delta;
    return { artifact: toArtifact(text.id, delta), append: true };
  }

  close({ block_id, content, replaces }: RecordedText): readonly ArtifactChange[] {
    const known = this.byBlock.get(block_id);
    const other = replaces === undefined ? undefined : this.byBlock.get(replaces);
    const voided = other && known !== other ? this.voidBlocks([block_id]) : [];
    const text = other ?? known;
    this.open.delete(block_id);
    if (text) this.byBlock.set(block_id, text);
    else if (content === '') return voided;
    if (text?.content === content)
      return [...voided, { artifact: toArtifact(text.id, ''), append: true, lastChunk: true }];
    const change = this.replace(text ?? this.make(block_id), content);
    return [...voided, { ...change, lastChunk: true }];
  }

  /** Empties texts that will never be completed. */
  voidBlocks(blocks: Iterable<string>): readonly ArtifactChange[] {
    return [...blocks].flatMap((block) => {
      const text = this.byBlock.get(block);
      if (!text || !this.open.delete(block)) return [];
      this.byBlock.delete(block);
      this.free.push(text);
      return this.replace(text, '');
    });
  }

  voidAll(): readonly ArtifactChange[] {
    return this.voidBlocks([...this.open]);
  }

  artifacts(): readonly Artifact[] {
    return this.texts.flatMap(({ id, content }) => (content === '' ? [] : toArtifact(id, content)));
  }

  private make(block: string): Text {
    const text = this.free.shift() ?? { id: `text-${this.texts.length + 1}`, content: '' };
    if (!this.texts.includes(text)) this.texts.push(text);
    this.byBlock.set(block, text);
    return text;
  }

  private replace(text: Text, content: string): ArtifactChange {
    text.content = content;
    return { artifact: toArtifact(text.id, content) };
  }
}

function toArtifact(artifactId: string, text: string): Artifact {
  return { artifactId, parts: [{ text }] };
}
