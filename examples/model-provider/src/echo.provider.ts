import { Injectable } from '@nestjs/common';
import { ModelProvider, ModelVendor } from 'parley/model-provider';
import type { ModelEvent, ModelRequest } from 'parley/model-provider';
import { ModelError } from 'parley/model-error';

/** Models that repeat what the user says: `echo/plain`, and `echo/loud`. */
@Injectable()
@ModelVendor()
export class EchoProvider extends ModelProvider {
  readonly name = 'echo';

  async *stream({ model, messages }: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent> {
    if (model !== 'plain' && model !== 'loud')
      throw new ModelError('model_not_found', `There is no echo/${model}.`, { retryable: false });
    const said = messages.findLast(({ role }) => role === 'user')?.content ?? '';
    const content = model === 'loud' ? said.toUpperCase() : said;
    for (const word of content.match(/\S+\s*/g) ?? []) {
      signal.throwIfAborted();
      yield { type: 'text_delta', delta: word };
    }
    yield {
      type: 'response_completed',
      message: { role: 'assistant', content },
      finish_reason: 'stop',
      usage: { input_tokens: said.length, output_tokens: content.length },
    };
  }
}
