import { z } from 'zod';
import { readAnswer } from './read-answer.js';

const schema = z.object({ sure: z.boolean() });

describe(readAnswer.name, () => {
  it.each([
    ['alone', '{"sure": true}'],
    ['with spaces', ' \n{"sure": true}\n'],
    ['in a code block', 'Here you are:\n```json\n{"sure": true}\n```\nBye.'],
    ['in a block without a name', '```\n{"sure": true}\n```'],
    ['in a block after empty lines', '```\n\n \n  {"sure": true}\n\n  ```'],
    ['behind a thought', '<think>Is it {"sure": false}?</think>\n{"sure": true}'],
    ['behind a thought without its first tag', 'Or {"sure": false}?</think>So: {"sure": true}'],
    ['behind a thought with a block', '<think>\n```\n{"sure": false}\n```\n</think>{"sure": true}'],
    ['with a tag in it', '{"sure": true, "tag": "</think>"}'],
    ['in a sentence', 'I think {"sure": true} is right.'],
    ['with more than was asked for', '{"sure": true, "why": "because"}'],
  ])('finds the object %s', (_, text) => {
    expect(readAnswer(schema, text)).toEqual({ ok: true, value: { sure: true } });
  });

  it.each([
    ['', /not a JSON object/],
    ['Yes.', /not a JSON object/],
    [`\`\`\`${'\n'.repeat(100_000)}`, /not a JSON object/],
    [`\`\`\`${'\n'.repeat(100_000)}\`\`\``, /not a JSON object/],
    ['[true]', /expected object/],
    ['{"sure": tr', /not a JSON object/],
    ['} {', /not a JSON object/],
    ['{"sure": "yes"}', /^sure: /],
    ['{}', /^sure: /],
    ['<think>It is {"sure": true}, or', /not a JSON object/],
    ['<think>It is {"sure": true}</think>Yes.', /not a JSON object/],
  ])('says what is wrong with %j', (text, fault) => {
    expect(readAnswer(schema, text)).toEqual({ ok: false, fault: expect.stringMatching(fault) });
  });
});
