import type { ModelRequest } from '../model-provider.js';
import { ModelCall, type ModelCallOptions } from '../wire/model-call.js';
import type { ChatClient } from './chat-client.js';
import { chatRequest } from './chat-request.js';
import { ChatTurn } from './chat-turn.js';

export interface OpenAiCallOptions extends ModelCallOptions {
  readonly client: ChatClient;
}

/** One request of one turn. */
export class OpenAiCall extends ModelCall {
  constructor(
    private readonly options: OpenAiCallOptions,
    private readonly request: ModelRequest,
    signal: AbortSignal,
  ) {
    super(options, signal);
  }

  protected override async answer(stopped: AbortSignal): Promise<void> {
    const { client, scrubber, max_turn_chars } = this.options;
    const body = chatRequest(this.request);
    const request = client.chat.completions.create(body, { signal: stopped });
    const turn = new ChatTurn({
      emit: (event) => this.events.push(event),
      scrub: scrubber.scrub,
      max_chars: max_turn_chars,
    });
    await this.read(await request.asResponse(), turn);
  }
}
