/** A map that drops its oldest entries beyond `limit`. */
export class BoundedMap<K, V> {
  private readonly entries = new Map<K, V>();

  constructor(private readonly limit: number) {}

  get(key: K): V | undefined {
    return this.entries.get(key);
  }

  set(key: K, value: V): void {
    this.entries.delete(key);
    this.entries.set(key, value);
    if (this.entries.size <= this.limit) return; // finding the oldest skips what was deleted
    const [oldest] = this.entries.keys();
    this.entries.delete(oldest!);
  }

  delete(key: K): void {
    this.entries.delete(key);
  }
}
