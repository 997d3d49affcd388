const SAMPLES_PER_MS = 24;

/** PCM of 16 bits, mono, 24 kHz, little-endian, for so many milliseconds. */
function pcm(ms: number, sampleAt: (n: number) => number): Buffer {
  const samples = Buffer.alloc(ms * SAMPLES_PER_MS * 2);
  for (let n = 0; n < ms * SAMPLES_PER_MS; n++)
    samples.writeInt16LE(Math.round(sampleAt(n)), n * 2);
  return samples;
}

export function silence(ms: number): Buffer {
  return pcm(ms, () => 0);
}

/** Loud as speech is. */
export function tone(ms: number, hertz = 300): Buffer {
  return pcm(ms, (n) => Math.sin((2 * Math.PI * hertz * n) / 24_000) * 12_000);
}

/** White noise, the same each time. @param loudness root mean square of its samples */
export function noise(ms: number, loudness: number): Buffer {
  let seed = 1;
  return pcm(ms, () => {
    seed = (seed * 48_271) % 2_147_483_647;
    return (seed / 2_147_483_647 - 0.5) * 2 * Math.sqrt(3) * loudness;
  });
}
