import fc from 'fast-check';
import { messageRequest } from '../../src/models/anthropic/message-request.js';
import type { ModelRequest } from '../../src/models/model-provider.js';
import type { Image, AssistantMessage, Message, ToolCall } from '../../src/protocol/message.js';
import { checkConversation } from '../support/runs/check-conversation.js';
import { violationOfMessage } from '../support/model/fake-anthropic-rules.js';
import { runs } from '../support/thoroughness.js';

const MODELS = ['claude-haiku-4-5', 'claude-opus-4-8', 'other'];
const RECEIVER = {
  endpoint: 'e',
  adaptation: { dropped: new Set<never>(), max_limit: Infinity, returns_kept: true },
};
const NAMES = ['clock', 'calculator', 'mcp__files__read'];

const words = fc.oneof(fc.constantFrom('', ' ', '\n', 'Hi', 'Hi ', '👍🏽', '\ud83d'), fc.string());
const json = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 1 }), { maxKeys: 2 });
const part = fc.oneof(
  words.map((text) => ({ type: 'text', text })),
  fc.constant({ type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } }),
);
const user = fc
  .oneof(words, fc.array(part, { maxLength: 3 }))
  .map((content) => [{ role: 'user', content } as unknown as Message]);
const system = words.map((content): Message[] => [{ role: 'system', content }]);
const pixel: Image = { media_type: 'image/png', data: 'iVBORw0KGgo=' };
const call = fc.record({
  name: fc.constantFrom(...NAMES),
  input: json,
  result: words,
  images: fc.option(fc.constantFrom([pixel], [pixel, pixel]), { nil: undefined, freq: 3 }),
});
const thought = fc.oneof(
  fc.record({
    type: fc.constant('thinking'),
    thinking: words,
    signature: fc.string({ minLength: 1 }),
  }),
  fc.record({ type: fc.constant('redacted_thinking'), data: fc.string({ minLength: 1 }) }),
);

/** A turn with thoughts between anything, or with what somebody made up of them. */
const turn = fc
  .record({
    texts: fc.array(words, { maxLength: 2 }),
    calls: fc.array(call, { maxLength: 3 }),
    thoughts: fc.array(thought, { maxLength: 3 }),
    model: fc.constantFrom(...MODELS),
    made_up: fc.option(fc.jsonValue({ maxDepth: 3 }), { nil: undefined, freq: 6 }),
    order: fc.infiniteStream(fc.nat()),
  })
  .map(({ texts, calls, thoughts, model, made_up, order }) => (id: () => string): Message[] => {
    const tool_calls = calls.map(({ name, input }): ToolCall => ({
      id: id(),
      type: 'function',
      function: { name, arguments: JSON.stringify(input) },
    }));
    const parts = [
      ...texts.map((text) => ({ type: 'text', chars: text.length })),
      ...calls.map(() => ({ type: 'tool_use' })),
    ];
    const blocks: unknown[] = [...parts];
    for (const one of thoughts) blocks.splice(order.next().value % (blocks.length + 1), 0, one);
    const kept = made_up === undefined ? { model, blocks } : made_up;
    const content = texts.join('');
    const said: AssistantMessage = {
      role: 'assistant',
      content: content === '' && calls.length > 0 ? null : content,
      ...(calls.length > 0 && { tool_calls }),
      ...(thoughts.length > 0 && { provider_data: { anthropic: kept } }),
    };
    const results = calls.map(({ result: text, images }, n): Message => ({
      role: 'tool',
      tool_call_id: tool_calls[n]!.id,
      content: text,
      ...(images && { images }),
    }));
    return [said, ...results];
  });

const conversation = fc.array(fc.oneof(user, system, turn), { maxLength: 8 }).map((parts) => {
  let calls = 0;
  const id = (): string => `call_${++calls}`;
  return parts.flatMap((messages) => (typeof messages === 'function' ? messages(id) : messages));
});

const request: fc.Arbitrary<ModelRequest> = fc
  .record({
    model: fc.constantFrom(...MODELS),
    messages: conversation,
    tools: fc
      .subarray(NAMES)
      .map((names) => names.map((name) => ({ name, description: '', input_schema: {} }))),
    instructions: fc.option(words, { nil: undefined }),
    tool_choice: fc.constantFrom('auto', 'none', 'required', undefined),
    thinking: fc.constantFrom('low', 'high', undefined),
    max_output_tokens: fc.constantFrom(100, 3_000, undefined),
  })
  .map((wanted) => JSON.parse(JSON.stringify(wanted)) as ModelRequest);

describe(messageRequest.name, () => {
  it('makes of any valid conversation a request that the vendor takes', () => {
    fc.assert(
      fc.property(request, (wanted) => {
        const isOurs = checkConversation(wanted.messages).length === 0;
        fc.pre(isOurs);
        const body = JSON.parse(JSON.stringify(messageRequest(wanted, RECEIVER))) as object;
        expect(violationOfMessage(body)).toBeUndefined();
      }),
      { numRuns: runs(2_000) },
    );
  });

  it('leaves no word out', () => {
    fc.assert(
      fc.property(request, (wanted) => {
        const sent = JSON.stringify(messageRequest(wanted, RECEIVER));
        for (const { role, content } of wanted.messages)
          if (typeof content === 'string' && content.trim() !== '')
            expect([
              role,
              sent.includes(JSON.stringify(content).slice(1, -1)) || isCut(wanted, content),
            ]).toEqual([role, true]);
      }),
      { numRuns: runs(500) },
    );
  });
});

/** Thoughts may stand between the words of a turn, which are then in several blocks. */
function isCut({ messages }: ModelRequest, content: string): boolean {
  return messages.some(
    (message) =>
      message.role === 'assistant' &&
      message.content === content &&
      message.provider_data !== undefined,
  );
}
