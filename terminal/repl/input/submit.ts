import { ParleyError } from '../../../client/index.js';
import { sanitizeLine } from '../../render/sanitize.js';
import { span } from '../../render/span.js';
import { GLYPHS, SGR } from '../../render/theme.js';
import { cutTo } from '../../render/width.js';
import type { Draft } from '../../screen/editor.js';
import { attach } from './attachments.js';
import type { Desk } from '../desk.js';
import { MESSAGE } from '../mode.js';
import type { Mode } from '../mode.js';
import { commandIn, SLASH_COMMANDS } from './slash-commands.js';
import type { TypedCommand } from './slash-commands.js';

/** A typed text, and what it is for. */
export interface Typed {
  readonly mode: Mode;
  readonly draft: Draft;
  readonly isQueued: boolean;
}

/** A message, a command, or another text; what could not be sent is in the input again. */
export async function submit(desk: Desk, { mode, draft, isQueued }: Typed): Promise<void> {
  const { text } = draft;
  await desk.history.add(text);
  const isOther = mode.kind === 'edit' || mode.kind === 'queued';
  const command = isOther ? undefined : commandIn(text);
  if (command) return runCommand(desk, command);
  const stop = new AbortController();
  desk.sending = stop;
  const isDone = await desk.attempt(async () => {
    try {
      await send(desk, { mode, draft, isQueued }, stop.signal);
    } finally {
      desk.sending = undefined;
    }
  });
  if (isDone) return;
  if (desk.draft.text === '') desk.draft = draft;
  if (mode.kind === 'edit' || mode.kind === 'queued') desk.mode = mode;
}

async function send(
  desk: Desk,
  { mode, draft: { text }, isQueued }: Typed,
  signal: AbortSignal,
): Promise<void> {
  const { session, client } = desk;
  if (mode.kind === 'edit') {
    desk.mode = MESSAGE;
    await session.edit(mode.interaction_id, text);
    return;
  }
  if (mode.kind === 'queued') {
    desk.mode = MESSAGE;
    await client.interactions.change(session.id, mode.interaction_id, { user_message: text });
    return;
  }
  const message = asMessage(withoutSpace(text));
  if (session.isBusy && !isQueued) return steer(desk, message);
  const file_ids = await attach(client, text, signal);
  await session.send(message, { isQueued, file_ids });
}

/** An interaction that ended meanwhile can't be steered: then it is a message. */
async function steer({ session }: Desk, text: string): Promise<void> {
  try {
    await session.steer(text);
  } catch (error) {
    if (!(error instanceof ParleyError) || error.status !== 409) throw error;
    await session.send(text);
  }
}

/** Without the one that begins a message beside a request. */
function withoutSpace(text: string): string {
  return text.replace(/^ (?=\S)/, '');
}

async function runCommand(desk: Desk, { name, argument }: TypedCommand): Promise<void> {
  const typed = cutTo(sanitizeLine(`/${name} ${argument}`.trimEnd()), desk.view.width - 2);
  // Without keys, the line stands there as it was typed.
  if (!desk.isDumb) desk.print([[span(`${GLYPHS.prompt} ${typed}`, SGR.dim)]]);
  const command = SLASH_COMMANDS[name];
  if (command) await desk.attempt(() => command.run(desk, argument));
  else desk.say(`There is no command /${name}. /help lists them.`, SGR.yellow);
}

/** `!command` is a call of the agent's own bash, under its rules. */
function asMessage(text: string): string {
  const command = text.startsWith('!') ? text.slice(1).trim() : '';
  return command === '' ? text : `Run with bash, exactly as it is:\nrun: ${command}`;
}
