import { createHash } from 'node:crypto';

/** Four 32-bit numbers: the same for the same call, whenever it runs. */
export function programSeed(...parts: readonly string[]): readonly number[] {
  const digest = createHash('sha256').update(parts.join('\n')).digest();
  return [0, 4, 8, 12].map((at) => digest.readUInt32LE(at));
}
