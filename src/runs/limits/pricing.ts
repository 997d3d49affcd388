import type { Logger } from '@nestjs/common';
import type { Prices } from '../../config/prices/prices.js';
import { cutText } from '../../kernel/text/cut-text.js';
import type { Usage } from '../../protocol/interaction.js';
import { withCost } from './with-cost.js';

/** Models that the log names; clients may name any. */
const MAX_NAMED = 100;
const MAX_NAME = 200;
/** Models that cost nothing, so that a price is not missed. */
const FREE = 'demo/';

/** The cost of model turns. */
export class Pricing {
  private readonly unpriced = new Set<string>();

  constructor(
    private readonly prices: Prices,
    private readonly logger: Pick<Logger, 'warn'>,
  ) {}

  /** The usage of one turn with its cost. The log names a model without a price once. */
  priced(model: string, usage: Usage): Usage {
    const price = this.prices.of(model);
    if (!price) this.warnOf(model);
    return withCost(usage, price);
  }

  private warnOf(model: string): void {
    if (model.startsWith(FREE) || this.unpriced.size >= MAX_NAMED) return;
    const name = cutText(model, MAX_NAME);
    if (this.unpriced.has(name)) return;
    this.unpriced.add(name);
    this.logger.warn(
      `The price of ${name} is not known: its turns have no cost, and budgets of money do not count them. Add it to MODEL_PRICES or PRICES_FILE.`,
    );
  }
}
