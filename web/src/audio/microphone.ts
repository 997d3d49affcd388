import { audioText as text } from '../strings/chat';
import workletUrl from './microphone-worklet?worker&url';

/** @throws Error for a person to read, if there is no microphone or it is not allowed */
export async function openMicrophone(): Promise<MediaStream> {
  try {
    return await navigator.mediaDevices.getUserMedia({ audio: true });
  } catch (error) {
    const isRefused = error instanceof DOMException && error.name === 'NotAllowedError';
    throw new Error(isRefused ? text.notAllowed : text.noMicrophone, { cause: error });
  }
}

export function release(stream: MediaStream): void {
  for (const track of stream.getTracks()) track.stop();
}

/**
 * Gives the sound of a microphone as PCM of 16 bits, mono, 24 kHz, little-endian, until the signal
 * is aborted.
 * @throws Error for a person to read, if there is no microphone or it is not allowed
 */
export async function hear(onPcm: (pcm: ArrayBuffer) => void, signal: AbortSignal): Promise<void> {
  const stream = await openMicrophone();
  const context = new AudioContext();
  const end = (): void => {
    release(stream);
    void context.close();
  };
  signal.addEventListener('abort', end);
  if (signal.aborted) return end();
  await context.audioWorklet.addModule(workletUrl);
  if (signal.aborted) return;
  const node = new AudioWorkletNode(context, 'microphone', { numberOfOutputs: 0 });
  node.port.addEventListener('message', ({ data }) => onPcm(data as ArrayBuffer));
  node.port.start();
  context.createMediaStreamSource(stream).connect(node);
}
