/** More at once would only wait for the disk, and for file handles. */
const SLICE = 16;

/** Maps in order, a few at a time. */
export async function mapInSlices<T, R>(
  items: readonly T[],
  map: (item: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  for (let i = 0; i < items.length; i += SLICE) {
    results.push(...(await Promise.all(items.slice(i, i + SLICE).map(map))));
  }
  return results;
}
