import { useMemo } from 'react';
import { duration } from '../strings/amounts';
import { timelineText as text } from '../strings/timeline';
import { union } from './scale';
import type { Timeline } from './spans';
import css from './timeline.module.css';

const KINDS = ['turn', 'tool', 'wait', 'lost'] as const;
const MARKS = ['retry', 'resume', 'note', 'error', 'cancel'] as const;

interface LegendProps {
  readonly timeline: Timeline;
  readonly end: number;
  /** Long waits are drawn shorter than they were. */
  readonly isShortened: boolean;
}

/** How long it took, and what the bars and marks are that are there. */
export function Legend({ timeline, end, isShortened }: LegendProps) {
  const { begin, spans, marks } = timeline;
  const waited = useMemo(
    () =>
      union(
        spans
          .filter(({ kind }) => kind === 'wait')
          .map(({ from, to }) => ({ from, to: to ?? end })),
      ).reduce((sum, { from, to }) => sum + to - from, 0),
    [spans, end],
  );
  const times = [
    text.took(duration(end - begin)),
    waited > 0 ? text.waited(duration(waited)) : '',
    isShortened ? text.shortened : '',
  ];
  return (
    <div className={css['legend']}>
      <p>{times.filter(Boolean).join(', ')}</p>
      <ul>
        {KINDS.filter((kind) => spans.some((span) => span.kind === kind)).map((kind) => (
          <li key={kind}>
            <i className={css['bar']} data-kind={kind} />
            {text.kinds[kind]}
          </li>
        ))}
        {spans.some(({ isBad }) => isBad) && (
          <li>
            <i className={css['bar']} data-kind="tool" data-bad />
            {text.failed}
          </li>
        )}
        {MARKS.filter((kind) => marks.some((mark) => mark.kind === kind)).map((kind) => (
          <li key={kind}>
            <i data-mark={kind} />
            {text.marks[kind]}
          </li>
        ))}
      </ul>
    </div>
  );
}
