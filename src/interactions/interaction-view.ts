import { Injectable } from '@nestjs/common';
import { InteractionStore } from '../persistence/interaction.store.js';
import { RecordStore } from '../persistence/record.store.js';
import { toEvent } from '../persistence/rows/log-record.js';
import type { InteractionRow } from '../persistence/rows/interaction-row.js';
import { AGENT_EVENT_TYPES } from '../protocol/event-schemas.js';
import type { AgentEvent } from '../protocol/events.js';
import type { Interaction } from '../protocol/interaction.js';
import type { Message } from '../protocol/message.js';

/**
 * Interactions as clients see them: the row, its events from the log, and the conversation of its
 * branch.
 */
@Injectable()
export class InteractionView {
  constructor(
    private readonly interactions: InteractionStore,
    private readonly records: RecordStore,
  ) {}

  async one(row: InteractionRow): Promise<Interaction> {
    const [interaction] = await this.many([row]);
    return interaction!;
  }

  /** In the order given; a few queries however many there are. */
  async many(rows: readonly InteractionRow[]): Promise<Interaction[]> {
    const [events, states] = await Promise.all([this.readEvents(rows), this.readStates(rows)]);
    return rows.map((row) => toInteraction(row, events.get(row.id) ?? [], states.get(row.id)));
  }

  private async readEvents(rows: readonly InteractionRow[]): Promise<Map<string, AgentEvent[]>> {
    const ids = rows.map(({ id }) => id);
    const events = new Map<string, AgentEvent[]>(ids.map((id) => [id, []]));
    for (const record of await this.records.readRecordsOfTypes(ids, AGENT_EVENT_TYPES))
      events.get(record.interaction_id)?.push(toEvent(record) as AgentEvent);
    return events;
  }

  private async readStates(rows: readonly InteractionRow[]): Promise<Map<string, Message[]>> {
    const ended = rows.filter(({ completed_at }) => completed_at !== null);
    const added = await this.interactions.findAddedMessages(ended.map(({ id }) => id));
    const byId = new Map(ended.map((row) => [row.id, row]));
    const states = new Map<string, Message[]>();
    const read = async (row: InteractionRow): Promise<Message[]> => {
      const known = states.get(row.id);
      if (known) return known;
      const parent = byId.get(row.parent_id ?? '');
      const before = await (parent ? read(parent) : this.before(row));
      const state = [...before, ...(added.get(row.id) ?? [])];
      states.set(row.id, state);
      return state;
    };
    for (const row of ended) await read(row);
    return states;
  }

  private async before(row: InteractionRow): Promise<Message[]> {
    return row.parent_id === null ? [] : this.interactions.getPreviousState(row.id);
  }
}

function toInteraction(
  row: InteractionRow,
  agent_events: readonly AgentEvent[],
  messages: readonly Message[] | undefined,
): Interaction {
  const { id, chat_id, parent_id, status, user_message, agent, model, usage, error } = row;
  const { created_at, completed_at, superseded_at, last_seq, metadata } = row;
  return {
    id,
    chat_id,
    parent_id,
    status,
    user_message,
    agent,
    model,
    agent_events,
    final_agent_state: messages ? { messages } : null,
    usage,
    error,
    created_at,
    completed_at,
    superseded_at,
    last_seq,
    metadata,
  };
}
