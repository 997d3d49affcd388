import { LoaderCircle, Square, Volume2 } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { client } from '../session/client';
import { audioText as text } from '../strings/chat';
import { IconButton } from '../ui/button';
import { Fault } from '../ui/fault';
import { useAction } from '../ui/use-action';
import { playStream } from './play-stream';

/** Only one answer is read at a time. */
let reading: AbortController | undefined;

const ICONS = { idle: Volume2, waiting: LoaderCircle, reading: Square };

/** Reads an answer aloud. */
export function ListenButton({ chatId, id }: { chatId: string; id: string }) {
  const [state, setState] = useState<keyof typeof ICONS>('idle');
  const { error, run } = useAction();
  const own = useRef<AbortController>(undefined);
  useEffect(() => () => own.current?.abort(), []);

  const listen = async (): Promise<void> => {
    reading?.abort();
    const controller = new AbortController();
    reading = own.current = controller;
    const { signal } = controller;
    setState('waiting');
    try {
      const { body } = await client.audio.hear(chatId, id, { format: 'pcm' }, { signal });
      if (body) await playStream(body, signal, () => setState('reading'));
    } catch (thrown) {
      if (!signal.aborted) throw thrown;
    } finally {
      own.current = undefined;
      setState('idle');
    }
  };
  const Icon = ICONS[state];
  return (
    <>
      <IconButton
        label={text.listen[state]}
        data-testid="listen"
        data-reading={state}
        onClick={() => (own.current ? own.current.abort() : run(listen))}
      >
        <Icon size={14} aria-hidden />
      </IconButton>
      {error !== undefined && <Fault error={error} />}
    </>
  );
}
