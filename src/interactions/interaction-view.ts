import { Injectable } from '@nestjs/common';
import { isUnreadable, nameUnreadable } from '../encryption/unreadable.js';
import { batchesOf } from '../kernel/async/batches.js';
import { MAX_PAGE_BYTES, jsonBytes } from '../kernel/page-cursor.js';
import { setKey } from '../kernel/json/json.js';
import { InteractionStore, messagesOf } from '../persistence/interaction.store.js';
import type { FinalState } from '../persistence/interaction.store.js';
import { RecordStore } from '../persistence/record.store.js';
import type { EventPage } from '../persistence/record.store.js';
import { toEvent } from '../persistence/rows/log-record.js';
import type { LogRecord } from '../persistence/rows/log-record.js';
import type { InteractionRow } from '../persistence/rows/interaction-row.js';
import { AGENT_EVENT_TYPES } from '../protocol/deltas.js';
import type { AgentEvent, RecordOf, RecordType } from '../protocol/events.js';
import { PageStates } from './page-states.js';
import type { Interaction } from '../protocol/wire/interaction.js';

const MIB = 1024 * 1024;

/** Maximum size of the events of an interaction alone, and of each on a page, in bytes. */
const MAX_EVENTS = 2 * MIB;
const MAX_EVENTS_ON_PAGE = MIB / 4;
const MAX_STATE = 16 * MIB;
/** All states of a page together: each repeats the conversation before it. */
const MAX_STATES_ON_PAGE = 2 * MIB;
/** Types of the records that the view shows. */
const TYPES = [...AGENT_EVENT_TYPES, 'METADATA_SET'] as const;
/** Number of interactions of a page whose events are read at once. */
const BATCH_SIZE = 32;

const NO_EVENTS: EventPage = { records: [], bytes: 0, has_more: false };
const UNREADABLE_EVENTS: EventPage = { records: [], bytes: 0, has_more: true };

export interface PageOptions {
  readonly limit: number;
  /**
   * States of interactions that have ended: `fitting`, from the newest back while they fit; `all`,
   * and those that don't fit are on the next page.
   */
  readonly states: 'none' | 'fitting' | 'all';
}

/** The answer and the metadata, as its log has them last. */
interface LastValues {
  answer: string | null;
  finish_reason: Interaction['finish_reason'];
  readonly metadata: Record<string, unknown>;
}

/** An interaction and what is shown of it. */
interface Parts {
  readonly row: InteractionRow;
  readonly events: EventPage;
  readonly last: LastValues;
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
      this.records.readEventsOfTypes([row.id], TYPES, MAX_EVENTS),
      row.completed_at === null ? undefined : this.interactions.findFinalState(row.id, MAX_STATE),
    ]);
    const last = await this.lastIn([row], events, MAX_EVENTS);
    return toInteraction({
      row,
      events: events.get(row.id) ?? NO_EVENTS,
      last: last.get(row.id)!,
      state,
      statePath: `/chats/${row.chat_id}/log`,
    });
  }

  /** In the order given; fewer than the limit if they have too many bytes, but at least one. */
  async page(
    rows: readonly InteractionRow[],
    { limit, states: shown }: PageOptions,
  ): Promise<Interaction[]> {
    const page: Interaction[] = [];
    let left = MAX_PAGE_BYTES;
    let stateBytes = MAX_STATES_ON_PAGE;
    const ended = rows.filter(({ completed_at }) => completed_at !== null);
    const states = new PageStates(this.interactions, shown === 'all' ? ended : []);
    let takesStates = shown !== 'none';
    for (const batch of batchesOf(rows.slice(0, limit), BATCH_SIZE)) {
      const ids = batch.map(({ id }) => id);
      const found = await this.eventsOf(ids, TYPES, MAX_EVENTS_ON_PAGE);
      const lasts = await this.lastIn(batch, found, MAX_EVENTS_ON_PAGE);
      for (const row of batch) {
        const events = found.get(row.id) ?? NO_EVENTS;
        const last = lasts.get(row.id)!;
        left -= jsonBytes(row) + events.bytes + jsonBytes(last);
        if (left < 0 && page.length > 0) return page;
        const isWanted = takesStates && row.completed_at !== null;
        const most = Math.min(Math.max(left, 0), stateBytes);
        const state = isWanted
          ? await states.find(row, most).catch((error: unknown) => nameUnreadable(row.id, error))
          : undefined;
        const isLeftOut = isWanted && !state;
        if (isLeftOut && shown === 'fitting') takesStates = false;
        else if (isLeftOut && page.length > 0 && most < MAX_STATES_ON_PAGE) return page;
        left -= state?.bytes ?? 0;
        stateBytes -= state?.bytes ?? 0;
        page.push(toInteraction({ row, events, last, state, statePath: pathOf(row) }));
      }
    }
    return page;
  }

  /** Reads the last values. In a log that is shown in part, they may be in the other part. */
  private async lastIn(
    rows: readonly InteractionRow[],
    shown: ReadonlyMap<string, EventPage>,
    bytes: number,
  ): Promise<ReadonlyMap<string, LastValues>> {
    const cut = [...shown].flatMap(([id, { has_more }]) => (has_more ? id : []));
    const rest =
      cut.length > 0
        ? await this.eventsOf(cut, ['ANSWER', 'METADATA_SET'], bytes)
        : new Map<string, EventPage>();
    return new Map(
      rows.map(({ id, metadata }) => {
        const records = (rest.get(id) ?? shown.get(id) ?? NO_EVENTS).records;
        return [id, lastOf(records, metadata)];
      }),
    );
  }

  /** An interaction whose log can't be read has none of them, and more elsewhere: an error. */
  private async eventsOf(
    ids: readonly string[],
    types: readonly RecordType[],
    bytes: number,
  ): Promise<ReadonlyMap<string, EventPage>> {
    try {
      return await this.records.readEventsOfTypes(ids, types, bytes);
    } catch (error) {
      if (!isUnreadable(error)) throw error;
    }
    const found = new Map<string, EventPage>();
    for (const id of ids) {
      const one = this.records.readEventsOfTypes([id], types, bytes);
      const events = await one.catch((error: unknown) => nameUnreadable(id, error));
      found.set(id, events ? (events.get(id) ?? NO_EVENTS) : UNREADABLE_EVENTS);
    }
    return found;
  }
}

function pathOf({ id, chat_id }: InteractionRow): string {
  return `/chats/${chat_id}/interactions/${id}`;
}

function lastOf(records: readonly LogRecord[], metadata: InteractionRow['metadata']): LastValues {
  const last: LastValues = { answer: null, finish_reason: null, metadata: { ...metadata } };
  for (const { body } of records) {
    if (body.type === 'ANSWER') {
      last.answer = body.content;
      last.finish_reason = body.partial ? null : reasonOf(body);
    }
    if (body.type !== 'METADATA_SET') continue;
    if (body.value === null) delete last.metadata[body.key];
    else setKey(last.metadata, body.key, body.value);
  }
  return last;
}

/** Only a model's turn has one, and only if it was cut. */
function reasonOf({ finish_reason = 'stop' }: RecordOf<'ANSWER'>): Interaction['finish_reason'] {
  return finish_reason === 'length' || finish_reason === 'content_filter' ? finish_reason : 'stop';
}

function toInteraction({ row, events, last, state, statePath }: Parts): Interaction {
  const { id, chat_id, parent_id, edited_from, status, user_message, agent, agent_id } = row;
  const { model, usage, error, created_at, completed_at, superseded_at, last_seq } = row;
  const { answer, finish_reason, metadata } = last;
  const after = events.has_more ? (events.records.at(-1)?.seq ?? 0) : undefined;
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
    finish_reason,
    agent,
    agent_id,
    model,
    agent_events: events.records.flatMap(toAgentEvent),
    final_agent_state: state ? { messages: messagesOf(state) } : null,
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

function toAgentEvent(record: LogRecord): AgentEvent[] {
  return record.body.type === 'METADATA_SET' ? [] : [toEvent(record) as AgentEvent];
}
