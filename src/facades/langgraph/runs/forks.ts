import { Injectable } from '@nestjs/common';
import type { Principal } from '../../../auth/principal.js';
import { ChatsService } from '../../../chats/chats.service.js';
import { checkpointNotFound, invalidBody } from '../errors.js';
import { inputCheckpoint, parseCheckpoint } from '../threads/checkpoint-ids.js';
import type { Place } from '../threads/checkpoint-ids.js';
import { humanMessage, namedIn } from '../threads/message-ids.js';
import type { Thread } from '../threads/thread.js';
import { Threads } from '../threads/threads.js';
import type { InputMessage } from './run-body.js';
import type { Interaction } from '../../../protocol/wire/interaction.js';

/** A message, and where it belongs in its chat. */
export interface PlacedMessage {
  readonly text: string;
  /** The interaction that it replaces. */
  readonly edited_from?: string;
  /** For the metadata of its interaction. */
  readonly named: object;
}

const SEARCH_DEPTH = 1_000;

/** Finds where a run begins: after a checkpoint, of which there may be several ways to go on. */
@Injectable()
export class Forks {
  constructor(
    private readonly threads: Threads,
    private readonly chats: ChatsService,
  ) {}

  /**
   * @throws AppError `interaction_not_found` (404), `invalid_body` (400), and as
   * `ChatsService.update`
   */
  async place(
    caller: Principal,
    chat_id: string,
    {
      message,
      checkpoint_id,
    }: { message: InputMessage | undefined; checkpoint_id: string | undefined },
  ): Promise<PlacedMessage> {
    if (checkpoint_id === undefined) return atEnd(message);
    const place = parseCheckpoint(checkpoint_id);
    const { interaction_id } = place;
    let thread = await this.threads.read(caller, chat_id);
    const isThere = (): boolean => interaction_id === null || Boolean(thread.find(interaction_id));
    if (!isThere() || interaction_id === null)
      thread = await this.threads.read(caller, chat_id, { atLeast: SEARCH_DEPTH });
    if (!isThere()) throw checkpointNotFound(checkpoint_id);
    if (place.isInput) return again(thread.find(interaction_id)!, message);
    if (!message) throw nothingToRun();
    return this.after(caller, thread, { place, message });
  }

  /** The next message of a branch that goes on already becomes another branch. */
  private async after(
    caller: Principal,
    thread: Thread,
    { place: { interaction_id }, message }: { place: Place; message: InputMessage },
  ): Promise<PlacedMessage> {
    const next = thread.childrenOf(interaction_id);
    const child = next.find(({ superseded_at }) => superseded_at === null) ?? next[0];
    if (child) return { ...atEnd(message), edited_from: child.id };
    if (interaction_id !== null && thread.head?.id !== interaction_id)
      await this.chats.update(caller, thread.id, { head_interaction_id: interaction_id });
    return atEnd(message);
  }
}

function atEnd(message: InputMessage | undefined): PlacedMessage {
  if (!message) throw nothingToRun();
  return { text: message.text, named: namedIn(message.id) };
}

/** Another message, or the same one tried again: it keeps its id, and its checkpoint. */
function again(interaction: Interaction, message: InputMessage | undefined): PlacedMessage {
  const { id: edited_from, user_message: text } = interaction;
  const { id } = humanMessage(interaction);
  if (message && message.id !== id) return { ...atEnd(message), edited_from };
  const isSame = !message || message.text === text;
  const named = namedIn(id, isSame ? inputCheckpoint(interaction) : undefined);
  return { text: message?.text ?? text, edited_from, named };
}

function nothingToRun() {
  return invalidBody('input.messages', 'is needed: the message of the user');
}
