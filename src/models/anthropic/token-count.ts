import { isObject } from '../../kernel/json/json.js';
import { addTokens, addUsage, NO_USAGE } from '../../protocol/interaction.js';
import type { Usage } from '../../protocol/interaction.js';
import { tokens } from '../answer/turn-fold.js';

const CACHED = 'cache_read_input_tokens';
const WRITTEN = 'cache_creation_input_tokens';
const INPUT = ['input_tokens', WRITTEN, CACHED];
const OUTPUT = 'output_tokens';
const THINKING = 'thinking_tokens';

/**
 * The token usage of a turn. The counts of a message are cumulative and may come in parts; the last
 * value of each count is used, but no zero after a count.
 */
export class TokenCount {
  private latest: Record<string, number> = {};
  private earlier: Usage = NO_USAGE;

  /** Adds the usage that one event reports for the current message. */
  add(usage: unknown): void {
    if (!isObject(usage)) return;
    const { output_tokens_details: details } = usage;
    const counts: Readonly<Record<string, unknown>> = {
      ...usage,
      ...(isObject(details) && { [THINKING]: details[THINKING] }),
    };
    for (const name of [...INPUT, OUTPUT, THINKING]) {
      if (counts[name] === undefined || counts[name] === null) continue;
      this.latest[name] = tokens(counts[name]) || (this.latest[name] ?? 0);
    }
  }

  /** Starts the next message of the turn. */
  next(): void {
    this.earlier = this.total;
    this.latest = {};
  }

  /** Input tokens include those written to and read from the cache. */
  get total(): Usage {
    const { [CACHED]: cached_tokens, [WRITTEN]: cache_write_tokens } = this.latest;
    const { [THINKING]: reasoning_tokens } = this.latest;
    return addUsage(this.earlier, {
      input_tokens: addTokens(...INPUT.map((name) => this.latest[name] ?? 0)),
      output_tokens: this.latest[OUTPUT] ?? 0,
      ...(cached_tokens !== undefined && { cached_tokens }),
      ...(cache_write_tokens !== undefined && { cache_write_tokens }),
      ...(reasoning_tokens !== undefined && { reasoning_tokens }),
    });
  }
}
