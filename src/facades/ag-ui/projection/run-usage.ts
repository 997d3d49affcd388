import { NO_USAGE, addTokens, addUsage } from '../../../protocol/interaction.js';
import type { Usage } from '../../../protocol/interaction.js';
import type { AgUiUsage, EventOf } from '../ag-ui-event.js';

/** Tokens of a run, by model. */
export class RunUsage {
  private readonly sums = new Map<string, Usage>();

  add({ model, usage }: EventOf<'TURN_COMPLETED'>): void {
    this.sums.set(model, addUsage(this.sums.get(model) ?? NO_USAGE, usage));
  }

  /** Another run counts its own. */
  clear(): void {
    this.sums.clear();
  }

  list(): readonly AgUiUsage[] {
    return [...this.sums].map(([name, usage]) => {
      const { input_tokens, output_tokens, cached_tokens, reasoning_tokens } = usage;
      const [provider = '', ...model] = name.split('/');
      return {
        ...{ provider, model: model.join('/') },
        ...{ inputTokens: input_tokens, outputTokens: output_tokens },
        totalTokens: addTokens(input_tokens, output_tokens),
        ...(cached_tokens !== undefined && { cachedInputTokens: cached_tokens }),
        ...(reasoning_tokens !== undefined && { reasoningTokens: reasoning_tokens }),
      };
    });
  }
}
