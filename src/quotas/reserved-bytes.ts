interface Room {
  /** @throws AppError `quota_exceeded` (429) */
  take(bytes: number): Promise<void>;
  giveBack(bytes: number): void;
}

/** Bytes that are being added by one upload, import or tool. Its owner releases them. */
export class ReservedBytes {
  private bytes = 0;
  private arrived = 0;

  constructor(private readonly room: Room) {}

  /** @throws AppError `quota_exceeded` (429) */
  async grow(bytes: number): Promise<void> {
    await this.room.take(bytes);
    this.bytes += bytes;
  }

  /** Passes bytes on as they arrive, and grows by those that were not expected. */
  async *count(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of content) {
      this.arrived += chunk.length;
      if (this.arrived > this.bytes) await this.grow(this.arrived - this.bytes);
      yield chunk;
    }
  }

  /** Once they are saved and counted, or will not be. */
  release(): void {
    this.room.giveBack(this.bytes);
    this.bytes = 0;
  }
}
