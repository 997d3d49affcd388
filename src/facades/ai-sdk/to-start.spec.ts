import { decides, readRequest, versionOf } from './to-start.js';

const text = (id: string, said: string, role = 'user') => {
  return { id, role, parts: [{ type: 'text', text: said }] };
};
const answer = (parts: object[], metadata?: object) => {
  return { id: 'int_1', role: 'assistant', parts, ...(metadata && { metadata }) };
};
const approved = { type: 'tool-bash', toolCallId: 'c1', state: 'approval-responded' };

describe(readRequest.name, () => {
  it('reads a message with what is before it, and the options beside it', () => {
    const messages = [text('u1', 'One'), answer([]), text('u2', 'Two')];
    const body = { id: 'chat_1', messages, trigger: 'submit-message', agent: 'coder', odd: 1 };
    expect(readRequest(body)).toMatchObject({
      ...{ kind: 'message', chat_id: 'chat_1', user_message: 'Two', isEdit: false },
      ...{ history: [{ id: 'u1' }, { id: 'int_1' }], options: { agent: 'coder' } },
    });
    expect(readRequest({ id: 'chat_1', message: text('u2', 'Two') })).toMatchObject({
      ...{ kind: 'message', user_message: 'Two', history: [] },
    });
  });

  it('refuses more parts and longer texts than it can read at once', () => {
    const parts = Array.from({ length: 20_000 }, () => ({ type: 'text', text: 'a' }));
    const request = (...messages: object[]) => ({ id: 'chat_1', messages });
    const many = request({ id: 'u1', role: 'user', parts });
    expect(() => readRequest(many)).toThrow('20000 messages and parts');
    expect(decides(many)).toBe(false);
    const few = request({ id: 'u1', role: 'user', parts: parts.slice(1) });
    expect(readRequest(few)).toMatchObject({ kind: 'message' });
    const long = request(text('u1', 'x'.repeat(1_048_577)));
    expect(() => readRequest(long)).toThrow('1048576 characters');
  });

  it('takes uploaded files by their addresses', () => {
    const url = 'https://parley.example/files/file_0199c0de-0000/content?x=1';
    const parts = [{ type: 'file', mediaType: 'text/plain', filename: 'a.txt', url }];
    const message = { id: 'u1', role: 'user', parts };
    expect(readRequest({ id: 'chat_1', messages: [message] })).toMatchObject({
      ...{ user_message: 'a.txt', options: { file_ids: ['file_0199c0de-0000'] } },
    });
  });

  it('reads decisions of the answer that goes on, and where the client stands', () => {
    const parts = [
      { ...approved, approval: { id: 'a1', approved: false, reason: 'No.' } },
      { type: 'data-approval', data: { approval_id: 'a2', approved: true } },
      { type: 'data-approval', data: { approval_id: 'a3', approved: null } },
      { type: 'tool-door', toolCallId: 'c2', state: 'output-available', output: { ok: true } },
      { type: 'tool-ask_human', toolCallId: 'c3', state: 'output-error', errorText: 'No.' },
      {
        ...approved,
        toolCallId: 'c4',
        state: 'output-available',
        output: 'x',
        providerExecuted: true,
      },
    ];
    const messages = [text('u1', 'One'), answer(parts, { parley: { seq: 7 } })];
    const approvals = [{ approval_id: 'a4', approved: true }];
    expect(readRequest({ id: 'chat_1', messages, approvals })).toEqual({
      ...{ kind: 'continuation', chat_id: 'chat_1', interaction_id: 'int_1', seq: 7 },
      verdicts: [
        { approval_id: 'a1', approved: false, reason: 'No.' },
        { approval_id: 'a2', approved: true },
        { approval_id: 'a4', approved: true },
      ],
      outputs: [
        { tool_call_id: 'c2', text: '{"ok":true}', is_error: false },
        { tool_call_id: 'c3', text: 'No.', is_error: true },
      ],
    });
  });

  it('goes on with an earlier answer that the client names', () => {
    const messages = [text('u1', 'One'), answer([]), text('u2', 'Two')];
    expect(readRequest({ id: 'chat_1', messages, messageId: 'int_1' })).toMatchObject({
      ...{ kind: 'continuation', interaction_id: 'int_1' },
    });
  });
});

describe(decides.name, () => {
  it.each([
    [false, { id: 'c', messages: [text('u1', 'Hi')] }],
    [true, { id: 'c', messages: [text('u1', 'Hi')], approval_mode: 'auto' }],
    [
      true,
      { id: 'c', messages: [answer([{ ...approved, approval: { id: 'a', approved: true } }])] },
    ],
    [true, { id: 'c', messages: [answer([])], approvals: [{}] }],
    [false, { id: 'c', messages: [answer([])] }],
    [false, { id: 'not an id' }],
    [false, null],
  ])('is %s of %j', (expected, body) => {
    expect(decides(body)).toBe(expected);
  });
});

describe(versionOf.name, () => {
  it('takes the query before the header, and 6 by default', () => {
    expect(versionOf('7', '5.0.277')).toBe(7);
    expect(versionOf(undefined, '5.0.277')).toBe(5);
    expect(versionOf(undefined, undefined)).toBe(6);
    for (const bad of ['4', 'seven', ' '])
      expect(() => versionOf(bad, undefined)).toThrow('5, 6, 7');
  });
});
