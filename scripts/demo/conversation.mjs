import { readEvents } from './api.mjs';
import { dim, red, say, you, yellow } from './terminal.mjs';
import { View } from './view.mjs';

/** Somebody else answered, or nobody did in time. */
const OVER = ['/problems/already_processed', '/problems/request_expired'];

/** A chat with the server, shown as it goes. */
export class Conversation {
  #api;
  #person;
  #path;

  constructor(api, chat, person) {
    this.#api = api;
    this.#person = person;
    this.#path = `/chats/${chat}`;
  }

  /**
   * Says something and shows what comes. `script` is what a person decides and answers when none is
   * at the terminal.
   */
  async tell(text, script = {}) {
    say(`\n${you('You')}    ${text}`);
    const view = new View();
    let response = await this.#api.post(`${this.#path}/interactions`, { user_message: text });
    let { cutAfter } = script;
    for (;;) {
      for await (const frame of readEvents(response)) {
        view.show(frame);
        await this.#react(frame, view, script);
        if (view.deltas === cutAfter) break;
      }
      if (view.status === 'FAILED') throw new Error('the interaction failed');
      if (view.status) return;
      if (cutAfter === undefined) throw new Error('the stream ended before the interaction did');
      cutAfter = undefined;
      view.line(yellow(`⚡ connection cut; back with Last-Event-ID: ${view.cursor}`));
      response = await this.#api.get(`${this.#interaction(view)}/events`, {
        'last-event-id': view.cursor,
      });
    }
  }

  async addRule(rule) {
    await this.#api.post('/permissions/rules', rule);
    say(dim(`\nA rule was added: ${rule.description}.`));
  }

  async sumUp() {
    const { interactions } = await (await this.#api.get(this.#path)).json();
    const { messages } = interactions.at(-1).final_agent_state;
    const size = `${interactions.length} interactions and ${messages.length} messages`;
    say(dim(`\nThe chat holds ${size}. Start a server to keep: npm start`));
  }

  async #react({ event, data }, view, script) {
    const body = JSON.parse(data);
    if (event === 'approval_required')
      await this.#settle(view, 'approve', async () => {
        const decision = await this.#person.decide(body, script.decision);
        return { approval_id: body.approval_id, ...decision };
      });
    if (event === 'input_required')
      await this.#settle(view, 'respond', async () => {
        const answer = await this.#person.answer(body, script.answer);
        return { request_id: body.request_id, answer };
      });
  }

  /** Asks until the server takes the answer, or has one already. */
  async #settle(view, action, ask) {
    for (;;) {
      const body = await view.without(ask());
      try {
        await this.#api.post(`${this.#interaction(view)}/${action}`, body);
        return;
      } catch (error) {
        if (!this.#person.isThere || error.status !== 400) throw error;
        view.line(red(error.detail));
        if (OVER.includes(error.type)) return;
      }
    }
  }

  #interaction({ interaction_id }) {
    return `${this.#path}/interactions/${interaction_id}`;
  }
}
