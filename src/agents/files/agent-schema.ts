import { z } from 'zod';
import { DECISIONS } from '../../protocol/wire/rule.js';

const MAX_TOOLS = 200;
const MAX_RULES = 200;

const name = z
  .string('has to be a text')
  .regex(/^[A-Za-z0-9_-]{1,64}$/, 'has to be 1 to 64 letters, digits, _ or -');

const toolName = z
  .string('has to be the name of a tool')
  .trim()
  .regex(/^[A-Za-z0-9_*-]{1,100}$/, 'has to be the name of a tool, where * stands for anything');

/** A list, or names with commas between. */
const tools = z
  .preprocess(
    (value) => (typeof value === 'string' ? value.split(',').filter((part) => part.trim()) : value),
    z
      .array(toolName, 'has to be a list of tools, or their names with commas between')
      .max(MAX_TOOLS, `has to have at most ${MAX_TOOLS} tools`),
  )
  .nullish();

const decision = z.enum(DECISIONS, `has to be one of: ${DECISIONS.join(', ')}`);

/** Tools, and their permission verdicts. */
const verdicts = z.record(
  toolName,
  decision,
  'has to be a list of rules, or tools with allow, deny or ask',
);

const rules = z
  .array(z.record(z.string(), z.unknown(), 'has to be a rule'))
  .max(MAX_RULES, `has to have at most ${MAX_RULES} rules`);

const permissions = z
  .unknown()
  .optional()
  .transform((value, context): z.output<typeof verdicts> | z.output<typeof rules> => {
    const { data, error } = (Array.isArray(value) ? rules : verdicts).safeParse(value ?? {});
    for (const { path, message } of error?.issues ?? [])
      context.addIssue({ code: 'custom', path: [...path], message });
    return data ?? {};
  });

/** The front matter of an agent file. Other fields belong to other programs. */
export const agentSchema = z.object(
  {
    name: name.nullish(),
    description: z
      .string('is needed: one sentence that says what the agent is for')
      .trim()
      .min(1, 'is needed: one sentence that says what the agent is for')
      .max(2000, 'has to have at most 2000 characters'),
    model: z
      .string('has to be a text such as openai/gpt-5-mini')
      .trim()
      .min(1, 'has to be a text such as openai/gpt-5-mini')
      .nullish(),
    tools,
    permissions,
    max_iterations: z
      .int('has to be a whole number')
      .min(1, 'has to be at least 1')
      .max(1000, 'has to be at most 1000')
      .nullish(),
  },
  'has to be fields, such as "description: Reviews changes"',
);

export type AgentFields = z.output<typeof agentSchema>;
export const AGENT_FIELDS: readonly string[] = Object.keys(agentSchema.shape);
