import { z } from 'zod';
import { agentStatus, budget, count, decider, guarded, json } from '../wire/fields.js';
import { replacedBlock, text } from '../wire/fields.js';

/** Defaults for the turns of a child agent. */
const agentSettings = z.object({
  tools: z.array(text).optional(),
  instructions: text.optional(),
  model: text.optional(),
  max_iterations: count.optional(),
});

export function agentRecords() {
  return {
    AGENT_STARTED: {
      body: z
        .object({
          type: z.literal('AGENT_STARTED'),
          parent_agent_id: text,
          agent_type: text,
          prompt: text,
          tool_call_id: text.optional().describe('The call whose tool started it.'),
        })
        .meta({
          description:
            "A child agent begins; `agent_id` is the child's in this event and in all that it does.",
          example: {
            agent_id: 'agent_2',
            parent_agent_id: 'agent_1',
            agent_type: 'react',
            prompt: 'Find the failing test.',
            tool_call_id: 'call_1',
          },
        }),
      hidden: z.object({
        settings: agentSettings,
        metadata: json.optional().describe("Unless it inherits its parent's."),
        budget: budget.optional(),
      }),
    },
    AGENT_COMPLETED: {
      body: z
        .object({
          type: z.literal('AGENT_COMPLETED'),
          status: agentStatus,
          result: text.describe('Its answer, or why it has none.'),
          replaces: replacedBlock,
        })
        .meta({
          description: 'A child agent has ended, and no part of it is running any more.',
          example: { status: 'completed', result: 'test/cursor.spec.ts fails.' },
        }),
      hidden: z.object({ code: text.describe('Of the error that it failed with.') }),
    },
    AGENT_INTERVENED: {
      body: z
        .object({
          type: z.literal('AGENT_INTERVENED'),
          intervention_id: text,
          by: decider,
          user_comment: text.describe("`delete`, `modify`, or a note in the person's words."),
          user_content: text.optional().describe('With `modify`: the new task of the agent.'),
        })
        .meta({
          description: 'An intervention by a person takes effect here.',
          example: {
            intervention_id: 'intervention_1',
            by: { kind: 'user', user_id: 'ann' },
            user_comment: 'Only look at the tests.',
          },
        }),
      hidden: guarded,
    },
    AGENT_TOLD: {
      body: z
        .object({
          type: z.literal('AGENT_TOLD'),
          note_id: text,
          to_agent_id: text,
          text,
        })
        .meta({
          description:
            'The agent leaves a note for its parent or for a child, which reads it with its next turn.',
          example: { note_id: 'note_1', to_agent_id: 'agent_2', text: 'The tests are in spec/.' },
        }),
    },
    NOTE_READ: {
      body: z
        .object({
          type: z.literal('NOTE_READ'),
          note_id: text,
          from_agent_id: text,
          text,
        })
        .meta({
          description: 'The agent reads a note of its parent or of a child, with this turn.',
          example: { note_id: 'note_1', from_agent_id: 'agent_1', text: 'The tests are in spec/.' },
        }),
    },
  };
}
