import { Injectable } from '@nestjs/common';
import { ChatAccess } from '../../access/chat-access.js';
import { agentNotFound } from '../../access/not-found.js';
import type { Principal } from '../../auth/principal.js';
import { viewerOf } from '../../access/viewer-of.js';
import { nameUnreadable } from '../../encryption/unreadable.js';
import {
  MAX_PAGE_BYTES,
  formatPageCursor,
  jsonBytes,
  parsePageCursor,
  toPage,
} from '../../kernel/page-cursor.js';
import { AppError } from '../../kernel/app-error.js';
import { InteractionStore, messagesOf } from '../../persistence/interaction.store.js';
import { RecordStore } from '../../persistence/record.store.js';
import { InterventionStore } from '../../persistence/intervention.store.js';
import type { LogRecord } from '../../persistence/rows/log-record.js';
import type { InteractionRow } from '../../persistence/rows/interaction-row.js';
import type { RecordType } from '../../protocol/events.js';
import type { InterventionRow } from '../../persistence/rows/intervention-rows.js';
import { isFinal } from '../../protocol/interaction.js';
import { ACTIVE_STATUSES } from '../../protocol/wire/fields.js';
import type { Message } from '../../protocol/message.js';
import { Conversation } from '../../conversation/conversation.js';
import { viewInterventions } from '../interventions/intervention-view.js';
import { AgentTree } from './agent-tree.js';
import { viewAgent } from './agent-view.js';
import { readTree, TREE_TYPES } from './read-tree.js';
import type { InteractionTree, TreePage, WholeAgent } from '../../protocol/wire/agent.js';

/** The types that an agent's conversation consists of, too. */
const AGENT_TYPES: readonly RecordType[] = [
  ...TREE_TYPES,
  ...(['MESSAGE', 'STEP_COMPLETED', 'NOTE_READ'] as const),
];

/** Bytes of an agent's records, and of the earlier conversation, that it is shown with. */
const MAX_SHOWN = 16 * 1024 * 1024;

export interface WantedTree {
  readonly chat_id?: string | undefined;
  readonly interaction_id?: string | undefined;
}

/** The trees of agents, read from the logs of their interactions, during and after their runs. */
@Injectable()
export class AgentTreeService {
  constructor(
    private readonly access: ChatAccess,
    private readonly interactions: InteractionStore,
    private readonly records: RecordStore,
    private readonly interventions: InterventionStore,
  ) {}

  /**
   * The tree of one interaction, or of the current one of a chat.
   * @throws AppError `interaction_not_found` (404)
   */
  async tree(caller: Principal, wanted: WantedTree): Promise<InteractionTree> {
    return this.treeOf(await this.find(caller, wanted));
  }

  /** The trees of all interactions that run or wait for a person, oldest first. */
  async running(
    caller: Principal,
    { limit, cursor }: { readonly limit: number; readonly cursor?: string | undefined },
  ): Promise<TreePage> {
    const after = cursor === undefined ? undefined : parsePageCursor(cursor);
    const rows = await this.interactions.listRuns({
      ...{ viewer: viewerOf(caller), statuses: ACTIVE_STATUSES, limit: limit + 1 },
      bytes: MAX_PAGE_BYTES,
      ...(after && { after }),
    });
    const items: InteractionTree[] = [];
    let bytes = 0;
    for (const row of toPage(rows, limit).items) {
      const tree = await this.treeOf(row).catch((error: unknown) => {
        nameUnreadable(row.id, error);
        return viewTree(row, new AgentTree(row), []);
      });
      bytes += jsonBytes(tree);
      if (bytes > MAX_PAGE_BYTES && items.length > 0) break;
      items.push(tree);
    }
    const last = items.length < rows.length ? rows[items.length - 1] : undefined;
    return { items, next_cursor: last ? formatPageCursor(last) : null };
  }

  private async treeOf(row: InteractionRow): Promise<InteractionTree> {
    const [tree, told] = await Promise.all([readTree(this.records, row), this.listTold(row)]);
    return viewTree(row, tree, told);
  }

  private async listTold({ id, signals }: InteractionRow): Promise<InterventionRow[]> {
    return signals > 0 ? this.interventions.listInterventions(id) : [];
  }

  /** @throws AppError `agent_not_found` (404) */
  async agent(caller: Principal, agentId: string): Promise<WholeAgent> {
    const row = await this.access.ofAgent(caller, agentId);
    const { chat_id, id: interaction_id } = row;
    const earlier = agentId === row.agent_id ? await this.earlier(row) : [];
    const conversation = new Conversation(earlier ?? []);
    const intervened: LogRecord[] = [];
    let bytes = 0;
    const tree = await readTree(this.records, row, AGENT_TYPES, (record) => {
      const { agent_id, body, hidden } = record;
      if (body.type === 'AGENT_INTERVENED') intervened.push(record);
      if (agent_id !== agentId) return;
      const isRepeated = body.type === 'MESSAGE' && !hidden; // by its turn
      if (!isRepeated) bytes += jsonBytes([body, hidden]);
      if (bytes <= MAX_SHOWN) conversation.apply(record);
    });
    const node = tree.find(agentId);
    if (!node) throw agentNotFound(agentId);
    const isCut = bytes > MAX_SHOWN;
    // a call without a result may still get one
    const isWhole = isFinal(row.status) && !isCut;
    const messages = isWhole ? conversation.messages : conversation.soFar;
    const cut = earlier && !isCut ? null : { messages: `/chats/${chat_id}/log` };
    const told = await this.listTold(row);
    const interventions = viewInterventions(told, intervened, node);
    const view = viewAgent(node, new Map(told.map((each) => [each.agent_id, each])));
    return { chat_id, interaction_id, ...view, messages, interventions, cut };
  }

  /** The conversation before an interaction; undefined if it has more than `MAX_SHOWN` bytes. */
  private async earlier({
    id,
    parent_id,
  }: InteractionRow): Promise<readonly Message[] | undefined> {
    if (parent_id === null) return this.interactions.getPreviousState(id);
    const state = await this.interactions.findFinalState(parent_id, MAX_SHOWN);
    return state && messagesOf(state);
  }

  private async find(
    caller: Principal,
    { chat_id, interaction_id }: WantedTree,
  ): Promise<InteractionRow> {
    if (interaction_id === undefined) return this.current(caller, chat_id ?? '');
    if (chat_id === undefined) return this.access.interactionById(caller, interaction_id);
    return this.access.interaction(caller, chat_id, interaction_id);
  }

  /** The chat's active interaction, else its head. */
  private async current(caller: Principal, chatId: string): Promise<InteractionRow> {
    const chat = await this.access.findChat(caller, chatId);
    const active = chat && (await this.interactions.findActiveInteraction(chat.uid));
    if (active) return active;
    const head = chat?.head_interaction_id;
    if (head) return this.access.interaction(caller, chatId, head);
    throw new AppError(
      'not_found',
      'interaction_not_found',
      `The chat ${chatId} is not there, or nothing has been said in it. GET /chats lists those there are.`,
    );
  }
}

function viewTree(
  row: InteractionRow,
  tree: AgentTree,
  told: readonly InterventionRow[],
): InteractionTree {
  const { id: interaction_id, chat_id, status } = row;
  const last = new Map(told.map((each) => [each.agent_id, each]));
  return { chat_id, interaction_id, status, root: viewAgent(tree.root, last) };
}
