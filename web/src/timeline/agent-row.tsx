import { memo } from 'react';
import { visible } from '../text/visible';
import type { Row } from './rows';
import css from './timeline.module.css';

const MOST_DEPTH = 8;

/** Shows an agent of a turn: its name, what took its time, and what happened to it. */
export const AgentRow = memo(({ row: { agent, lanes, marks } }: { row: Row }) => (
  <div className={css['row']}>
    <div className={css['agent']} style={{ paddingLeft: Math.min(agent.depth, MOST_DEPTH) * 8 }}>
      {visible(agent.type)}
    </div>
    {lanes.map((bars, index) => (
      <div key={index} className={css['lane']}>
        {bars.map(({ kind, left, width, isBad, isOpen, seq }) => (
          <div
            key={seq}
            className={css['bar']}
            data-kind={kind}
            data-bad={isBad || undefined}
            data-open={isOpen || undefined}
            data-seq={seq}
            style={{ left, width }}
          />
        ))}
      </div>
    ))}
    {marks.length > 0 && (
      <div className={css['marks']}>
        {marks.map(({ kind, left, seq }) => (
          <i key={seq} data-mark={kind} data-seq={seq} style={{ left }} />
        ))}
      </div>
    )}
  </div>
));
