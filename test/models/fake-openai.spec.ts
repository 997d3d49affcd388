import { violationOf } from '../support/model/fake-openai-rules.js';
import { FakeOpenAi } from '../support/model/fake-openai.js';

const user = { role: 'user', content: 'Hi' };
const asks = (...ids: string[]): object => ({
  role: 'assistant',
  content: null,
  tool_calls: ids.map((id) => ({ id, type: 'function', function: { name: 'f', arguments: '{}' } })),
});
const result = (tool_call_id: string): object => ({ role: 'tool', tool_call_id, content: 'x' });

describe(FakeOpenAi.name, () => {
  it.each([
    [[user]],
    [[user, asks('a', 'b'), result('b'), result('a'), user]],
    [[user, asks('a'), result('a'), asks('b'), result('b')]],
  ])('accepts %j', (messages) => {
    expect(violationOf({ model: 'm', messages })).toBeUndefined();
  });

  it.each([
    [[], /too short/],
    [[user, asks('a')], /missing: a/],
    [[user, asks('a', 'b'), result('a'), user], /missing: b/],
    [[user, result('a')], /preceding message/],
    [[user, asks('a'), result('a'), result('a')], /preceding message/],
    [[user, asks('a'), result('a'), asks('a'), result('a')], /duplicate/],
    [[user, { ...asks('a'), provider_data: {} }, result('a')], /unknown field provider_data/],
    [[user, { role: 'assistant', content: null }], /content/],
    [
      [
        user,
        {
          role: 'assistant',
          content: '',
          tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '[]' } }],
        },
        result('a'),
      ],
      /JSON object/,
    ],
  ])('refuses %j', (messages, fault) => {
    expect(violationOf({ model: 'm', messages })).toMatch(fault);
  });

  it('counts what it refuses', async () => {
    const fake = await FakeOpenAi.start();
    const body = JSON.stringify({ model: 'm', messages: [user, result('a')] });
    const response = await fetch(`${fake.baseUrl}/chat/completions`, { method: 'POST', body });
    expect(response.status).toBe(400);
    expect(fake.violations).toHaveLength(1);
    await fake.stop();
  });
});
