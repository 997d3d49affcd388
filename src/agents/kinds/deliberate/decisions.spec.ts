import { ScriptedDecider } from '../../../../test/support/runs/scripted-decider.js';
import { findAmbiguity, findMissing, findSubQuestions, findUncertainty } from './decisions.js';

const FACTS = [
  { question: 'For when?', answer: 'Tonight' },
  { question: 'For whom?', answer: null },
];
const FINDINGS = [
  { task: 'Find restaurants', result: 'There are two.', failed: false },
  { task: 'Find taxis', result: 'The server stopped.', failed: true },
];
const promptOf = (decider: ScriptedDecider) => decider.asked[0]!.messages!.at(-1)!.content!;

describe(findAmbiguity.name, () => {
  it.each([
    [{ ambiguous: false }, undefined],
    [{ ambiguous: false, question: 'Which?' }, undefined],
    [{ ambiguous: true }, undefined],
    [{ ambiguous: true, question: ' ' }, undefined],
    [{ ambiguous: true, question: 'Which?', options: [] }, { question: 'Which?' }],
    [{ ambiguous: true, question: 'Which?', options: ['a'] }, { question: 'Which?' }],
    [
      { ambiguous: true, question: 'Which?', options: ['a', 'b'] },
      { question: 'Which?', options: ['a', 'b'] },
    ],
  ])('reads %j', async (said, found) => {
    expect(await findAmbiguity(new ScriptedDecider(said))).toEqual(found);
  });
});

describe(findMissing.name, () => {
  it('asks for three things at most, and knows what was said', async () => {
    const decider = new ScriptedDecider({ questions: ['1', ' ', '2', '3', '4'] });
    expect(await findMissing(decider, FACTS)).toEqual(['1', '2', '3']);
    expect(promptOf(decider)).toContain('- For when?\n  Tonight\n- For whom?\n  (would not say)');
  });
});

describe(findSubQuestions.name, () => {
  it('finds four parts at most', async () => {
    const decider = new ScriptedDecider({ tasks: ['1', '2', '', '3', '4', '5'] });
    expect(await findSubQuestions(decider, FACTS)).toEqual(['1', '2', '3', '4']);
    expect(promptOf(decider)).toContain('Tonight');
  });
});

describe(findUncertainty.name, () => {
  it.each([
    [{ uncertain: false, question: 'Sure?' }, undefined],
    [{ uncertain: true }, undefined],
    [{ uncertain: true, question: 'Sure?' }, 'Sure?'],
  ])('reads %j', async (said, found) => {
    const decider = new ScriptedDecider(said);
    expect(await findUncertainty(decider, { facts: FACTS, findings: FINDINGS })).toBe(found);
    expect(promptOf(decider)).toContain('## Find restaurants\n\nThere are two.');
    expect(promptOf(decider)).toContain('## Find taxis\n\nNothing was found: The server stopped.');
  });
});
