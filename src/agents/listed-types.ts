import { z } from 'zod';
import type { Immutable } from '../protocol/json.js';
import { text } from '../protocol/wire/fields.js';
import { components } from '../protocol/wire/components.js';

const agentType = z
  .object({
    name: text.meta({ example: 'react' }),
    description: text,
    source: text.nullable().meta({
      description: 'The file that says so; null: it is code',
      example: 'agents/reviewer.md',
    }),
    model: text.nullable().meta({
      description: 'What it runs with unless a start says otherwise; null: the server’s',
      example: 'openai/gpt-5-mini',
    }),
    max_iterations: z.int().nullable(),
  })
  .register(components, { id: 'AgentType' });

const agentFileFault = z
  .object({
    file: text.meta({ example: 'agents/reviewer.md' }),
    line: z.int().min(1),
    message: text,
  })
  .register(components, { id: 'AgentFileFault' });

export const agentTypeList = z
  .object({
    items: z.array(agentType),
    faults: z
      .array(agentFileFault)
      .optional()
      .describe(
        'Why files of AGENTS_DIR are not among them, or not as they are now; for the scope `operate`',
      ),
  })
  .register(components, { id: 'AgentTypeList' });

export type ListedType = Immutable<z.infer<typeof agentType>>;
export type AgentTypeList = Immutable<z.infer<typeof agentTypeList>>;
