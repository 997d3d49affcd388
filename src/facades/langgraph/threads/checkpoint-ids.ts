import { inputOf } from './message-ids.js';
import type { Interaction } from '../../../protocol/wire/interaction.js';

/** The checkpoint before every interaction. */
export const BEGINNING = 'start';
const INPUT = '.input';

/** A checkpoint: before everything, after the message of an interaction, or after all of it. */
export interface Place {
  /** null: before everything. */
  readonly interaction_id: string | null;
  readonly isInput: boolean;
}

export function parseCheckpoint(id: string): Place {
  if (id === BEGINNING) return { interaction_id: null, isInput: false };
  const isInput = id.endsWith(INPUT);
  return { interaction_id: isInput ? id.slice(0, -INPUT.length) : id, isInput };
}

/** Checkpoint of the message that began it; of a message tried again, that of the first try. */
export function inputCheckpoint(interaction: Pick<Interaction, 'id' | 'metadata'>): string {
  return inputOf(interaction) ?? `${interaction.id}${INPUT}`;
}
