import { isTurnOf, turnsOf } from './history-turns.js';
import type { Interaction } from '../../../protocol/wire/interaction.js';

const AGENT = { agent_id: 'agent_1', interaction_id: 'int_1' };
const EVENTS = [
  { ...AGENT, type: 'ANSWER', block_id: '1b0', content: 'Yes.' },
  { ...AGENT, type: 'ANSWER', block_id: '1b1', content: 'Yes. (signed)', replaces: '1b0' },
];
const SIGNED = {
  ...{ user_message: 'Sure?', agent_id: 'agent_1', agent_events: EVENTS, cut: null },
} as unknown as Interaction;

describe(isTurnOf.name, () => {
  it.each([
    ['as a whole answer has it', 'Yes. (signed)', true],
    ['as a stream has it', 'Yes.\n\nYes. (signed)', true],
    ['before the agent returned another', 'Yes.', false],
  ])('knows an answer that was replaced, %s', (_, content, isKnown) => {
    const [turn] = turnsOf([
      { role: 'user', content: 'Sure?' },
      { role: 'assistant', content },
    ])!;
    expect(isTurnOf(turn!, SIGNED)).toBe(isKnown);
  });
});
