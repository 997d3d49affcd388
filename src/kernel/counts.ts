/** Numbers by owner, such as a user; an owner with none takes no memory. */
export class Counts {
  private readonly counts = new Map<string | undefined, number>();
  private sum = 0;

  get total(): number {
    return this.sum;
  }

  /** How many owners have some. */
  get owners(): number {
    return this.counts.size;
  }

  /** The owner with most; the first of several. */
  largest(): string | undefined {
    let largest: string | undefined;
    for (const [key, count] of this.counts) if (count > this.of(largest)) largest = key;
    return largest;
  }

  of(key: string | undefined): number {
    return this.counts.get(key) ?? 0;
  }

  add(key: string | undefined, difference: number): void {
    const count = this.of(key) + difference;
    this.sum += difference;
    if (count > 0) this.counts.set(key, count);
    else this.counts.delete(key);
  }
}
