import { z } from 'zod';
import type { Immutable } from '../../protocol/json.js';
import { components } from '../../protocol/wire/components.js';
import { model, text } from '../../protocol/wire/fields.js';

const dollars = z.number().min(0);

const modelPrice = z
  .object({
    input: dollars,
    cached_input: dollars.optional().describe('`input` unless it is there.'),
    cache_write: dollars.optional().describe('`input` unless it is there.'),
    output: dollars,
  })
  .describe('US dollars for a million tokens.')
  .register(components, { id: 'ModelPrice' });

const listedModel = z
  .object({
    model: model.meta({ example: 'openai/gpt-5-mini' }),
    provider: text.meta({ example: 'openai' }),
    is_default: z
      .boolean()
      .describe(
        'For messages that name none: the first of these, and the next ones where it fails.',
      ),
    agents: z.array(text).describe('The kinds of agents that name it.'),
    context_tokens: z.int().min(1).describe('The context window that the server assumes.'),
    sees_images: z.boolean().describe('As its name says, or `MODEL_IMAGES`.'),
    price: modelPrice.nullable().describe('null: it is not known, and its turns have no cost.'),
  })
  .register(components, { id: 'ListedModel' });

export const modelList = z
  .object({
    items: z.array(listedModel).describe('The default first, then those that agents name.'),
    providers: z
      .array(text)
      .describe('Any `<provider>/<name>` of these can be used, whether it is listed or not.')
      .meta({ example: ['openai', 'demo'] }),
    has_more: z.boolean().describe('The configuration names more than are listed.'),
  })
  .register(components, { id: 'ModelList' });

export type ListedModel = Immutable<z.infer<typeof listedModel>>;
export type ModelList = Immutable<z.infer<typeof modelList>>;
