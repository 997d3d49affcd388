import type { LiveKeys } from '../../../encryption/live-keys.js';
import { isSealed, SEAL } from '../../../encryption/sealed-text.js';
import type { Frame } from '../live-bus.js';

/** Where a piece of a block begins. */
type PieceOf = readonly [block_id: string, offset: number];

/** Frames and open blocks as Redis has them: sealed if encryption is on. */
export class SealedFrames {
  constructor(private readonly keys: LiveKeys | undefined) {}

  /** @param frames and the result are JSON */
  sealFrames(id: string, frames: string): string {
    return this.keys ? JSON.stringify(this.keys.seal(id, frames, ['frames'])) : frames;
  }

  /** @throws Error if they were changed, or can't be opened here */
  openFrames(id: string, frames: readonly Frame[] | string): readonly Frame[] {
    if (typeof frames !== 'string') return frames;
    return JSON.parse(this.open(id, frames, ['frames'])) as Frame[];
  }

  /** Seals the text as JSON, in which lone surrogates survive. */
  sealPiece(id: string, text: string, of: PieceOf): string {
    return this.keys ? this.keys.seal(id, JSON.stringify(text), of) : text;
  }

  /** @throws Error if they were changed, or can't be opened here */
  openPieces(id: string, text: string, block_id: string): string {
    if (!isSealed(text)) return text;
    const [, ...pieces] = text.split(SEAL);
    return pieces.reduce((whole, piece) => {
      const opened = this.open(id, SEAL + piece, [block_id, whole.length]);
      return whole + (JSON.parse(opened) as string);
    }, '');
  }

  private open(id: string, sealed: string, place: PieceOf | ['frames']): string {
    if (!this.keys) throw new Error('ENCRYPTION_KEYS is not set in this process.');
    return this.keys.open(id, sealed, place);
  }
}
