import { z } from 'zod';
import type { Immutable } from '../protocol/json.js';
import { text } from '../protocol/wire/fields.js';
import { components } from '../protocol/wire/components.js';

const ms = z.int().min(0);

const transcriptSegment = z
  .object({
    start_ms: ms.meta({ example: 0 }),
    end_ms: ms.meta({ example: 1840 }),
    text: text.meta({ example: 'What is the weather like?' }),
  })
  .register(components, { id: 'TranscriptSegment' });

export const transcript = z
  .object({
    text: text.meta({ example: 'What is the weather like?' }),
    language: text.optional().meta({
      description: 'As the provider names it: `en`, `english`.',
      example: 'english',
    }),
    duration_ms: ms.optional().meta({ example: 1840 }),
    segments: z.array(transcriptSegment).optional(),
  })
  .register(components, { id: 'Transcript' });

export type TranscriptSegment = Immutable<z.infer<typeof transcriptSegment>>;
export type Transcript = Immutable<z.infer<typeof transcript>>;
