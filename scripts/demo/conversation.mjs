import { createParser } from 'eventsource-parser';
import { Person } from './person.mjs';
import { dim, say, you, yellow } from './terminal.mjs';
import { View } from './view.mjs';

const JSON_TYPE = { 'content-type': 'application/json' };

/** A chat with the server, shown as it goes. */
export class Conversation {
  #person = new Person();

  constructor(url, chat) {
    this.url = url;
    this.chat = `${url}/chats/${chat}`;
  }

  /** Says something and shows what comes. `script` is what a person decides and answers when none is at the terminal. */
  async tell(text, script = {}) {
    say(`\n${you('You')}    ${text}`);
    const view = new View();
    const body = JSON.stringify({ user_message: text });
    const start = { method: 'POST', headers: JSON_TYPE, body };
    let response = await open(`${this.chat}/interactions`, start);
    let { cutAfter } = script;
    for (;;) {
      for await (const frame of readEvents(response)) {
        view.show(frame);
        await this.#react(frame, view, script);
        if (view.deltas === cutAfter) break;
      }
      if (view.isComplete) return;
      if (cutAfter === undefined) throw new Error('the stream ended before the interaction did');
      cutAfter = undefined;
      view.line(yellow(`⚡ connection cut; back with Last-Event-ID: ${view.cursor}`));
      response = await open(`${this.chat}/interactions/${view.interaction_id}/events`, {
        headers: { 'last-event-id': view.cursor },
      });
    }
  }

  async addRule(rule) {
    const options = { method: 'POST', headers: JSON_TYPE, body: JSON.stringify(rule) };
    await open(`${this.url}/permissions/rules`, options);
    say(dim(`\nA rule was added: ${rule.description}.`));
  }

  async close() {
    this.#person.leave();
    const { interactions } = await (await open(this.chat)).json();
    const { messages } = interactions.at(-1).final_agent_state;
    const size = `${interactions.length} interactions and ${messages.length} messages`;
    say(dim(`\nThe chat holds ${size}. Start a server to keep: npm start`));
  }

  async #react({ event, data }, view, script) {
    const body = JSON.parse(data);
    if (event === 'approval_required') {
      const decision = await this.#person.decide(body, script.decision);
      await this.#send(view, 'approve', { approval_id: body.approval_id, ...decision });
    }
    if (event === 'input_required') {
      const answer = await this.#person.answer(body, script.answer);
      await this.#send(view, 'respond', { request_id: body.request_id, answer });
    }
  }

  async #send(view, action, body) {
    const options = { method: 'POST', headers: JSON_TYPE, body: JSON.stringify(body) };
    await open(`${this.chat}/interactions/${view.interaction_id}/${action}`, options);
  }
}

/** Yields the frames of an event stream; leaving the loop closes the connection. */
async function* readEvents(response) {
  const frames = [];
  const parser = createParser({ onEvent: (frame) => frames.push(frame) });
  const decoder = new TextDecoder();
  for await (const bytes of response.body) {
    parser.feed(decoder.decode(bytes, { stream: true }));
    yield* frames.splice(0);
  }
}

async function open(url, options) {
  const response = await fetch(url, options);
  if (response.ok) return response;
  const problem = await response.json();
  throw new Error(`${response.status} ${problem.title}: ${problem.detail}`);
}
