import { Injectable } from '@nestjs/common';
import { MAX_PAGE_BYTES, jsonBytes } from '../http/input/page-cursor.js';
import { InteractionStore } from '../persistence/interaction.store.js';
import type { FinalState } from '../persistence/interaction.store.js';
import { RecordStore } from '../persistence/record.store.js';
import type { EventPage } from '../persistence/record.store.js';
import { toEvent } from '../persistence/rows/log-record.js';
import type { InteractionRow } from '../persistence/rows/interaction-row.js';
import { AGENT_EVENT_TYPES } from '../protocol/event-schemas.js';
import type { AgentEvent } from '../protocol/events.js';
import type { Interaction } from '../protocol/interaction.js';

const MIB = 1024 * 1024;

/** Of one interaction alone, and of one on a page. */
const MAX_EVENTS = 2 * MIB;
const MAX_EVENTS_ON_PAGE = MIB / 4;
const MAX_STATE = 16 * MIB;
const MAX_STATE_ON_PAGE = 4 * MIB;
/** Interactions of a page whose events are read at once. */
const ABREAST = 32;

const NO_EVENTS: EventPage = { records: [], bytes: 0, has_more: false };

export interface PageOptions {
  readonly limit: number;
  readonly hasState: (row: InteractionRow) => boolean;
}

/** An interaction and what is shown of it. */
interface Parts {
  readonly row: InteractionRow;
  readonly events: EventPage;
  readonly answer: string | null;
  readonly state: FinalState | undefined;
  /** The path that has the state, if it is left out. */
  readonly statePath: string;
}

/**
 * Interactions as clients see them: the row, its events from the log, and the conversation of its
 * branch, each up to a number of bytes.
 */
@Injectable()
export class InteractionView {
  constructor(
    private readonly interactions: InteractionStore,
    private readonly records: RecordStore,
  ) {}

  async one(row: InteractionRow): Promise<Interaction> {
    const [events, state] = await Promise.all([
      this.records.readEventsOfTypes([row.id], AGENT_EVENT_TYPES, MAX_EVENTS),
      this.findState(row, MAX_STATE),
    ]);
    const answers = await this.answersIn(events, MAX_EVENTS);
    return toInteraction({
      row,
      events: events.get(row.id) ?? NO_EVENTS,
      answer: answers.get(row.id) ?? null,
      state,
      statePath: `/chats/${row.chat_id}/log`,
    });
  }

  /** In the order given; fewer than the limit if they have too many bytes, but at least one. */
  async page(
    rows: readonly InteractionRow[],
    { limit, hasState }: PageOptions,
  ): Promise<Interaction[]> {
    const page: Interaction[] = [];
    let left = MAX_PAGE_BYTES;
    for (let from = 0; from < Math.min(limit, rows.length); from += ABREAST) {
      const slice = rows.slice(from, Math.min(from + ABREAST, limit));
      const ids = slice.map(({ id }) => id);
      const found = await this.records.readEventsOfTypes(
        ids,
        AGENT_EVENT_TYPES,
        MAX_EVENTS_ON_PAGE,
      );
      const answers = await this.answersIn(found, MAX_EVENTS_ON_PAGE);
      for (const row of slice) {
        const events = found.get(row.id) ?? NO_EVENTS;
        const answer = answers.get(row.id) ?? null;
        left -= jsonBytes(row) + events.bytes + jsonBytes(answer);
        if (left < 0 && page.length > 0) return page;
        const isWanted = row.completed_at !== null && hasState(row);
        const most = Math.min(Math.max(left, 0), MAX_STATE_ON_PAGE);
        const state = isWanted ? await this.findState(row, most) : undefined;
        if (isWanted && !state && page.length > 0 && most < MAX_STATE_ON_PAGE) return page;
        left -= state?.bytes ?? 0;
        page.push(toInteraction({ row, events, answer, state, statePath: pathOf(row) }));
      }
    }
    return page;
  }

  /** Of logs that are shown in part, it may be in the other part. */
  private async answersIn(
    shown: ReadonlyMap<string, EventPage>,
    bytes: number,
  ): Promise<ReadonlyMap<string, string>> {
    const cut = [...shown].flatMap(([id, { has_more }]) => (has_more ? id : []));
    const rest =
      cut.length > 0
        ? await this.records.readEventsOfTypes(cut, ['ANSWER'], bytes)
        : new Map<string, EventPage>();
    const answers = new Map<string, string>();
    for (const [id, { records }] of [...shown, ...rest])
      for (const { body } of records) if (body.type === 'ANSWER') answers.set(id, body.content);
    return answers;
  }

  private async findState(row: InteractionRow, bytes: number): Promise<FinalState | undefined> {
    return row.completed_at === null ? undefined : this.interactions.findFinalState(row.id, bytes);
  }
}

function pathOf({ id, chat_id }: InteractionRow): string {
  return `/chats/${chat_id}/interactions/${id}`;
}

function toInteraction({ row, events, answer, state, statePath }: Parts): Interaction {
  const { id, chat_id, parent_id, edited_from, status, user_message, agent, agent_id } = row;
  const { model, usage, error, created_at, completed_at, superseded_at, last_seq, metadata } = row;
  const after = events.has_more ? events.records.at(-1)?.seq : undefined;
  const cut = {
    ...(after !== undefined && { agent_events: `${pathOf(row)}/events?after=${after}` }),
    ...(completed_at !== null && !state && { final_agent_state: statePath }),
  };
  return {
    id,
    chat_id,
    parent_id,
    edited_from,
    status,
    user_message,
    files: row.settings.files ?? [],
    answer,
    agent,
    agent_id,
    model,
    agent_events: events.records.map((record) => toEvent(record) as AgentEvent),
    final_agent_state: state ? { messages: state.messages } : null,
    usage,
    error,
    created_at,
    completed_at,
    superseded_at,
    last_seq,
    metadata,
    cut: Object.keys(cut).length > 0 ? cut : null,
  };
}
