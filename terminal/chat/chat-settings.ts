import { randomBytes } from 'node:crypto';
import { sanitize } from '../render/sanitize.js';

/** Settings of the messages that are sent. */
export interface ChatSettings {
  readonly chat_id: string;
  readonly agent: string | undefined;
  readonly model: string | undefined;
  /** Calls that would ask are allowed. */
  readonly isAuto: boolean | undefined;
}

export function newChatId(): string {
  return `chat-${randomBytes(5).toString('hex')}`;
}

/** Body of a message that starts an interaction. */
export function startBody(
  { agent, model, isAuto }: Omit<ChatSettings, 'chat_id'>,
  user_message: string,
) {
  return {
    user_message,
    ...(agent !== undefined && { agent }),
    ...(model !== undefined && { model }),
    ...(isAuto && { approval_mode: 'auto' as const }),
    on_disconnect: 'continue' as const,
  };
}

/** The name of a chat, for people. */
export function titleOf({
  id,
  title,
}: {
  readonly id: string;
  readonly title: string | null;
}): string {
  return title === null ? id : sanitize(title).replaceAll('\n', ' ');
}
