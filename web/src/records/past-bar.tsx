import { goToTarget } from '../chat/target';
import { timelineText as text } from '../strings/timeline';
import { Button } from '../ui/button';
import type { Past } from './use-shown';
import css from './past-bar.module.css';

/** Says that the conversation is shown as it was, and leads back. */
export function PastBar({ past: { interaction_id, seq, last, isOfLast } }: { past: Past }) {
  return (
    <div className={css['bar']} role="status" data-testid="as-of">
      <span>{text.asOf(seq, last)}</span>
      <Button
        look="plain"
        onClick={() => goToTarget(isOfLast ? null : { interaction_id, seq: null })}
      >
        {text.backToNow}
      </Button>
    </div>
  );
}
