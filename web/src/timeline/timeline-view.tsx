import { useEffect, useMemo, useRef, useState } from 'react';
import type { KeyboardEvent, PointerEvent } from 'react';
import { Virtualizer } from 'virtua';
import { goToTarget, useTargetIn } from '../chat/target';
import type { Turn } from '../chat/turns';
import { isActive } from '../chat/turns';
import panel from '../panel/panel.module.css';
import { TurnPicker } from '../panel/turn-picker';
import { useLog } from '../records/logs';
import type { Log } from '../records/logs';
import { panelText } from '../strings/panel';
import { summaryOf, typeName } from '../strings/records';
import { timelineText as text } from '../strings/timeline';
import { visible } from '../text/visible';
import { Fault } from '../ui/fault';
import { useNow } from '../ui/use-now';
import { useKeys } from '../keys/registry';
import { AgentRow } from './agent-row';
import { Legend } from './legend';
import { RecordLine } from './record-line';
import { rowsOf } from './rows';
import { scaleOf } from './scale';
import { timelineOf } from './spans';
import css from './timeline.module.css';

/** Padding of the chart, in pixels. */
const PADDING = 12;

interface TimelineViewProps {
  readonly turns: readonly Turn[];
  readonly turn: Turn | undefined;
}

/** The spans of one turn. Its cursor shows the conversation as of a record. */
export function TimelineView({ turns, turn }: TimelineViewProps) {
  if (!turn) return <p className={panel['note']}>{panelText.noTurn}</p>;
  return (
    <>
      <TurnPicker turns={turns} turn={turn} />
      <OfTurn key={turn.id} turn={turn} isLast={turn === turns.at(-1)} />
    </>
  );
}

interface OfTurnProps {
  readonly turn: Turn;
  readonly isLast: boolean;
}

function OfTurn({ turn, isLast }: OfTurnProps) {
  const log = useLog(turn.id, turn);
  if (log.error !== undefined) return <Fault error={log.error} onRetry={log.retry} />;
  if (log.records.length === 0) return <p className={panel['note']}>{text.loading}</p>;
  return <Chart turn={turn} isLast={isLast} log={log} />;
}

function Chart({ turn, isLast, log: { records } }: OfTurnProps & { log: Log }) {
  const scroller = useRef<HTMLDivElement>(null);
  const width = Math.max(useWidth(scroller) - 2 * PADDING, 0);
  const [isFocused, setFocused] = useState(false);
  const [hovered, setHovered] = useState<number | null>(null);
  const timeline = useMemo(() => timelineOf(records), [records]);
  const now = useNow(isActive(turn.status) ? 1000 : null);
  const end = isActive(turn.status) ? Math.max(now, timeline.end) : timeline.end;
  const scale = useMemo(() => scaleOf(timeline, end), [timeline, end]);
  const rows = useMemo(
    () => rowsOf(timeline, { width, scale, end }),
    [timeline, width, scale, end],
  );
  const last = records.length;
  const seq = Math.min(useTargetIn(turn.id)?.seq ?? last, last);
  const record = records[seq - 1]!;
  const goTo = (next: number): void =>
    goToTarget({ interaction_id: turn.id, seq: Math.min(Math.max(next, 1), last) });
  const placeOf = (at: number): number => scale.x(timeline.times[at - 1]!) * width;

  const seqAt = (event: PointerEvent): number => {
    const box = event.currentTarget.getBoundingClientRect();
    const x = event.clientX - box.left - PADDING;
    return lastAt(timeline.times, (time) => scale.x(time) * width <= x + 0.5);
  };
  const onPointerMove = (event: PointerEvent): void => {
    const named = Number((event.target as HTMLElement).dataset['seq']);
    const isDragging =
      event.buttons === 1 && event.currentTarget.hasPointerCapture(event.pointerId);
    if (isDragging) goTo(seqAt(event));
    setHovered(isDragging ? null : named || seqAt(event));
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const next = stepOf(event.key, seq, last);
    const back = isLast ? null : { interaction_id: turn.id, seq: null };
    if (event.key === 'Escape') goToTarget(back);
    else if (next !== undefined) goTo(next);
    else return;
    event.preventDefault();
  };
  const described = visible(`${typeName(record.type)} ${summaryOf(record)}`);
  return (
    <>
      {isFocused && <CursorKeys />}
      <Legend timeline={timeline} end={end} isShortened={scale.isShortened} />
      <div
        className={css['scroller']}
        ref={scroller}
        data-testid="timeline"
        aria-label={text.label}
      >
        <div
          className={css['chart']}
          onPointerDown={(event) => {
            if (event.button !== 0) return;
            event.currentTarget.setPointerCapture(event.pointerId);
            goTo(seqAt(event));
          }}
          onPointerMove={onPointerMove}
          onPointerLeave={() => setHovered(null)}
        >
          <Virtualizer scrollRef={scroller} bufferSize={400}>
            {rows.map((row) => (
              <AgentRow key={row.agent.id} row={row} />
            ))}
          </Virtualizer>
          <div
            className={css['cursor']}
            style={{ left: PADDING + placeOf(seq) }}
            role="slider"
            tabIndex={0}
            data-testid="timeline-cursor"
            aria-label={text.cursor}
            aria-valuemin={1}
            aria-valuemax={last}
            aria-valuenow={seq}
            aria-valuetext={text.position(seq, last, described)}
            onKeyDown={onKeyDown}
            onFocus={() => setFocused(true)}
            onBlur={() => setFocused(false)}
          />
        </div>
      </div>
      <RecordLine
        record={records[(hovered ?? seq) - 1] ?? record}
        last={last}
        begin={timeline.begin}
        isCursor={hovered === null}
      />
    </>
  );
}

/** Lists the keys of the cursor while it has the focus; it takes them itself. */
function CursorKeys() {
  const group = text.label;
  useKeys([
    { key: 'ArrowLeft', label: text.keys.before, group },
    { key: 'ArrowRight', label: text.keys.after, group },
    { key: 'Home', label: text.keys.first, group },
    { key: 'End', label: text.keys.last, group },
    { key: 'Escape', label: text.backToNow, group },
  ]);
  return null;
}

function stepOf(key: string, seq: number, last: number): number | undefined {
  switch (key) {
    case 'ArrowLeft':
    case 'ArrowDown':
      return seq - 1;
    case 'ArrowRight':
    case 'ArrowUp':
      return seq + 1;
    case 'PageDown':
      return seq - 10;
    case 'PageUp':
      return seq + 10;
    case 'Home':
      return 1;
    case 'End':
      return last;
    default:
      return undefined;
  }
}

/** The number of the last time that is so, from 1. All before it are so too. */
function lastAt(times: readonly number[], isSo: (time: number) => boolean): number {
  let [low, high] = [0, times.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (isSo(times[middle]!)) low = middle;
    else high = middle - 1;
  }
  return low + 1;
}

function useWidth(box: React.RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => setWidth(entry!.contentRect.width));
    observer.observe(box.current!);
    return () => observer.disconnect();
  }, [box]);
  return width;
}
