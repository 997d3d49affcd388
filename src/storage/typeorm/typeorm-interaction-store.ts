import { AppError } from '../../kernel/app-error.js';
import { InteractionStore } from '../../persistence/interaction.store.js';
import type {
  InterveneOutcome,
  InterventionRow,
  NewIntervention,
} from '../../persistence/rows/intervention-rows.js';
import type { LogRecord } from '../../persistence/rows/log-record.js';
import type {
  RequestPage,
  RequestRow,
  SettleOutcome,
  SettleRequest,
} from '../../persistence/rows/request-rows.js';
import type {
  AppendBatch,
  AppendOutcome,
  ChatPatch,
  ChatRow,
  InteractionRow,
  Lease,
  LeaseState,
  LeaseTerms,
  NewChat,
  StartInteraction,
  StartOutcome,
  Unowned,
} from '../../persistence/rows/store-rows.js';
import type { RecordType } from '../../protocol/events.js';
import type { Message } from '../../protocol/message.js';
import { AppendQueries } from './append-queries.js';
import { ChatQueries } from './chat-queries.js';
import type { Database } from './database.js';
import { InteractionQueries } from './interaction-queries.js';
import { InterventionQueries } from './intervention-queries.js';
import { LeaseQueries } from './lease-queries.js';
import { QueueQueries } from './queue-queries.js';
import { RecordQueries } from './record-queries.js';
import { RequestQueries } from './request-queries.js';
import { StartQueries } from './start-queries.js';
import type { Vacuum } from './vacuum.js';

const PING = { text: "SELECT current_setting('transaction_read_only') AS read_only" };

/** Saved state in Postgres, on a server or embedded: the same SQL. */
export class TypeOrmInteractionStore extends InteractionStore {
  readonly #chats: ChatQueries;
  readonly #starts: StartQueries;
  readonly #interactions: InteractionQueries;
  readonly #appends: AppendQueries;
  readonly #records: RecordQueries;
  readonly #leases: LeaseQueries;
  readonly #queue: QueueQueries;
  readonly #requests: RequestQueries;
  readonly #interventions: InterventionQueries;

  /** @param vacuum for a database that doesn't make room by itself */
  constructor(
    private readonly db: Database,
    private readonly vacuum?: Vacuum,
  ) {
    super();
    this.#chats = new ChatQueries(db);
    this.#interactions = new InteractionQueries(db);
    this.#starts = new StartQueries(db, this.#interactions);
    this.#appends = new AppendQueries(db);
    this.#records = new RecordQueries(db);
    this.#leases = new LeaseQueries(db);
    this.#queue = new QueueQueries(db);
    this.#requests = new RequestQueries(db);
    this.#interventions = new InterventionQueries(db);
  }

  createChat(chat: NewChat): Promise<boolean> {
    return this.#chats.create(chat);
  }

  findChat(id: string): Promise<ChatRow | undefined> {
    return this.#chats.find(id);
  }

  listChats(page: {
    limit: number;
    before?: { created_at: string; id: string };
  }): Promise<ChatRow[]> {
    return this.#chats.list(page);
  }

  updateChat(id: string, patch: ChatPatch): Promise<ChatRow | undefined> {
    return this.#chats.update(id, patch);
  }

  async deleteChat(id: string): Promise<'deleted' | 'unknown' | 'busy'> {
    const outcome = await this.#chats.delete(id);
    if (outcome === 'deleted') this.vacuum?.request();
    return outcome;
  }

  switchHead(
    chatId: string,
    interactionId: string,
    at: string,
  ): Promise<'switched' | 'unknown' | 'busy'> {
    return this.#chats.switchHead(chatId, interactionId, at);
  }

  startInteraction(start: StartInteraction): Promise<StartOutcome> {
    return this.#starts.start(start);
  }

  findInteraction(id: string): Promise<InteractionRow | undefined> {
    return this.#interactions.find(id);
  }

  findInteractionOfAgent(agentId: string): Promise<InteractionRow | undefined> {
    return this.#interactions.findOfAgent(agentId);
  }

  findActiveInteraction(chatId: string): Promise<InteractionRow | undefined> {
    return this.#interactions.findActive(chatId);
  }

  listUnfinished(chatId: string): Promise<InteractionRow[]> {
    return this.#interactions.listUnfinished(chatId);
  }

  promoteQueued(at: string, chatId?: string): Promise<string[]> {
    return this.#queue.promote(at, chatId);
  }

  listInteractions(page: {
    chat_id: string;
    superseded: boolean;
    limit: number;
    before?: string;
  }): Promise<InteractionRow[]> {
    return this.#interactions.list(page);
  }

  getPreviousState(interactionId: string): Promise<Message[]> {
    return this.#interactions.getPreviousState(interactionId);
  }

  findAddedMessages(interactionIds: readonly string[]): Promise<Map<string, Message[]>> {
    return this.#interactions.findAdded(interactionIds);
  }

  append(batches: readonly AppendBatch[]): Promise<AppendOutcome[]> {
    return this.#appends.append(batches);
  }

  readRecords(interactionId: string, page: { after: number; limit: number }): Promise<LogRecord[]> {
    return this.#records.read(interactionId, page);
  }

  readRecordsOfTypes(
    interactionIds: readonly string[],
    types: readonly RecordType[],
  ): Promise<LogRecord[]> {
    return this.#records.readOfTypes(interactionIds, types);
  }

  readLastSeqs(interactionIds: readonly string[]): Promise<Map<string, number>> {
    return this.#interactions.readLastSeqs(interactionIds);
  }

  acquireLease(interactionId: string, terms: LeaseTerms): Promise<Lease | undefined> {
    return this.#leases.acquire(interactionId, terms);
  }

  renewLeases(
    held: readonly { interaction_id: string; epoch: number }[],
    terms: LeaseTerms,
  ): Promise<LeaseState[]> {
    return this.#leases.renew(held, terms);
  }

  releaseLease(interactionId: string, epoch: number): Promise<void> {
    return this.#leases.release(interactionId, epoch);
  }

  park(lease: { interaction_id: string; epoch: number; signals: number }): Promise<boolean> {
    return this.#leases.park(lease);
  }

  listUnowned(limit: number): Promise<Unowned[]> {
    return this.#leases.listUnowned(limit);
  }

  settleRequest(settle: SettleRequest): Promise<SettleOutcome> {
    return this.#requests.settle(settle);
  }

  findRequest(id: string): Promise<RequestRow | undefined> {
    return this.#requests.find(id);
  }

  listRequests(page: RequestPage): Promise<RequestRow[]> {
    return this.#requests.list(page);
  }

  listExpiredRequests(at: string, limit: number): Promise<RequestRow[]> {
    return this.#requests.listExpired(at, limit);
  }

  requestCancel(interactionId: string, reason: string): Promise<InteractionRow | undefined> {
    return this.#interactions.requestCancel(interactionId, reason);
  }

  intervene(wanted: NewIntervention): Promise<InterveneOutcome> {
    return this.#interventions.add(wanted);
  }

  listInterventions(interactionId: string): Promise<InterventionRow[]> {
    return this.#interventions.list(interactionId);
  }

  async ping(): Promise<void> {
    const [answer] = await this.db.query<{ read_only: string }>(
      PING,
      [],
      this.db.limits?.connectMs,
    );
    if (answer?.read_only === 'on')
      throw new AppError('unavailable', 'store_unavailable', 'The database takes no writes.');
  }
}
