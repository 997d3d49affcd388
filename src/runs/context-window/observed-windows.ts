import { Injectable } from '@nestjs/common';
import type { Usage } from '../../protocol/interaction.js';
import { isCut } from './estimate-tokens.js';

/** Where a server leaves out whole messages, a prompt that it cut has at least this share. */
const FILLED = 0.75;
/** Clients may name any model. */
const MAX_MODELS = 1_000;

/**
 * The windows of servers that cut long prompts without a word, by `<provider>/<name>`, as far as
 * this process has seen.
 */
@Injectable()
export class ObservedWindows {
  /** Most input tokens that a turn of each model had. */
  private readonly most = new Map<string, number>();
  private readonly cut = new Set<string>();

  /** Undefined for a model that never cut a prompt. */
  of(model: string): number | undefined {
    return this.cut.has(model) ? this.most.get(model) : undefined;
  }

  /**
   * True for the first prompt of the model that its server has cut.
   * @param estimate of the prompt, in tokens
   */
  note(model: string, usage: Usage, estimate: number): boolean {
    const { input_tokens } = usage;
    const most = this.most.get(model) ?? 0;
    if (most === 0 && this.most.size >= MAX_MODELS) return false;
    this.most.set(model, Math.max(most, input_tokens));
    const isKnown = this.cut.has(model);
    if (isKnown || input_tokens < most * FILLED || !isCut(usage, estimate)) return false;
    this.cut.add(model);
    return true;
  }
}
