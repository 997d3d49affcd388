/** What the clerk and its tool look things up in: a connection, in a real shop. */
export class Stock implements Disposable {
  private readonly items = new Map([
    ['bread', 3],
    ['milk', 0],
  ]);
  private isOpen = true;
  /** Calls so far; the clerk's hooks count them. */
  lookups = 0;

  count(item: string): number {
    if (!this.isOpen) throw new Error('The stock is closed.');
    return this.items.get(item) ?? 0;
  }

  [Symbol.dispose](): void {
    this.isOpen = false;
    process.stdout.write('The stock is closed.\n');
  }
}
