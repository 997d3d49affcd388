/** Numbers by owner, such as a user; an owner with none takes no memory. */
export class Counts {
  private readonly counts = new Map<string | undefined, number>();
  private sum = 0;

  get total(): number {
    return this.sum;
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
