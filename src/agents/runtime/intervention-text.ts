import type { RecordOf } from '../../protocol/events.js';

/** What the agent reads of an intervention, as a message of the user; undefined if it gets to read nothing. */
export function interventionText({
  user_comment,
  user_content,
}: Pick<RecordOf<'AGENT_INTERVENED'>, 'user_comment' | 'user_content'>): string | undefined {
  switch (user_comment) {
    case 'delete':
      return undefined;
    case 'modify':
      return `The user has changed your task. From now on it is:\n\n${user_content ?? ''}`;
    default:
      return user_content === undefined ? user_comment : `${user_comment}\n\n${user_content}`;
  }
}
