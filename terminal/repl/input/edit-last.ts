import { sanitize } from '../../render/sanitize.js';
import { draftOf } from '../../screen/editor.js';
import type { Desk } from '../desk.js';

/** Puts the last message, or another text for it, into the input. */
export function editLast(desk: Desk, text?: string): void {
  const { head } = desk.session;
  if (!head?.started) return desk.setHint('There is no message to edit yet.');
  const draft = draftOf(text ?? sanitize(head.started.user_message));
  desk.setMode({ kind: 'edit', interaction_id: head.id }, draft);
}
