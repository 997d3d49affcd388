import type { Message } from '../../../protocol/message.js';
import type { Interaction } from '../../../protocol/wire/interaction.js';

/** A user's message and all that answered it, as clients of Chat Completions see it. */
export interface HistoryTurn {
  readonly user: string;
  /** All texts of the answer. */
  readonly text: string;
  /** Results of tools that the client ran, by the own ids of the calls. */
  readonly results: ReadonlyMap<string, string>;
}

export const BETWEEN_TEXTS = '\n\n';

/**
 * The turns of a history without its beginning. Undefined if it is no conversation of turns: then
 * no interaction can have made it.
 */
export function turnsOf(history: readonly Message[]): readonly HistoryTurn[] | undefined {
  const turns: { user: string; texts: string[]; results: Map<string, string> }[] = [];
  for (const each of history) {
    const turn = turns.at(-1);
    if (each.role === 'user')
      turns.push({ user: each.content, texts: [], results: new Map<string, string>() });
    else if (each.role === 'system' || !turn) return undefined;
    else if (each.role === 'tool') turn.results.set(each.tool_call_id, each.content);
    else if (each.content) turn.texts.push(each.content);
  }
  return turns.map(({ user, texts, results }) => {
    return { user, text: texts.join(BETWEEN_TEXTS), results };
  });
}

/**
 * True if the turn is what clients got of the interaction: a stream has the texts that the agent
 * has replaced, too.
 */
export function isTurnOf(turn: HistoryTurn, interaction: Interaction): boolean {
  const { user_message, agent_id, agent_events, cut } = interaction;
  if (turn.user !== user_message || cut?.agent_events !== undefined) return false;
  const texts = new Map<string, string>();
  const replaced = new Set<string>();
  const outputs = new Map<string, string | undefined>();
  for (const event of agent_events) {
    const isText = event.type === 'MESSAGE' || event.type === 'ANSWER';
    if (isText && event.agent_id === agent_id && event.content !== '')
      texts.set(event.block_id, event.content);
    if (event.type === 'ANSWER' && event.replaces !== undefined) replaced.add(event.replaces);
    if (event.type === 'TOOL_RESULT')
      outputs.set(event.id, event.truncated ? undefined : event.tool_output);
  }
  const isSame = ([id, output]: [string, string]): boolean =>
    outputs.has(id) && (outputs.get(id) ?? output) === output;
  const streamed = [...texts.values()].join(BETWEEN_TEXTS);
  for (const block of replaced) texts.delete(block);
  const whole = [...texts.values()].join(BETWEEN_TEXTS);
  return [streamed, whole].includes(turn.text) && [...turn.results].every(isSame);
}
