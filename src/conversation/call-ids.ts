import type { Ids } from '../kernel/ids.js';
import type { LogRecord } from '../persistence/rows/log-record.js';
import type { Message } from '../protocol/message.js';

const USABLE = /^[A-Za-z0-9_-]{1,64}$/;

interface Known {
  /** The conversation before an interaction; only its end unless `isWhole`. */
  readonly before: readonly Message[];
  readonly isWhole: boolean;
  readonly records: readonly LogRecord[];
}

/**
 * The tool call ids of a conversation, which are unique; those of providers may be repeated,
 * missing or a kilobyte long.
 */
export class CallIds {
  private readonly used = new Set<string>();

  /** @param isWhole false: further ids are in use, which are unknown here */
  constructor(
    private readonly ids: Ids,
    private readonly isWhole = true,
  ) {}

  /** Collects the ids of the conversation before an interaction, and of its log. */
  static of(ids: Ids, { before, records, isWhole }: Known): CallIds {
    const callIds = new CallIds(ids, isWhole);
    callIds.addFrom(before);
    for (const { body } of records) if (body.type === 'TOOL_CALL') callIds.used.add(body.id);
    return callIds;
  }

  addFrom(messages: readonly Message[]): void {
    for (const message of messages)
      if (message.role === 'assistant')
        for (const call of message.tool_calls ?? []) this.used.add(call.id);
  }

  /** The provider's id if it is usable and surely new, else a new one. */
  claim(id: string): string {
    const isUsable = this.isWhole && USABLE.test(id) && !this.used.has(id);
    const unique = isUsable ? id : this.ids.make('call');
    this.used.add(unique);
    return unique;
  }
}
