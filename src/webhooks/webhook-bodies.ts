import { Injectable } from '@nestjs/common';
import { viewRequest } from '../approvals/request-view.js';
import { ANY_TENANT } from '../persistence/any-tenant.js';
import { InteractionStore } from '../persistence/interaction.store.js';
import { RecordStore } from '../persistence/record.store.js';
import { RequestStore } from '../persistence/request.store.js';
import type { InteractionRow } from '../persistence/rows/interaction-row.js';
import type { NewWebhook } from '../persistence/rows/webhook-rows.js';
import { Tracer } from '../tracing/tracer.js';

const MAX_BYTES = 262_144;

/** Reads what a webhook tells, as it is now: an entry of the outbox has ids only. */
@Injectable()
export class WebhookBodies {
  constructor(
    private readonly interactions: InteractionStore,
    private readonly requests: RequestStore,
    private readonly records: RecordStore,
    private readonly tracer: Tracer,
  ) {}

  /** The `traceparent` of its request; undefined: it is not traced. */
  async traceparent({
    interaction_id,
  }: Pick<NewWebhook, 'interaction_id'>): Promise<string | undefined> {
    if (!this.tracer.isOn) return undefined;
    const row = await this.interactions.findInteraction(interaction_id, ANY_TENANT);
    return row && this.tracer.headerOf(row, ['root']);
  }

  /**
   * The body as JSON, of at most 256 KiB. Undefined if there is nothing to tell any more: the chat
   * was deleted, or the interaction was retried and will end again.
   * @throws AppError `store_unavailable`, or one of the encryption
   */
  async read(webhook: NewWebhook): Promise<string | undefined> {
    switch (webhook.type) {
      case 'request_opened':
        return this.readRequest(webhook);
      case 'interaction_complete':
        return this.readInteraction(webhook);
    }
  }

  /** Without the fields of its event if these are too large. */
  private async readRequest(webhook: NewWebhook): Promise<string | undefined> {
    const row = await this.requests.findRequest(webhook.id, ANY_TENANT);
    if (!row) return undefined;
    const common = { ...toHead(webhook), ...placeOf(row), interaction_id: row.interaction_id };
    return fitting(
      { ...common, request: viewRequest(row) },
      {
        ...common,
        request: { ...viewRequest({ ...row, event: {}, settlement: null }), cut: true },
      },
    );
  }

  /** Without its answer if that is too large. */
  private async readInteraction(webhook: NewWebhook): Promise<string | undefined> {
    const row = await this.interactions.findInteraction(webhook.interaction_id, ANY_TENANT);
    if (!row || row.completed_at === null) return undefined;
    const common = { ...toHead(webhook), ...placeOf(row), interaction_id: row.id };
    const answer = await this.findAnswer(row.id);
    const cut = { ...toInteraction(row), answer: null, cut: true };
    if (answer === undefined) return JSON.stringify({ ...common, interaction: cut });
    const interaction = { ...toInteraction(row), answer };
    return fitting({ ...common, interaction }, { ...common, interaction: cut });
  }

  /** The last one; null without one, undefined if it may be beyond what was read. */
  private async findAnswer(id: string): Promise<string | null | undefined> {
    const pages = await this.records.readEventsOfTypes([id], ['ANSWER'], MAX_BYTES);
    const { records = [], has_more = false } = pages.get(id) ?? {};
    const body = records.at(-1)?.body;
    if (has_more) return undefined;
    return body?.type === 'ANSWER' ? body.content : null;
  }
}

function toHead({ id, type, created_at }: NewWebhook) {
  return { id, type, at: created_at };
}

function placeOf({ tenant_id, chat_id }: Pick<InteractionRow, 'tenant_id' | 'chat_id'>) {
  return { tenant_id, chat_id };
}

function toInteraction(row: InteractionRow) {
  const { id, chat_id, status, agent, model, usage, error, created_at, completed_at } = row;
  return { id, chat_id, status, agent, model, usage, error, created_at, completed_at };
}

function fitting(whole: object, cut: object): string {
  const text = JSON.stringify(whole);
  return Buffer.byteLength(text) <= MAX_BYTES ? text : JSON.stringify(cut);
}
