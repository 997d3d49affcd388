import type { Turns } from './turns.js';

/** One program's turn to work, which it gives to others while it waits. */
export class Turn {
  private constructor(
    private readonly turns: Turns,
    private giveBack: () => void,
  ) {}

  static async take(turns: Turns): Promise<Turn> {
    return new Turn(turns, await turns.take());
  }

  async without<T>(work: () => Promise<T>): Promise<T> {
    this.giveBack();
    try {
      return await work();
    } finally {
      this.giveBack = await this.turns.take();
      if (this.isOver) this.giveBack();
    }
  }

  end(): void {
    this.isOver = true;
    this.giveBack();
  }

  private isOver = false;
}
