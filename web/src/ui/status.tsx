import type { Interaction } from 'parley/client';
import { shortStatusWords, statusWords } from '../strings/status';
import css from './ui.module.css';

export type Tone = 'run' | 'wait' | 'good' | 'bad' | 'idle';

const TONES: Readonly<Record<Interaction['status'], Tone>> = {
  QUEUED: 'idle',
  RUNNING: 'run',
  WAITING_APPROVAL: 'wait',
  WAITING_INPUT: 'wait',
  COMPLETED: 'good',
  FAILED: 'bad',
  CANCELLED: 'idle',
};

/** A dot and a word; `short`: a shorter one, where the whole is in a tooltip. */
export function Status({ status, isShort }: { status: Interaction['status']; isShort?: boolean }) {
  const words = isShort ? shortStatusWords : statusWords;
  return <Mark tone={TONES[status]}>{words[status]}</Mark>;
}

export function Mark({ tone, children }: { tone: Tone; children: React.ReactNode }) {
  return (
    <span className={css['status']} data-tone={tone}>
      {children}
    </span>
  );
}
