import { openMicrophone, release } from './microphone';

/** The longest recording, in milliseconds. */
const LONGEST_MS = 10 * 60_000;

/** A microphone that records. */
export interface Recorder {
  /** Ends it, and lets go of the microphone. */
  readonly stop: () => void;
  /** Resolves when it has ended; null: it was aborted, or nothing was recorded. */
  readonly recording: Promise<Blob | null>;
}

/**
 * Asks for the microphone, and records until it is stopped or aborted, or for 10 minutes.
 * @throws Error for a person to read, if there is no microphone or it is not allowed
 */
export async function record(signal: AbortSignal): Promise<Recorder> {
  const stream = await openMicrophone();
  if (signal.aborted) {
    release(stream);
    return { stop: () => {}, recording: Promise.resolve(null) };
  }
  const recorder = new MediaRecorder(stream);
  const chunks: Blob[] = [];
  recorder.ondataavailable = ({ data }) => data.size > 0 && chunks.push(data);
  const stop = (): void => {
    if (recorder.state !== 'inactive') recorder.stop();
  };
  const recording = new Promise<Blob | null>((resolve) => {
    const timer = setTimeout(stop, LONGEST_MS);
    // Also when the microphone is unplugged.
    recorder.onstop = () => {
      clearTimeout(timer);
      release(stream);
      const isThere = !signal.aborted && chunks.length > 0;
      resolve(isThere ? new Blob(chunks, { type: recorder.mimeType }) : null);
    };
  });
  signal.addEventListener('abort', stop);
  recorder.start();
  return { stop, recording };
}
