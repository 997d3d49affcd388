import { once } from 'node:events';
import { createServer } from 'node:http';

/**
 * An OpenAI-compatible endpoint that says the first of its pieces, and the others once it is let go
 * on.
 */
export class FakeModel {
  asked = 0;
  #goOn = withResolvers();

  constructor(pieces) {
    this.pieces = pieces;
  }

  async start() {
    this.server = createServer((request, response) => void this.#answer(request, response));
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    this.url = `http://127.0.0.1:${this.server.address().port}/v1`;
    return this;
  }

  goOn() {
    this.#goOn.resolve();
  }

  async stop() {
    this.server.close();
    this.server.closeAllConnections();
    await once(this.server, 'close');
  }

  async #answer(request, response) {
    await request.resume().toArray();
    this.asked++;
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const say = (choice, usage) => {
      const chunk = { id: 'fake', object: 'chat.completion.chunk', choices: [choice], usage };
      response.write(`data: ${JSON.stringify(chunk)}\n\n`);
    };
    const [first, ...others] = this.pieces;
    say({ index: 0, delta: { role: 'assistant', content: first } });
    await this.#goOn.promise;
    for (const content of others) say({ index: 0, delta: { content } });
    say({ index: 0, delta: {}, finish_reason: 'stop' }, { prompt_tokens: 1, completion_tokens: 1 });
    response.end('data: [DONE]\n\n');
  }
}

function withResolvers() {
  const made = {};
  made.promise = new Promise((resolve) => (made.resolve = resolve));
  return made;
}
