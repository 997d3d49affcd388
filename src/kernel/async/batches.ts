/** The items in order, at most `size` at a time. */
export function* batchesOf<T>(items: readonly T[], size: number): Generator<T[], void, void> {
  for (let from = 0; from < items.length; from += size) yield items.slice(from, from + size);
}

/** The results in the order of the items; at most `size` are worked on at once. */
export async function mapInBatches<T, R>(
  items: readonly T[],
  size: number,
  work: (item: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  for (const batch of batchesOf(items, size))
    results.push(...(await Promise.all(batch.map((item) => work(item)))));
  return results;
}
