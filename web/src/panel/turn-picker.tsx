import { goToTarget } from '../chat/target';
import type { Turn } from '../chat/turns';
import { panelText as text } from '../strings/panel';
import { visible } from '../text/visible';
import css from './panel.module.css';

const MOST_LABEL = 60;

/** Which turn of the chat the panel is about; the newest first. */
export function TurnPicker({ turns, turn }: { turns: readonly Turn[]; turn: Turn }) {
  if (turns.length < 2) return null;
  return (
    <div className={css['picker']}>
      <select
        aria-label={text.turn}
        value={turn.id}
        onChange={({ target }) => goToTarget({ interaction_id: target.value, seq: null })}
      >
        {[...turns].reverse().map(({ id, user_message }) => (
          <option key={id} value={id}>
            {visible(user_message.slice(0, MOST_LABEL).replaceAll(/\s+/g, ' '))}
          </option>
        ))}
      </select>
    </div>
  );
}
