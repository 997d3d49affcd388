import { z } from 'zod';
import { ScriptedDecider } from '../../../../test/support/runs/scripted-decider.js';
import { AppError } from '../../../kernel/app-error.js';
import { decide } from './decide.js';

const OPTIONS = {
  about: 'whether it is sure',
  instructions: 'Decide whether you are sure.',
  schema: z.object({ sure: z.boolean() }),
  otherwise: { sure: false },
};

describe(decide.name, () => {
  it('asks about the conversation, unseen, with the schema in two ways', async () => {
    const decider = new ScriptedDecider({ sure: true });
    expect(await decide(decider, OPTIONS)).toEqual({ sure: true });
    const [{ messages = [], schema, visible, tool_choice } = {}] = decider.asked;
    expect({ visible, tool_choice }).toEqual({ visible: false, tool_choice: 'none' });
    expect(messages.slice(0, -1)).toEqual(decider.messages);
    expect(messages.at(-1)!.content).toMatch(/^Decide whether you are sure\.[^]*"sure"/);
    expect(schema).toMatchObject({ type: 'object', required: ['sure'] });
  });

  it('says what is wrong with an answer, and takes the next', async () => {
    const decider = new ScriptedDecider('Yes!', { sure: 'very' }, { sure: true });
    expect(await decide(decider, OPTIONS)).toEqual({ sure: true });
    const last = decider.asked.at(-1)!.messages!.map(({ content }) => content);
    expect(last.slice(2)).toEqual([
      'Yes!',
      expect.stringContaining('not a JSON object'),
      '{"sure":"very"}',
      expect.stringContaining('sure: '),
    ]);
    expect(decider.notices).toEqual([]);
  });

  it('goes on with what was to be taken otherwise, and says so, after three', async () => {
    const decider = new ScriptedDecider('a', 'b', 'c');
    expect(await decide(decider, OPTIONS)).toEqual({ sure: false });
    expect(decider.notices).toEqual(['undecided']);
  });

  it('asks a model that refuses schemas without one', async () => {
    const refused = new AppError('unavailable', 'model_refused', 'no response_format here');
    const decider = new ScriptedDecider(refused, { sure: true });
    expect(await decide(decider, OPTIONS)).toEqual({ sure: true });
    expect(decider.asked.map(({ schema }) => schema !== undefined)).toEqual([true, false]);
  });

  it('does not go on without a model', async () => {
    const away = new AppError('unavailable', 'model_unreachable', 'nobody there');
    await expect(decide(new ScriptedDecider(away), OPTIONS)).rejects.toBe(away);
  });
});
