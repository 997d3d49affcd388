import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../kernel/clock.js';
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
import { FileAgents } from './file-agents.js';
import { FileAppends } from './file-appends.js';
import { FileBranches } from './file-branches.js';
import { FileChatArchive } from './file-chat-archive.js';
import { FileChats } from './file-chats.js';
import { FileInterventions } from './file-interventions.js';
import { FileLeases } from './file-leases.js';
import { FileLogs } from './file-logs.js';
import { FileQueue } from './file-queue.js';
import { FileRequests } from './file-requests.js';
import type { ChatFolders } from './file-task-store.js';
import { FileStarts } from './file-starts.js';
import { KeyedMutex } from '../../kernel/keyed-mutex.js';
import { pageOf } from './interaction-page.js';
import { loadStore } from './load-store.js';
import { LogGate } from './log-gate.js';
import { mapInSlices } from './map-in-slices.js';
import { Projections } from './projections.js';
import type { ReportProblem } from './report-problem.js';
import { describeError } from './report-problem.js';
import type { StoreIndex } from './store-index.js';
import { WriteBehind } from './write-behind.js';

export interface FileStoreOptions {
  /** `DATA_DIR`. */
  readonly data_dir: string;
  readonly clock: Clock;
  readonly report: ReportProblem;
}

/**
 * Saved state as files that people can read, under `chats/`. Each interaction's log is the truth; `chat.json` has the chat's title and
 * metadata, and all else in the other files is made from the logs. For one process, whose caller sees to it that it is the only one.
 */
export class FileInteractionStore extends InteractionStore {
  /** The same chats, whole. */
  readonly archive: FileChatArchive;
  private readonly mutex = new KeyedMutex();
  private readonly behind: WriteBehind;
  private readonly gate: LogGate;
  private readonly chats: FileChats;
  private readonly branches: FileBranches;
  private readonly leases: FileLeases;
  private readonly logs: FileLogs;
  private readonly appends: FileAppends;
  private readonly queue: FileQueue;
  private readonly requests: FileRequests;
  private readonly agents: FileAgents;
  private readonly interventions: FileInterventions;
  private readonly starts: FileStarts;

  private constructor(
    private readonly root: string,
    private readonly index: StoreIndex,
    { clock, report }: FileStoreOptions,
  ) {
    super();
    const { mutex } = this;
    this.behind = new WriteBehind((error) =>
      report({
        path: root,
        message: `A file could not be brought up to date. ${describeError(error)}`,
      }),
    );
    const projections = new Projections(index, mutex, this.behind);
    const gate = (this.gate = new LogGate(index, mutex));
    const chats = (this.chats = new FileChats(root, index, mutex));
    this.branches = new FileBranches(index, mutex, projections);
    const leases = (this.leases = new FileLeases(index, gate, clock));
    this.logs = new FileLogs(index, gate);
    const queue = (this.queue = new FileQueue({ index, mutex, projections, report }));
    this.appends = new FileAppends({ index, gate, queue, projections });
    this.requests = new FileRequests(index, gate, projections);
    this.agents = new FileAgents(index, gate);
    this.interventions = new FileInterventions(gate);
    this.archive = new FileChatArchive({ root, index, mutex, gate, report });
    this.starts = new FileStarts({ index, mutex, chats, leases, projections });
  }

  /** Takes up what is in `data_dir`; what a killed process left half done is finished or dropped whole, and reported. */
  static async open(options: FileStoreOptions): Promise<FileInteractionStore> {
    const root = join(options.data_dir, 'chats');
    const index = await loadStore(root, options.report);
    return new FileInteractionStore(root, index, options);
  }

  /** Where each chat's files are; what else belongs to a chat is kept there too. */
  get folders(): ChatFolders {
    const { index } = this;
    return {
      *list() {
        for (const { row, directory } of index.chats) yield [row.id, directory];
      },
      find: (chatId) => index.findChat(chatId)?.directory,
    };
  }

  /** Resolves once everything is on the disk. Nothing may be asked of the store any more. */
  async close(): Promise<void> {
    await this.mutex.idle();
    await this.behind.flush();
  }

  createChat(chat: NewChat): Promise<boolean> {
    return this.chats.create(chat);
  }

  async findChat(id: string): Promise<ChatRow | undefined> {
    return this.index.findChat(id)?.row;
  }

  async listChats(page: {
    limit: number;
    before?: { created_at: string; id: string };
  }): Promise<ChatRow[]> {
    return this.chats.list(page);
  }

  updateChat(id: string, patch: ChatPatch): Promise<ChatRow | undefined> {
    return this.chats.update(id, patch);
  }

  deleteChat(id: string): Promise<'deleted' | 'unknown' | 'busy'> {
    return this.chats.delete(id);
  }

  switchHead(
    chatId: string,
    interactionId: string,
    at: string,
  ): Promise<'switched' | 'unknown' | 'busy'> {
    return this.branches.switchHead(chatId, interactionId, at);
  }

  startInteraction(start: StartInteraction): Promise<StartOutcome> {
    return this.starts.start(start);
  }

  findInteraction(id: string): Promise<InteractionRow | undefined> {
    return this.gate.read(id, (log) => log.readRow());
  }

  async findInteractionOfAgent(agentId: string): Promise<InteractionRow | undefined> {
    const log = await this.agents.find(agentId);
    return log && this.findInteraction(log.id);
  }

  async findActiveInteraction(chatId: string): Promise<InteractionRow | undefined> {
    const active = this.index.findChat(chatId)?.active;
    return active && this.findInteraction(active.id);
  }

  async listUnfinished(chatId: string): Promise<InteractionRow[]> {
    const chat = this.index.findChat(chatId);
    const logs = [chat?.active ?? [], chat?.queued ?? []].flat();
    const rows = await mapInSlices(logs, ({ id }) => this.findInteraction(id));
    return rows.filter((row) => row !== undefined);
  }

  promoteQueued(at: string, chatId?: string): Promise<string[]> {
    return this.queue.promote(at, chatId);
  }

  async listInteractions(page: {
    chat_id: string;
    superseded: boolean;
    limit: number;
    before?: string;
  }): Promise<InteractionRow[]> {
    const chat = this.index.findChat(page.chat_id);
    const logs = chat ? pageOf(chat, page) : [];
    const rows = await mapInSlices(logs, ({ id }) => this.findInteraction(id));
    return rows.filter((row) => row !== undefined);
  }

  getPreviousState(interactionId: string): Promise<Message[]> {
    return this.logs.getPreviousState(interactionId);
  }

  findAddedMessages(interactionIds: readonly string[]): Promise<Map<string, Message[]>> {
    return this.logs.findAddedMessages(interactionIds);
  }

  append(batches: readonly AppendBatch[]): Promise<AppendOutcome[]> {
    return this.appends.append(batches);
  }

  readRecords(interactionId: string, page: { after: number; limit: number }): Promise<LogRecord[]> {
    return this.logs.readRecords(interactionId, page);
  }

  readRecordsOfTypes(
    interactionIds: readonly string[],
    types: readonly RecordType[],
  ): Promise<LogRecord[]> {
    return this.logs.readRecordsOfTypes(interactionIds, types);
  }

  async readLastSeqs(interactionIds: readonly string[]): Promise<Map<string, number>> {
    return this.logs.readLastSeqs(interactionIds);
  }

  acquireLease(interactionId: string, terms: LeaseTerms): Promise<Lease | undefined> {
    return this.leases.acquire(interactionId, terms);
  }

  async renewLeases(
    held: readonly { interaction_id: string; epoch: number }[],
    terms: LeaseTerms,
  ): Promise<LeaseState[]> {
    return this.leases.renew(held, terms);
  }

  releaseLease(interactionId: string, epoch: number): Promise<void> {
    return this.leases.release(interactionId, epoch);
  }

  park(lease: { interaction_id: string; epoch: number; signals: number }): Promise<boolean> {
    return this.leases.park(lease);
  }

  async listUnowned(limit: number): Promise<Unowned[]> {
    return this.leases.listUnowned(limit);
  }

  settleRequest(settle: SettleRequest): Promise<SettleOutcome> {
    return this.requests.settle(settle);
  }

  findRequest(id: string): Promise<RequestRow | undefined> {
    return this.requests.find(id);
  }

  listRequests(page: RequestPage): Promise<RequestRow[]> {
    return this.requests.list(page);
  }

  listExpiredRequests(at: string, limit: number): Promise<RequestRow[]> {
    return this.requests.listExpired(at, limit);
  }

  requestCancel(interactionId: string, reason: string): Promise<InteractionRow | undefined> {
    return this.leases.requestCancel(interactionId, reason);
  }

  intervene(wanted: NewIntervention): Promise<InterveneOutcome> {
    return this.interventions.add(wanted);
  }

  listInterventions(interactionId: string): Promise<InterventionRow[]> {
    return this.interventions.list(interactionId);
  }

  async ping(): Promise<void> {
    await access(this.root, constants.R_OK | constants.W_OK);
  }
}
