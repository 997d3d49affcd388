import type { LogRecord } from '../../persistence/rows/log-record.js';
import type { Decider } from '../../protocol/events.js';

/**
 * The users whose words the agents of a run have got, or are about to get: a fold over the
 * committed log. An agent passes on what it read, so they count for the whole tree.
 */
export class Speakers {
  private readonly ids = new Set<string>();

  get all(): readonly string[] {
    return [...this.ids];
  }

  apply({ body, hidden }: Pick<LogRecord, 'body' | 'hidden'>): void {
    switch (body.type) {
      case 'AGENT_INTERVENED':
        return this.add(body.by);
      case 'INPUT_RECEIVED':
        return body.answer === null ? undefined : this.add(body.by);
      case 'REJECTED':
        return body.reason === undefined ? undefined : this.add(body.by);
      case 'APPROVED':
        return body.modified_input || body.reason !== undefined ? this.add(body.by) : undefined;
      case 'TOOL_RESULT':
        return hidden && 'by' in hidden ? this.add(hidden.by) : undefined;
      default:
    }
  }

  private add(by: Decider | undefined): void {
    if (by?.user_id !== undefined) this.ids.add(by.user_id);
  }
}
