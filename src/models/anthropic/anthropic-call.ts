import type {
  ContentBlockParam,
  MessageCreateParamsStreaming,
} from '@anthropic-ai/sdk/resources/messages';
import type { ModelRequest } from '../model-provider.js';
import { ModelCall } from '../http/model-call.js';
import type { AdaptedRequest, ModelCallOptions } from '../http/model-call.js';
import { wellFormed } from '../http/well-formed.js';
import type { AnthropicClient } from './anthropic-client.js';
import { endingInWords, isUnsigned } from './kept-turn.js';
import { messageRequest } from './message-request.js';
import { MessageTurn } from './message-turn.js';

export interface AnthropicCallOptions extends ModelCallOptions {
  readonly client: AnthropicClient;
}

/** Maximum number of times that a turn which the model pauses is continued. */
const MAX_PAUSES = 8;

/** A turn of the model. Sends further requests until the model no longer pauses. */
export class AnthropicCall extends ModelCall {
  constructor(
    private readonly options: AnthropicCallOptions,
    request: ModelRequest,
    signal: AbortSignal,
  ) {
    super(options, request, signal);
  }

  protected override body({ wire, adaptation }: AdaptedRequest): MessageCreateParamsStreaming {
    return messageRequest(wire.request, { adaptation, endpoint: this.options.endpoint_id });
  }

  protected override async answer(request: AdaptedRequest, stopped: AbortSignal): Promise<void> {
    const { scrubber, max_turn_chars, endpoint_id: endpoint } = this.options;
    const { wire } = request;
    const body = this.body(request);
    const turn = new MessageTurn({
      author: { model: body.model, endpoint },
      emit: (event) => this.emit(wire, event),
      scrub: scrubber.scrub,
      max_chars: max_turn_chars,
      may_be_empty: wire.request.messages.at(-1)?.role === 'tool',
    });
    await this.ask(body, turn, stopped);
    for (let pauses = 0; turn.paused && pauses < MAX_PAUSES; pauses++) {
      const content = toGoOnFrom(turn.content());
      if (content.length === 0) break;
      turn.goOn();
      const messages = [...body.messages, { role: 'assistant' as const, content }];
      await this.ask({ ...body, messages }, turn, stopped);
    }
    turn.finish();
  }

  private async ask(
    body: MessageCreateParamsStreaming,
    turn: MessageTurn,
    signal: AbortSignal,
  ): Promise<void> {
    const request = this.options.client.messages.create(wellFormed(body), { signal });
    await this.read(await request.asResponse(), turn);
  }
}

/** The vendor rejects empty texts, and thinking or white space at the end. */
function toGoOnFrom(content: readonly ContentBlockParam[]): ContentBlockParam[] {
  const said = content.filter((block) => !isBlank(block) && !isUnsigned(block));
  const blocks = endingInWords(said);
  const last = blocks.at(-1);
  if (last?.type === 'text') blocks.splice(-1, 1, { ...last, text: last.text.trimEnd() });
  return blocks;
}

function isBlank(block: ContentBlockParam): boolean {
  return block.type === 'text' && block.text.trim() === '';
}
