import type { Interaction } from 'parley/client';
import { statusWords } from '../strings/status';
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

/** A dot and a word. */
export function Status({ status }: { status: Interaction['status'] }) {
  return <Mark tone={TONES[status]}>{statusWords[status]}</Mark>;
}

export function Mark({ tone, children }: { tone: Tone; children: React.ReactNode }) {
  return (
    <span className={css['status']} data-tone={tone}>
      {children}
    </span>
  );
}
