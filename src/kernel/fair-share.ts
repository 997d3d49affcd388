import { Counts } from './counts.js';

/** Part of a limit that one owner may have. */
const SHARE = 1 / 2;

/** Bytes that the server holds for an owner, such as a user. */
export interface Held {
  readonly owner: string | undefined;
  readonly bytes: number;
}

/**
 * True if an owner has its part of a limit for all, or more than the average while all of it is
 * taken: no owner is refused because others hold too much.
 * @param most in bytes
 */
export function exceedsShare(counts: Counts, owner: string | undefined, most: number): boolean {
  const { total, owners } = counts;
  const own = counts.of(owner);
  return own >= most * SHARE || (total >= most && own > total / owners);
}

/**
 * Chooses the items to end so that the rest fits into a limit: the first item of the owner with
 * most, again and again, and never the last one of all.
 * @param most in bytes
 */
export function surplusOf<T extends Held>(held: readonly T[], most: number): T[] {
  const counts = new Counts();
  const ofOwner = new Map<string | undefined, T[]>();
  for (const { owner, bytes } of held) counts.add(owner, bytes);
  for (const each of held.toReversed()) {
    const others = ofOwner.get(each.owner);
    if (others) others.push(each);
    else ofOwner.set(each.owner, [each]);
  }
  const surplus: T[] = [];
  while (counts.total > most && surplus.length < held.length - 1) {
    const next = ofOwner.get(counts.largest())!.pop()!;
    counts.add(next.owner, -next.bytes);
    surplus.push(next);
  }
  return surplus;
}
