import { Redaction } from '../../../src/guardrails/redaction/redaction.js';
import { ChatAccess } from '../../../src/access/chat-access.js';
import { LOCAL_PRINCIPAL } from '../../../src/auth/principal.js';
import type { ChatSettingsRules } from '../../../src/chats/chat-settings-rules.js';
import { SessionLogExporter } from '../../../src/chats/session-log/session-log-exporter.js';
import { NewIds } from '../../../src/chats/session-log/new-ids.js';
import { SessionLogImporter } from '../../../src/chats/session-log/session-log-importer.js';
import { loadConfig } from '../../../src/config/load-config.js';
import { AppError } from '../../../src/kernel/app-error.js';
import type { Authentication } from '../../../src/auth/authentication.js';
import { SystemClock } from '../../../src/kernel/clock.js';
import { Ids } from '../../../src/kernel/ids.js';
import { wholeStore } from '../../support/store/whole-store.js';
import { KnownUsage } from '../../../src/quotas/known-usage.js';
import { Quotas } from '../../../src/quotas/quotas.js';
import { Telemetry } from '../../../src/telemetry/telemetry.js';
import { LocalLiveBus } from '../../../src/event-log/live/local/local-live-bus.js';
import type { AllStores } from '../../../src/storage/stores.js';
import { isFinal } from '../../../src/protocol/interaction.js';
import type { Message } from '../../../src/protocol/message.js';
import { newStart } from '../../contracts/interaction-store/fixtures.js';
import { checkConversation } from '../../support/runs/check-conversation.js';
import type { ChatSettings, ImportReport } from '../../../src/protocol/wire/chat.js';

export interface Imported {
  readonly chat_id: string;
  readonly report: ImportReport;
}

const ANY_ID = /(chat|int|agent|approval|input|task)_[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
const MAX_BYTES = 40_000_000;
const SETTINGS = {
  imported: (_: unknown, settings: ChatSettings) =>
    settings.agent === undefined || settings.agent === 'react'
      ? { settings, faults: [] }
      : { settings: {}, faults: [`There is no agent "${settings.agent}".`] },
} as unknown as ChatSettingsRules;

/** Carries chats out of a store and into it, as the API does. */
export class SessionLogWorld {
  readonly ids = new Ids();
  private readonly exporter: SessionLogExporter;
  private readonly importer: SessionLogImporter;

  constructor(readonly stores: AllStores) {
    const { chats, interactions, records, requests, archive, usage } = stores;
    const config = loadConfig({ IMPORT_MAX_BYTES: String(MAX_BYTES) });
    const access = new ChatAccess(chats, interactions);
    this.exporter = new SessionLogExporter(
      ...([access, chats, interactions, records, requests, archive] as const),
    );
    const clock = new SystemClock();
    const quotas = new Quotas(config, new KnownUsage(usage, clock), new Telemetry(), clock);
    this.importer = new SessionLogImporter(
      chats,
      archive,
      SETTINGS,
      config,
      clock,
      new Redaction(config),
      quotas,
      new LocalLiveBus(),
      { requireValid: async () => {} } as unknown as Authentication,
    );
  }

  open(chat_id: string): Promise<AsyncGenerator<string>> {
    return this.exporter.open(LOCAL_PRINCIPAL, chat_id);
  }

  async export(chat_id: string): Promise<string> {
    let text = '';
    for await (const lines of await this.open(chat_id)) text += lines;
    return text;
  }

  async import(log: string | Uint8Array, chat_id = this.ids.make('chat')): Promise<Imported> {
    const body = inPieces(Buffer.from(log));
    const ids = new NewIds(this.ids, chat_id);
    const report = await this.importer.import({ caller: LOCAL_PRINCIPAL, ids, body });
    return { chat_id, report };
  }

  /** Undefined when there is nothing to import. */
  async tryImport(log: Uint8Array): Promise<Imported | undefined> {
    try {
      return await this.import(log);
    } catch (error) {
      if (error instanceof AppError && error.code === 'nothing_to_import') return undefined;
      throw error;
    }
  }

  /**
   * What is wrong with a chat that was imported, by what a person could do with it; the last is to
   * go on with it.
   */
  async findFaults(chat_id: string): Promise<string[]> {
    const { archive } = this.stores;
    const store = wholeStore(this.stores);
    const faults: string[] = [];
    const { uid } = (await store.findChat(chat_id))!;
    const rows = await archive.listInteractions(uid, { limit: 1_000 });
    const unowned = (await store.listUnowned(10_000)).map(({ id }) => id);
    for (const row of rows) {
      if (!isFinal(row.status)) faults.push(`${row.id} is ${row.status}`);
      if (unowned.includes(row.id)) faults.push(`${row.id} wants to run`);
      const records = await store.readRecords(row.id, { after: 0, limit: 10_000 });
      if (records.some(({ seq }, at) => seq !== at + 1)) faults.push(`${row.id} has a gap`);
      if (records.length !== row.last_seq) faults.push(`${row.id} counts wrong`);
      const end = records.at(-1)?.body;
      if (end?.type !== 'INTERACTION_COMPLETE' || end.status !== row.status)
        faults.push(`${row.id} does not end as it says`);
      faults.push(...checkConversation(await this.messagesAfter(row.id)));
    }
    const pending = await store.listRequests({ chat_uid: uid, status: 'pending', limit: 9 });
    if (pending.length > 0) faults.push('somebody is asked');
    const { outcome } = await store.startInteraction(newStart({ chat_id }));
    if (outcome !== 'started') faults.push(`a new message: ${outcome}`);
    return faults;
  }

  async messagesAfter(interactionId: string): Promise<Message[]> {
    const { interactions } = this.stores;
    const added = await interactions.findAddedMessages([interactionId]);
    return [
      ...(await interactions.getPreviousState(interactionId)),
      ...(added.get(interactionId) ?? []),
    ];
  }
}

/**
 * Each id is named by what it is and when it comes first, so that two logs are the same text when
 * they say the same.
 */
export function withoutIds(log: string): string {
  const names = new Map<string, string>();
  return log.replaceAll(ANY_ID, (id, kind: string) => {
    const name = names.get(id) ?? `<${kind} ${names.size}>`;
    names.set(id, name);
    return name;
  });
}

// oxlint-disable-next-line typescript/no-explicit-any -- parsed JSON, whatever it is
export function linesOf(log: string): Record<string, any>[] {
  return log
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

export function toLog(lines: readonly object[]): string {
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
}

/** As a network brings it: cut anywhere. */
async function* inPieces(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  const size = bytes.length > 100_000 ? 65_536 : 37;
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}
