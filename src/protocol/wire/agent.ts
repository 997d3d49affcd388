import { z } from 'zod';
import { components } from './components.js';
import type { Immutable } from '../json.js';
import { count, json, text, time, usage } from './fields.js';
import { interactionStatus, messages } from './interaction.js';
import { pageOf } from './page.js';

/** The states of an agent, with what each means to clients. */
const MEANINGS = {
  idle: 'waits in the queue of its chat',
  processing: 'waits for its model, or its code runs',
  thinking:
    'its model sends thoughts; only the stream of its chat tells it, else it is `processing`',
  waiting_permission: 'waits for an approval',
  awaiting_user: 'asked a person, or called a tool that the client runs',
  executing_tool: 'has a tool running',
  waiting_subagent: 'has a child that has not ended, and none of the above',
  completed: 'has returned',
  deleted: 'was stopped before its end: by a person, by its parent, or with the interaction',
  modified: 'got a new task, and has not answered it yet',
  error: 'has failed',
} as const;

export type AgentState = keyof typeof MEANINGS;

const STATES = Object.keys(MEANINGS) as [AgentState, ...AgentState[]];

export const agentState = z
  .enum(STATES)
  .describe(`${STATES.map((each) => `\`${each}\`: ${MEANINGS[each]}`).join('; ')}.`);

/** The call, child or request that an agent is busy with, or waits for. */
export const agentFocus = z.object({
  tool_name: text.optional().describe('Of the call in `tool_call_id`.'),
  tool_call_id: text.optional().describe('The call that runs, or is asked about.'),
  child_agent_id: text.optional().describe('The first child that it waits for.'),
  request_id: text.optional().describe('The request that it waits for.'),
});

const agentFields = z.object({
  agent_id: text.meta({ example: 'agent_0199c0de-0000-7000-8000-000000000000' }),
  agent_type: text.meta({ example: 'react' }),
  parent_agent_id: text.nullable().describe('null: the root.'),
  parent_tool_call_id: text.nullable().describe("The parent's tool call that it was started in."),
  state: agentState,
  ...agentFocus.shape,
  prompt: text.describe('What it was asked to do.'),
  result: text.nullable().describe('Its answer, or why it has none; null while there is neither.'),
  usage: usage.describe('Of its own turns.'),
  turns: count.describe('Model turns so far.'),
  tool_calls: count.describe('Tool calls so far.'),
  started_at: time.nullable(),
  completed_at: time.nullable(),
  metadata: json,
  user_comment: text.meta({
    description:
      'Of the last intervention of a person: `delete`, `modify` or a note; `unchanged` before any.',
    example: 'unchanged',
  }),
  user_content: text.nullable().describe('What came with it.'),
});

/** An agent as clients see it, without its messages. */
export type AgentView = Immutable<z.infer<typeof agentFields>> & {
  readonly children: readonly AgentView[];
};

const children = z.array(z.lazy((): z.ZodType<AgentView> => agent));

const agent = agentFields
  .extend({ children: children.describe('The agents that it started, in order.') })
  .describe('An agent of a tree.')
  .register(components, { id: 'Agent' });

const origin = { chat_id: text, interaction_id: text };

export const agentTree = z
  .object({
    ...origin,
    status: interactionStatus.describe('Of the interaction.'),
    root: agent.describe("The agent that answers the interaction's message."),
  })
  .register(components, { id: 'AgentTree' });

export const agentTreeList = pageOf(agentTree).register(components, { id: 'AgentTreeList' });

export const intervention = z
  .object({
    intervention_id: text,
    status: z
      .enum(['accepted', 'taken_in', 'too_late'])
      .describe('`too_late`: the agent ended first.'),
    user_comment: text,
    user_content: text.nullable(),
    created_at: time,
    seq: count.nullable().describe('Of its `agent_intervened`; null unless it was taken in.'),
  })
  .describe('An intervention of a person.')
  .register(components, { id: 'Intervention' });

export const acceptedIntervention = z
  .object({
    intervention_id: text.describe(
      'The `agent_intervened` that says where it was taken in names it.',
    ),
    agent_id: text,
    status: z.literal('accepted').describe('GET /agents/{agent_id} says what came of it.'),
  })
  .register(components, { id: 'AcceptedIntervention' });

const agentCut = z
  .object({
    messages: text.meta({
      description: 'Has the earlier messages, which are left out here.',
      example: '/chats/chat_123/log',
    }),
  })
  .register(components, { id: 'AgentCut' });

export const wholeAgent = agent
  .extend({
    ...origin,
    messages: messages.describe(
      'OpenAI chat messages: its whole conversation. Without the earlier interactions if those have more than 16 MiB, and of its own records the first 16 MiB; `cut.messages` says where the rest is.',
    ),
    interventions: z.array(intervention).describe('What people told it, in order.'),
    cut: agentCut
      .nullable()
      .describe('Where the messages are that are left out; null if there are none.'),
  })
  .describe('One agent with its messages.')
  .register(components, { id: 'WholeAgent' });

export type AgentFocus = Immutable<z.infer<typeof agentFocus>>;
export type InteractionTree = Immutable<z.infer<typeof agentTree>>;
export type TreePage = Immutable<z.infer<typeof agentTreeList>>;
export type InterventionView = Immutable<z.infer<typeof intervention>>;
export type WholeAgent = Immutable<z.infer<typeof wholeAgent>>;
export type AcceptedIntervention = Immutable<z.infer<typeof acceptedIntervention>>;
