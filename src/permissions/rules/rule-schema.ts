import { z } from 'zod';
import { canonicalJson } from '../../kernel/json/json.js';
import { DECISIONS, SCOPES } from '../../protocol/wire/rule.js';

/** Maximum length of a pattern or a prefix, in characters. */
const MAX_TEXT = 1000;
const MAX_PREFIXES = 100;
/** Maximum length of the input as JSON, in characters. */
const MAX_INPUT = 20_000;

const text = z
  .string('has to be a text')
  .min(1, 'has to be a text that is not empty')
  .max(MAX_TEXT, `has to have at most ${MAX_TEXT} characters`);

const input = z
  .record(z.string(), z.unknown(), 'has to be a JSON object')
  .refine((value) => canonicalJson(value).length <= MAX_INPUT, {
    error: `has to have at most ${MAX_INPUT} characters as JSON`,
  });

const matcher = z.discriminatedUnion(
  'type',
  [
    z.strictObject({ type: z.literal('tool'), pattern: text, input: input.optional() }),
    z.strictObject({
      type: z.literal('category'),
      category: z.enum(
        ['read', 'write', 'execute', 'network', 'compute', 'human', 'agent'],
        'has to be one of: read, write, execute, network, compute, human, agent',
      ),
    }),
    z
      .strictObject({
        type: z.literal('command_prefix'),
        prefixes: z
          .array(text, 'has to be a list of texts')
          .min(1, 'has to have at least one prefix')
          .max(MAX_PREFIXES, `has to have at most ${MAX_PREFIXES} prefixes`),
        exact: z.boolean('has to be true or false').optional(),
        open: z.boolean('has to be true or false').optional(),
      })
      .refine(({ exact, open }) => !exact || !open, {
        path: ['open'],
        error: 'has to be left out of an exact matcher',
      }),
    z.strictObject({ type: z.literal('regex'), pattern: text, tool: text.optional() }),
    z.strictObject({ type: z.literal('path'), pattern: text, tool: text.optional() }),
    z.strictObject({ type: z.literal('all') }),
  ],
  {
    error: ({ code }) =>
      `has to be ${code === 'invalid_union' ? '' : 'an object whose type is '}one of: tool, category, command_prefix, regex, path, all`,
  },
);

const instant = z
  .string('has to be a time such as 2026-01-15T10:00:00Z')
  .refine((value) => /^\d{4}-\d\d-\d\dT/.test(value) && !Number.isNaN(Date.parse(value)), {
    error: 'has to be a time such as 2026-01-15T10:00:00Z',
  })
  .transform((value) => new Date(value).toISOString());

/**
 * The fields of a rule that clients and files may set. It does not check that the matcher compiles.
 */
export const ruleSchema = z
  .object(
    {
      scope: z.enum(SCOPES, `has to be one of: ${SCOPES.join(', ')}`),
      scope_id: z
        .string('has to be a text')
        .regex(/^[\x21-\x7e]{1,255}$/, 'has to be 1 to 255 printable ASCII characters')
        .nullable()
        .default(null),
      priority: z
        .int('has to be a whole number')
        .min(-1_000_000, 'has to be at least -1000000')
        .max(1_000_000, 'has to be at most 1000000')
        .default(0),
      decision: z.enum(DECISIONS, `has to be one of: ${DECISIONS.join(', ')}`),
      matcher,
      description: z
        .string('has to be a text')
        .max(MAX_TEXT, `has to have at most ${MAX_TEXT} characters`)
        .nullable()
        .default(null),
      expires_at: instant.nullable().default(null),
      max_uses: z
        .int('has to be a whole number')
        .min(1, 'has to be at least 1')
        .max(1_000_000_000, 'has to be at most 1000000000')
        .nullable()
        .default(null),
    },
    'has to be an object',
  )
  .superRefine(({ scope, scope_id }, context) => {
    const needsId = scope === 'session' || scope === 'agent';
    if (needsId && scope_id !== null && !/^[A-Za-z0-9_-]{1,64}$/.test(scope_id)) {
      const message = 'has to be 1 to 64 letters, digits, _ or -';
      context.addIssue({ code: 'custom', path: ['scope_id'], message });
    }
    if (scope === 'user' || needsId === (scope_id !== null)) return;
    const message = needsId
      ? `is needed: the ${scope === 'session' ? 'chat' : 'agent type'} that the rule is for`
      : `has to be left out: a ${scope} rule is for all`;
    context.addIssue({ code: 'custom', path: ['scope_id'], message });
  });
