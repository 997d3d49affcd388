import { z } from 'zod';
import { components } from './components.js';
import type { Immutable } from '../json.js';
import { count, json, text, time } from './fields.js';
import { pageOf } from './page.js';

/** The scopes, in order of evaluation. */
export const SCOPES = ['user', 'session', 'agent', 'global'] as const;
export const DECISIONS = ['allow', 'deny', 'ask'] as const;

const decision = z.enum(DECISIONS);
const glob = text.describe('A glob for the name of the tool.');
const tool = text.optional().describe('A glob: restricts the rule to tools of that name.');

export const matcher = z
  .discriminatedUnion('type', [
    z.object({
      type: z.literal('tool'),
      pattern: glob,
      input: json.optional().describe('Matches only exactly this input.'),
    }),
    z.object({ type: z.literal('category'), category: text }),
    z.object({
      type: z.literal('command_prefix'),
      prefixes: z.array(text).describe('The first words of a command, such as `git log`.'),
      exact: z.boolean().optional().describe('If true, the words have to be the whole command.'),
      open: z
        .boolean()
        .optional()
        .describe(
          'If true, a rule that allows covers whatever follows the words, also for programs that could run or write anything then.',
        ),
    }),
    z.object({ type: z.literal('regex'), pattern: text.describe('RE2 syntax.'), tool }),
    z.object({
      type: z.literal('path'),
      pattern: text.describe('A glob, relative to the workspace.'),
      tool,
    }),
    z.object({ type: z.literal('all') }),
  ])
  .meta({
    description:
      'The calls that a rule matches. Matchers on commands are applied to each simple command of a shell script.',
    example: { type: 'command_prefix', prefixes: ['git log'] },
  })
  .register(components, { id: 'Matcher' });

/** The fields of a rule that a client may set. */
export const ruleInput = z.object({
  scope: z.enum(SCOPES),
  scope_id: text
    .nullable()
    .describe(
      'The chat of a session rule, the agent type of an agent rule, the user of a user rule (of a file: all users); otherwise null.',
    ),
  priority: z.number().describe('Higher is looked at first; of equals, the older.'),
  decision,
  matcher,
  description: text.nullable(),
  expires_at: time.nullable().describe('The rule matches nothing from this time on.'),
  max_uses: count.nullable().describe('Executions that it may decide.'),
});

export const rule = ruleInput
  .extend({
    id: text.meta({ example: 'rule_0199c0de-0000-7000-8000-000000000000' }),
    created_at: time
      .nullable()
      .describe('null for a rule of the file, which counts as older than any other.'),
    uses: z.int().min(0).describe('Executions that it decided, where max_uses is set.'),
  })
  .describe('A permission rule.')
  .register(components, { id: 'PermissionRule' });

export const ruleList = pageOf(rule, 'In the order in which they are looked at.').register(
  components,
  { id: 'PermissionRuleList' },
);

export const createdRule = rule
  .extend({
    hint: text.optional().meta({
      description:
        'What may be a mistake: the server has no tool of the name that the rule is for.',
      example: 'There is no tool "calculater". Did you mean calculator?',
    }),
  })
  .register(components, { id: 'CreatedRule' });

export const deletedRules = z
  .object({ deleted: z.int().describe('How many rules went.') })
  .register(components, { id: 'DeletedRules' });

const traceEntry = z
  .object({
    rule: text.describe('The id of a rule, or `default`.'),
    level: text.describe("The rule's scope, or `default`."),
    matched: z.union([z.boolean(), z.literal('maybe')]).describe('`maybe`: can’t be ruled out.'),
    decision: decision.describe('What it decides where it matches.'),
    why: text,
    command: text.optional().describe('The part of a command that it was asked about.'),
  })
  .describe('A rule that was considered.')
  .register(components, { id: 'TraceEntry' });

export const verdict = z
  .object({
    decision,
    rule: rule.nullable().describe('The rule that decided; null for a built-in default.'),
    reason: text.meta({
      example: 'Asks about `rm -rf x`: no rule covers it, and bash executes commands.',
    }),
    trace: z.array(traceEntry).describe('What was considered, in order.'),
  })
  .register(components, { id: 'Verdict' });

export type RuleScope = (typeof SCOPES)[number];
export type Decision = (typeof DECISIONS)[number];
export type Matcher = Immutable<z.infer<typeof matcher>>;
export type RuleInput = Immutable<z.infer<typeof ruleInput>>;
/** A rule as it is saved. */
export type PermissionRule = Immutable<z.infer<typeof rule>>;
export type CreatedRule = Immutable<z.infer<typeof createdRule>>;
export type DeletedRules = Immutable<z.infer<typeof deletedRules>>;
export type RuleList = Immutable<z.infer<typeof ruleList>>;
export type TraceEntry = Immutable<z.infer<typeof traceEntry>>;
export type Verdict = Immutable<z.infer<typeof verdict>>;
