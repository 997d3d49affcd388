import fc from 'fast-check';
import { checkConversation } from '../../test/support/runs/check-conversation.js';
import { IMAGES } from '../../test/support/tools/images.js';
import type { Hidden, RecordBody } from '../protocol/events.js';
import type { AssistantMessage, Message } from '../protocol/message.js';
import { Conversation } from './conversation.js';

interface Applied {
  readonly body: RecordBody;
  readonly hidden: Hidden | null;
}

const ORIGIN = { chat_id: 'c', agent: 'a', model: 'm', parent_id: null };
const TURN = { model: 'm', finish_reason: 'stop', usage: { input_tokens: 1, output_tokens: 1 } };

function started(user_message: string): Applied {
  return { body: { type: 'INTERACTION_STARTED', ...ORIGIN, user_message }, hidden: null };
}

function assistant(content: string, ...ids: string[]): AssistantMessage {
  const tool_calls = ids.map((id) => {
    return { id, type: 'function' as const, function: { name: 'tool', arguments: '{}' } };
  });
  return { role: 'assistant', content, ...(ids.length > 0 && { tool_calls }) };
}

function turn(message: AssistantMessage, in_conversation = true): Applied {
  const body = { type: 'TURN_COMPLETED', ...TURN, duration_ms: 1 } as RecordBody;
  return { body, hidden: { message, in_conversation } };
}

function failedTurn(): Applied {
  const error = { code: 'model_timeout', message: 'It took too long.' };
  const body = { type: 'TURN_COMPLETED', ...TURN, duration_ms: 1, error } as RecordBody;
  return { body, hidden: null };
}

function result(id: string, tool_output: string): Applied {
  const rest = { tool_name: 'tool', is_error: false, duration_ms: 1 };
  return { body: { type: 'TOOL_RESULT', id, tool_output, ...rest }, hidden: null };
}

function answer(content: string, hidden: Hidden | null): Applied {
  return { body: { type: 'ANSWER', block_id: 'b', content }, hidden };
}

function messagesOf(applied: readonly Applied[], before: readonly Message[] = []): Message[] {
  const conversation = new Conversation(before);
  for (const each of applied) conversation.apply(each);
  expect(conversation.messages).toEqual([...before, ...conversation.added()]);
  return conversation.added();
}

describe(Conversation.name, () => {
  it('puts results directly after their turn, in the order of its calls', () => {
    const first = assistant('', 'a', 'b');
    const second = assistant('', 'c');
    const records = [
      turn(first),
      turn(second),
      result('c', '3'),
      result('b', '2'),
      result('a', '1'),
    ];
    expect(messagesOf([started('Go'), ...records])).toEqual([
      { role: 'user', content: 'Go' },
      first,
      { role: 'tool', tool_call_id: 'a', content: '1' },
      { role: 'tool', tool_call_id: 'b', content: '2' },
      second,
      { role: 'tool', tool_call_id: 'c', content: '3' },
    ]);
  });

  it('shows a model the images of results, and keeps their texts alone', () => {
    const image = { media_type: 'image/png', data: IMAGES.png } as const;
    const conversation = new Conversation([{ role: 'user', content: 'Before' }]);
    conversation.apply(turn(assistant('', 'a', 'b')));
    conversation.apply({ ...result('a', 'a.png is an image'), hidden: { images: [image] } });
    conversation.apply({ ...result('other', 'not ours'), hidden: { images: [image] } });
    conversation.apply(result('b', '2'));
    const named = { role: 'tool', tool_call_id: 'a', content: 'a.png is an image' };
    expect(conversation.messages[2]).toEqual(named);
    expect(conversation.added()[1]).toEqual(named);
    expect(conversation.shown[2]).toEqual({ ...named, images: [image] });
    expect(conversation.shown.toSpliced(2, 1)).toEqual(conversation.messages.toSpliced(2, 1));
  });

  it('says of a call without a result that it was not run', () => {
    expect(messagesOf([turn(assistant('', 'a', 'b')), result('b', '2')])[1]).toEqual({
      role: 'tool',
      tool_call_id: 'a',
      content: 'This tool call was not run.',
    });
  });

  it('leaves out turns that are none of its business, their results, and failed ones', () => {
    const records = [turn(assistant('hidden', 'a'), false), result('a', '1'), failedTurn()];
    expect(messagesOf(records)).toEqual([]);
  });

  it('takes in an answer that no turn wrote, and no other twice', () => {
    const records = [turn(assistant('By the model')), answer('By the model', null)];
    expect(messagesOf([...records, answer('Returned', { standalone: true })])).toEqual([
      assistant('By the model'),
      { role: 'assistant', content: 'Returned' },
    ]);
  });

  it('has a returned text in place of the answer that it names, as readers see it', () => {
    const text = (content: string): Applied => ({ ...answer(content, null) });
    const returned = (replaces?: string): Applied => {
      const body = { type: 'ANSWER', block_id: 'r', content: 'Signed', replaces } as const;
      return { body, hidden: { standalone: true } };
    };
    const asked = started('Go');
    const written = [asked, text('Text'), turn(assistant('Text'))];
    const user = { role: 'user', content: 'Go' };
    const signed = { role: 'assistant', content: 'Signed' };
    expect(messagesOf([...written, returned('b')])).toEqual([user, signed]);
    expect(messagesOf([...written, returned()])).toEqual([user, assistant('Text'), signed]);
    const noted = [...written, asked, returned('b')];
    expect(messagesOf(noted)).toEqual([user, user, signed]);
    const called = [...written, turn(assistant('', 'c')), result('c', '1'), returned('b')];
    expect(messagesOf(called)).toMatchObject([user, { content: '' }, { content: '1' }, signed]);
    const conversation = new Conversation([]);
    for (const each of written) conversation.apply(each);
    expect(conversation.answerBlock).toBe('b');
    expect(conversation.addedWith([returned('b')])).toEqual([user, signed]);
    expect(conversation.added()).toEqual([user, assistant('Text')]);
    conversation.apply({
      body: { type: 'AGENT_COMPLETED', status: 'completed', result: 'Signed', replaces: 'b' },
    });
    expect(conversation.added()).toEqual([user, signed]);
  });

  it('names no answer to be replaced once the user has said something since', () => {
    const conversation = new Conversation([]);
    const text = answer('Text', null);
    for (const each of [started('Go'), text, turn(assistant('Text'))]) conversation.apply(each);
    expect(conversation.answerBlock).toBe('b');
    conversation.apply(started('More'));
    expect(conversation.answerBlock).toBeUndefined();
    expect(conversation.addedWith([]).length).toBe(3);
  });

  it("takes in what the agent's code said, and its questions with their answers", () => {
    const said = { type: 'MESSAGE', block_id: 'b', content: 'Hm.' } as const;
    const which = { request_id: 'r1', question: 'Which?', options: ['a', 'b'], expires_at: null };
    const why = { request_id: 'r2', question: 'Why?', expires_at: null };
    const by = { kind: 'user', user_id: 'ann' } as const;
    const received = (request_id: string, answer: string | null): RecordBody => {
      return { type: 'INPUT_RECEIVED', request_id, answer, by };
    };
    const standalone = { standalone: true } as const;
    const joins = [
      { body: said, hidden: standalone },
      { body: { type: 'INPUT_REQUIRED', ...which } as const, hidden: standalone },
      { body: { type: 'INPUT_REQUIRED', ...why } as const, hidden: standalone },
      { body: received('r2', 'my key'), hidden: { guarded: { remarks: [], text: '[key]' } } },
      { body: received('r1', 'late'), hidden: null },
      { body: said, hidden: standalone },
      answer('Hm.', standalone),
    ];
    expect(messagesOf(joins)).toEqual([
      { role: 'assistant', content: 'Hm.' },
      { role: 'assistant', content: 'Why?' },
      { role: 'user', content: '[key]' },
      { role: 'assistant', content: 'Which?\n- a\n- b' },
      { role: 'user', content: expect.stringMatching(/^\[The user declined to answer/) },
      { role: 'assistant', content: 'Hm.' },
    ]);
    const repeated = answer('Hm.', standalone);
    expect(messagesOf([repeated, repeated])).toHaveLength(2);
    const asTool = joins.slice(0, 6).map(({ body }) => ({ body, hidden: null }));
    expect(messagesOf(asTool)).toEqual([]);
  });

  it('shows each change, and stays as it was for whoever has it already', () => {
    const conversation = new Conversation([{ role: 'user', content: 'Before' }]);
    const before = conversation.messages;
    conversation.add({ role: 'user', content: 'After' });
    expect(before).toHaveLength(1);
    expect(conversation.messages).toHaveLength(2);
    expect(conversation.messages).toBe(conversation.messages);
  });

  it('is valid for a provider whatever comes in which order (I8)', () => {
    const ids = fc.uniqueArray(fc.stringMatching(/^[a-z]{1,3}$/), { maxLength: 12 });
    const worlds = ids.chain((all) => {
      const id = fc.constantFrom('unknown', ...all);
      const turns = fc.array(fc.integer({ min: 0, max: 3 }), { maxLength: 8 }).map((sizes) => {
        const left = [...all];
        return sizes.map((size) => turn(assistant('text', ...left.splice(0, size))));
      });
      const others = fc.array(
        fc.oneof(
          fc.tuple(id, fc.string()).map(([of, output]) => result(of, output)),
          fc.string().map((text) => started(text)),
          fc.string().map((text) => answer(text, { standalone: true })),
          fc.string().map((text) => answer(text, null)),
          fc.constant(failedTurn()),
        ),
        { maxLength: 20 },
      );
      return fc.tuple(turns, others);
    });
    const shuffled = worlds.chain(([turns, others]) => {
      const all = [...turns, ...others];
      return fc.shuffledSubarray(all, { minLength: all.length });
    });
    fc.assert(
      fc.property(shuffled, (records) => {
        const conversation = new Conversation([]);
        for (const each of records) {
          conversation.apply(each);
          expect(checkConversation(conversation.messages)).toEqual([]);
        }
      }),
    );
  });
});
