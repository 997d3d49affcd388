import type { Ids } from '../kernel/ids.js';
import type { Message } from '../protocol/message.js';

const USABLE = /^[A-Za-z0-9_-]{1,64}$/;

/** The tool call ids of a conversation. Providers repeat theirs, leave them out, or put a kilobyte into one; ours are unique. */
export class CallIds {
  private readonly used = new Set<string>();

  constructor(private readonly ids: Ids) {}

  addFrom(messages: readonly Message[]): void {
    for (const message of messages)
      if (message.role === 'assistant')
        for (const call of message.tool_calls ?? []) this.used.add(call.id);
  }

  add(id: string): void {
    this.used.add(id);
  }

  /** The provider's id where it is usable and new, else one of our own. */
  claim(id: string): string {
    const unique = USABLE.test(id) && !this.used.has(id) ? id : this.ids.make('call');
    this.used.add(unique);
    return unique;
  }
}
