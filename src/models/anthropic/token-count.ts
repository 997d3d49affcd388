import type { Usage } from '../../protocol/interaction.js';
import { isObject } from '../wire/is-object.js';
import { tokens } from '../wire/tokens.js';

const INPUT = ['input_tokens', 'cache_creation_input_tokens', 'cache_read_input_tokens'];
const OUTPUT = ['output_tokens'];

/** The tokens of a turn. A message's counts are cumulative, and come in parts: the last of each counts. */
export class TokenCount {
  private latest: Record<string, number> = {};
  private earlier: Usage = { input_tokens: 0, output_tokens: 0 };

  /** What one event says of the message that comes in. */
  add(usage: unknown): void {
    if (!isObject(usage)) return;
    for (const name of [...INPUT, ...OUTPUT])
      if (typeof usage[name] === 'number') this.latest[name] = tokens(usage[name]);
  }

  /** Another message of the turn follows. */
  next(): void {
    this.earlier = this.total;
    this.latest = {};
  }

  /** Input counts what was written to and read from the cache, too. */
  get total(): Usage {
    return {
      input_tokens: this.earlier.input_tokens + this.sum(INPUT),
      output_tokens: this.earlier.output_tokens + this.sum(OUTPUT),
    };
  }

  private sum(names: readonly string[]): number {
    return names.reduce((sum, name) => sum + (this.latest[name] ?? 0), 0);
  }
}
