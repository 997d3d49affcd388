import { setTimeout as delay } from 'node:timers/promises';
import { draftOf, EMPTY_DRAFT } from '../screen/editor.js';
import type { Desk } from './desk.js';
import { MESSAGE } from './mode.js';
import { submit } from './input/submit.js';

/** For a person to read a message that is typed for them. */
const READING_MS = 1_000;

/** Types messages, each when the answer to the one before has ended, and leaves. */
export async function typeScript(desk: Desk, script: readonly string[]): Promise<void> {
  for (const text of script) {
    await idle(desk);
    desk.setMode(MESSAGE, draftOf(text));
    await delay(READING_MS);
    const { draft } = desk;
    desk.setMode(MESSAGE, EMPTY_DRAFT);
    await submit(desk, { mode: MESSAGE, draft, isQueued: false });
  }
  await idle(desk);
  desk.quit();
}

/** Resolves when nothing runs and nothing is being typed. */
async function idle(desk: Desk): Promise<void> {
  while (desk.session.isBusy || desk.sending || desk.draft.text !== '') await desk.nextChange();
}
