import { PcmPlayer } from './pcm-player';

/** Sound that is fetched before it is heard, in milliseconds. */
const AHEAD_MS = 10_000;

/** Plays PCM as it comes. Resolves when all of it was heard, or it was aborted. */
export async function playStream(
  stream: ReadableStream<Uint8Array>,
  signal: AbortSignal,
  onBegin: () => void,
): Promise<void> {
  const player = new PcmPlayer();
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done || signal.aborted) break;
      player.push(value);
      onBegin();
      await player.drained(AHEAD_MS, signal);
    }
    await player.drained(0, signal);
  } finally {
    await reader.cancel().catch(() => {});
    await player.close();
  }
}
