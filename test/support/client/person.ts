import type { ApiClient, Body, Reply } from './api-client.js';
import { makeToolAsk } from '../tools/make-tool-ask.js';
import { Following } from '../store/following.js';
import type { Interaction } from '../../../src/protocol/wire/interaction.js';

type InteractionRef = Pick<Interaction, 'chat_id' | 'id'>;

/** A person, or a client for one, who decides and answers through the API. */
export class Person {
  constructor(private readonly server: () => ApiClient) {}

  private get api(): ApiClient {
    return this.server();
  }

  /**
   * Starts an interaction in the background, in a chat where `calculator` has to be asked about,
   * and reads along.
   */
  async say(chat: string, body: Body): Promise<Following> {
    await makeToolAsk(this.api, chat, 'calculator');
    return new Following(this.api, await this.api.begin(chat, body));
  }

  approve(of: InteractionRef, approval_id: string, more: object = {}): Promise<Reply> {
    return this.act(of, 'approve', { approval_id, approved: true, ...more });
  }

  reject(of: InteractionRef, approval_id: string, more: object = {}): Promise<Reply> {
    return this.act(of, 'approve', { approval_id, approved: false, ...more });
  }

  respond(of: InteractionRef, request_id: string, answer: unknown): Promise<Reply> {
    return this.act(of, 'respond', { request_id, answer });
  }

  toolResult(of: InteractionRef, body: object): Promise<Reply> {
    return this.act(of, 'tool-results', body);
  }

  /** `?wait=true`: its reply comes when the interaction has ended. */
  cancel(of: InteractionRef, query = ''): Promise<Reply> {
    return this.api.post(`${pathOf(of)}/cancel${query}`);
  }

  /** In the background. */
  edit(of: InteractionRef, new_user_message: string, more: object = {}): Promise<Reply> {
    return this.api.post(
      `${pathOf(of)}/edit`,
      { new_user_message, ...more },
      { accept: 'application/json' },
    );
  }

  intervene(agent_id: string, user_comment: string): Promise<Reply> {
    return this.api.post(`/agents/${agent_id}/intervene`, { user_comment });
  }

  inbox(query: string): Promise<Reply> {
    return this.api.get(`/requests?${query}`);
  }

  act(of: InteractionRef, action: string, body: object): Promise<Reply> {
    return this.api.post(`${pathOf(of)}/${action}`, { ...body });
  }
}

function pathOf({ chat_id, id }: InteractionRef): string {
  return `/chats/${chat_id}/interactions/${id}`;
}
