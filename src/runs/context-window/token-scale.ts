import type { LogRecord } from '../../persistence/rows/log-record.js';

/** Smaller requests tell little: what a provider adds of its own would count for much. */
const MIN_ESTIMATE = 500;
const LEAST = 0.75;
const MOST = 3;

/** How far off estimates are, by what models report: a fold over the log. */
export class TokenScale {
  private readonly scales = new Map<string, number>();

  apply({ agent_id, body, hidden }: Pick<LogRecord, 'agent_id' | 'body' | 'hidden'>): void {
    if (body.type !== 'TURN_COMPLETED') return;
    const estimated_tokens =
      (hidden && 'in_conversation' in hidden && hidden.estimated_tokens) || 0;
    const { input_tokens } = body.usage;
    if (estimated_tokens < MIN_ESTIMATE || input_tokens === 0) return;
    const scale = Math.min(MOST, Math.max(LEAST, input_tokens / estimated_tokens));
    this.scales.set(keyOf(agent_id, body.model), scale);
  }

  /** What an estimate is multiplied by. */
  of(agentId: string, model: string): number {
    return this.scales.get(keyOf(agentId, model)) ?? 1;
  }
}

function keyOf(agentId: string, model: string): string {
  return `${agentId} ${model}`;
}
