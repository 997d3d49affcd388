import { judgementOf, readInstead } from '../guardrails/input-judgement.js';
import type { Hidden, RecordBody, RecordOf } from '../protocol/events.js';

function interventionText({
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

/**
 * An intervention as the agent reads it: a user message, after guardrails; undefined if there is
 * nothing to read.
 */
export function toldText({
  body,
  hidden = null,
}: {
  readonly body: RecordBody;
  readonly hidden?: Hidden | null;
}): string | undefined {
  if (body.type !== 'AGENT_INTERVENED') return undefined;
  const text = interventionText(body);
  return text === undefined ? undefined : (readInstead(judgementOf(hidden)) ?? text);
}

/** A note of another agent, as the agent reads it. */
export function noteText({ from_agent_id, text }: RecordOf<'NOTE_READ'>): string {
  return `Note from the agent ${from_agent_id}:\n\n${text}`;
}
