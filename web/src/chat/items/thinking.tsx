import { ChevronRight } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { text as strings } from '../../strings/chat';
import { visible } from '../../text/visible';
import css from './agent-items.module.css';

/** Shows a line, with its seconds while it is watched; the thoughts on request. */
export function Thinking({ text, isOpen }: { text: string; isOpen: boolean }) {
  const [isShown, setShown] = useState(false);
  const seconds = useSeconds(isOpen);
  const label = isOpen
    ? strings.thinking
    : seconds > 0
      ? strings.thoughtFor(seconds)
      : strings.thought;
  return (
    <div className={css['thinking']} data-testid="thinking">
      <button type="button" aria-expanded={isShown} onClick={() => setShown(!isShown)}>
        <ChevronRight size={14} aria-hidden />
        {label}
        {isOpen && seconds > 0 && ` ${seconds} s`}
      </button>
      {isShown && <p className={css['thought']}>{visible(text)}</p>}
    </div>
  );
}

/** Seconds for which it has been going on before the eyes of the reader. */
function useSeconds(isGoing: boolean): number {
  const begun = useRef<number>(undefined);
  const [seconds, setSeconds] = useState(0);
  useEffect(() => {
    if (!isGoing) return;
    begun.current ??= Date.now();
    const update = (): void => setSeconds(Math.round((Date.now() - begun.current!) / 1000));
    const timer = setInterval(update, 1000);
    return () => {
      clearInterval(timer);
      update();
    };
  }, [isGoing]);
  return seconds;
}
