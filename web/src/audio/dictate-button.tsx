import { LoaderCircle, Mic } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { client } from '../session/client';
import { audioText as text } from '../strings/chat';
import { IconButton } from '../ui/button';
import { useNow } from '../ui/use-now';
import { record } from './recorder';
import css from './audio.module.css';

/** A press that is longer than this records while it is held, in milliseconds. */
const HOLD_MS = 400;

/** A recording, from the press that begins it until its text is there. */
interface Dictation {
  readonly pressedAt: number;
  readonly abort: AbortController;
  /** Ends the recording; undefined: the microphone is not there yet. */
  stop?: () => void;
}

interface DictateButtonProps {
  readonly onText: (text: string) => void;
  /** Undefined: the one before is told no longer. */
  readonly onError: (error: unknown) => void;
}

/** Records, and gives the text of it. */
export function DictateButton({ onText, onError }: DictateButtonProps) {
  const [state, setState] = useState<keyof typeof text.dictate>('idle');
  const current = useRef<Dictation>(undefined);
  useEffect(() => () => current.current?.abort.abort(), []);

  const dictate = async (dictation: Dictation): Promise<void> => {
    const { signal } = dictation.abort;
    current.current = dictation;
    onError(undefined);
    setState('opening');
    try {
      const recorder = await record(signal);
      dictation.stop = recorder.stop;
      setState('recording');
      const recording = await recorder.recording;
      if (recording === null) return;
      setState('transcribing');
      const { text: heard } = await client.audio.transcribe(recording, { signal });
      if (heard === '') throw new Error(text.nothingHeard);
      onText(heard);
    } catch (error) {
      if (!signal.aborted) onError(error);
    } finally {
      current.current = undefined;
      setState('idle');
    }
  };
  const begin = (pressedAt: number): void => {
    if (current.current === undefined) void dictate({ pressedAt, abort: new AbortController() });
  };
  const onClick = (event: MouseEvent): void => {
    const dictation = current.current;
    // A key has no press before its click.
    if (dictation === undefined) return event.detail === 0 ? begin(-Infinity) : undefined;
    // The press that began it: a short one lets it go on.
    if (performance.now() - dictation.pressedAt < HOLD_MS) return;
    if (state === 'recording') dictation.stop?.();
    else dictation.abort.abort();
  };
  return (
    <span className={css['dictate']}>
      <IconButton
        label={text.dictate[state]}
        data-testid="dictate"
        aria-pressed={state !== 'idle'}
        onPointerDown={({ button }) => button === 0 && begin(performance.now())}
        onClick={({ nativeEvent }) => onClick(nativeEvent)}
      >
        {state === 'transcribing' ? (
          <LoaderCircle size={16} aria-hidden />
        ) : (
          <Mic size={16} aria-hidden />
        )}
      </IconButton>
      {state === 'recording' && <Elapsed />}
    </span>
  );
}

function Elapsed() {
  const now = useNow(1000);
  const [since] = useState(now);
  return <time>{text.elapsed(Math.max(0, Math.round((now - since) / 1000)))}</time>;
}
