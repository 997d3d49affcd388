import { ArrowDown } from 'lucide-react';
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { Virtualizer } from 'virtua';
import type { VirtualizerHandle } from 'virtua';
import { text } from '../strings/chat';
import { isOpening, Opening } from './opening';
import { SeedMessage } from './seed';
import { useStore } from '../ui/store';
import { PastBar } from '../records/past-bar';
import { IsPast } from '../records/use-shown';
import type { Shown } from '../records/use-shown';
import { useShownChat } from './use-chat';
import { TurnView } from './turn-view';
import { useTarget } from './target';
import { isActive } from './turns';
import css from './turn-list.module.css';

/** Within so many pixels of the end a reader is taken to be at the end. */
const NEAR = 48;
/** A scroll within so many milliseconds of a touch, a key or the wheel is a person's. */
const TOUCH_MS = 1000;

interface TurnListProps {
  readonly shown: Shown;
  readonly editing: string | null;
  readonly onEdit: (id: string | null) => void;
}

/** The conversation: it stays at its end unless the reader has scrolled away from there. */
export function TurnList({ shown, editing, onEdit }: TurnListProps) {
  const { view, turns, past } = shown;
  const chat = useShownChat();
  const scroller = useRef<HTMLDivElement>(null);
  const list = useRef<VirtualizerHandle>(null);
  const [isAtEnd, setAtEnd] = useState(true);
  const sticks = useRef(true);
  // By an address to a place, until a person goes on from there.
  const isLed = useRef(false);
  const isPrepending = useIsPrepending(turns);
  const seeds = view.nextBefore === null ? view.messages : [];
  // Growth of any kind pushes up the text above it, in the frame that shows it.
  const [growth] = useState(
    () => new ResizeObserver(() => sticks.current && scroller.current && toEnd(scroller.current)),
  );
  const watch = useCallback(
    (element: Element | null) => {
      if (element) growth.observe(element);
      return () => {
        if (element) growth.unobserve(element);
      };
    },
    [growth],
  );
  useEffect(() => growth.observe(scroller.current!), [growth]);
  // A conversation as of a record ends with it.
  useEffect(() => {
    sticks.current = true;
    if (past) toEnd(scroller.current!);
  }, [past]);
  useTarget(turns, (index) => {
    if (past) return;
    sticks.current = false;
    isLed.current = true;
    // A record that is drawn comes into sight by itself.
    if (!scroller.current?.querySelector('[aria-current]:not(article)'))
      list.current?.scrollToIndex(seeds.length + index, { align: 'start' });
  });
  const sent = useStore(chat.sent);
  useEffect(() => {
    if (sent === 0) return;
    sticks.current = true;
    toEnd(scroller.current!);
  }, [sent]);
  // Measuring turns scrolls as well: only a person leaves the end.
  const touched = useRef(-Infinity);
  const onTouch = (): void => {
    touched.current = performance.now();
    isLed.current = false;
  };
  const onScroll = (): void => {
    const box = scroller.current!;
    const near = box.scrollHeight - box.scrollTop - box.clientHeight < NEAR;
    if (near && !isLed.current) sticks.current = true;
    else if (performance.now() - touched.current < TOUCH_MS) sticks.current = false;
    else if (sticks.current) toEnd(box);
    setAtEnd(near || sticks.current);
    if (box.scrollTop < 600) void chat.loadEarlier().catch(() => undefined);
  };
  return (
    <div className={css['frame']} data-past={past !== null}>
      {past && <PastBar past={past} />}
      <div
        className={css['scroller']}
        role="log"
        aria-live="off"
        tabIndex={0}
        ref={scroller}
        onScroll={onScroll}
        onWheel={onTouch}
        onTouchMove={onTouch}
        onPointerDown={onTouch}
        onKeyDown={onTouch}
      >
        {view.nextBefore && <p className={css['earlier']}>{text.loadingEarlier}</p>}
        <div className={css['turns']} ref={watch}>
          <Virtualizer
            ref={list}
            scrollRef={scroller}
            shift={isPrepending}
            bufferSize={800}
            keepMounted={keptOf(turns, editing, seeds.length)}
          >
            {seeds.map((message, index) => (
              <SeedMessage key={index} message={message} />
            ))}
            {turns.map((turn) => (
              <IsPast key={turn.id} value={turn.id === past?.interaction_id}>
                <TurnView {...{ turn, view, onEdit, watch }} isEditing={editing === turn.id} />
              </IsPast>
            ))}
          </Virtualizer>
        </div>
      </div>
      {isOpening(view, turns) && (
        <div className={css['opening']}>
          <Opening view={view} />
        </div>
      )}
      {!isAtEnd && (
        <button
          type="button"
          className={css['below']}
          onClick={() => {
            sticks.current = true;
            toEnd(scroller.current!);
          }}
        >
          <ArrowDown size={14} aria-hidden /> {text.toEnd}
        </button>
      )}
    </div>
  );
}

/** True while turns are drawn for the first time that stand before those of the last time. */
function useIsPrepending(turns: Shown['turns']): boolean {
  const first = turns[0]?.id;
  const [last, setLast] = useState(first);
  useLayoutEffect(() => setLast(first), [first]);
  return last !== first && turns.some(({ id }) => id === last);
}

/** Indexes of turns in which a person may have written something: they stay while out of sight. */
function keptOf(turns: Shown['turns'], editing: string | null, seeds: number): readonly number[] {
  return turns.flatMap(({ id, status }, index) =>
    id === editing || isActive(status) ? [seeds + index] : [],
  );
}

function toEnd(box: HTMLElement): void {
  box.scrollTop = box.scrollHeight;
}
