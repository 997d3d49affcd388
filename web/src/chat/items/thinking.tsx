import { ChevronRight } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { text as strings } from '../../strings/chat';
import { visible } from '../../text/visible';
import { keepSeconds, keptSeconds } from './thought-seconds';
import css from './agent-items.module.css';

/** Shows a line, with its seconds while it is watched; the thoughts on request. */
export function Thinking({ id, text, isOpen }: { id: string; text: string; isOpen: boolean }) {
  const [isShown, setShown] = useState(false);
  const seconds = useSeconds(id, isOpen);
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

/** Seconds for which it has been going on before the eyes of the reader; a reload keeps them. */
function useSeconds(id: string, isGoing: boolean): number {
  const begun = useRef<number>(undefined);
  const [seconds, setSeconds] = useState(() => keptSeconds(id));
  useEffect(() => {
    if (!isGoing) return;
    begun.current ??= Date.now();
    const update = (): void => {
      const passed = Math.round((Date.now() - begun.current!) / 1000);
      setSeconds(passed);
      keepSeconds(id, passed);
    };
    const timer = setInterval(update, 1000);
    return () => {
      clearInterval(timer);
      update();
    };
  }, [id, isGoing]);
  return seconds;
}
