import { cutText } from '../../kernel/text/cut-text.js';
import type { LogRecord } from '../../persistence/rows/log-record.js';
import type { ModelUsage } from '../../persistence/rows/append-rows.js';
import { addTokens, addUsage, NO_USAGE } from '../../protocol/interaction.js';
import type { Usage } from '../../protocol/interaction.js';

/** Models that are counted by name in one interaction; further ones are `OTHER`. */
const MAX_MODELS = 20;
const MAX_NAME = 200;
const OTHER = 'other';

/** The usage of an interaction by the models of its turns: a fold over the log. */
export class UsageByModel {
  private readonly models = new Map<string, ModelUsage>();

  /** @param model that the interaction was started with */
  constructor(private readonly model: string) {}

  apply({ body }: LogRecord): void {
    if (body.type === 'TURN_COMPLETED') this.add(body.model, body.usage);
  }

  add(model: string, usage: Usage): void {
    const tokens = addTokens(usage.input_tokens, usage.output_tokens);
    if (tokens === 0) return;
    const name = this.nameOf(model);
    const { unpriced_tokens, ...sum } = this.models.get(name) ?? NO_TURN;
    const unpriced = usage.cost_usd === undefined ? tokens : 0;
    this.models.set(name, {
      ...addUsage(sum, usage),
      ...{ model: name, unpriced_tokens: addTokens(unpriced_tokens, unpriced) },
    });
  }

  /** Undefined while the sum of the interaction says the same. */
  get rows(): readonly ModelUsage[] | undefined {
    const [first, ...others] = this.models.values();
    if (!first) return undefined;
    const isPriced = first.unpriced_tokens === 0 || first.cost_usd === undefined;
    const isPlain = others.length === 0 && first.model === this.model && isPriced;
    return isPlain ? undefined : [first, ...others];
  }

  /** The name as a database can keep it. */
  private nameOf(model: string): string {
    const name = cutText(model, MAX_NAME);
    if (name.includes('\0')) return OTHER;
    return this.models.has(name) || this.models.size < MAX_MODELS ? name : OTHER;
  }
}

const NO_TURN: Omit<ModelUsage, 'model'> = { ...NO_USAGE, unpriced_tokens: 0 };
