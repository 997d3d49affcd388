/**
 * The log of a chat whose one interaction has many calls, of one turn.
 * @param output characters of the result of each
 */
export function longLog({ calls, output }: { calls: number; output: number }): string {
  const at = '2026-01-15T10:00:00.000Z';
  const [id, agent_id] = ['int_1', 'agent_1'];
  const each = Array.from({ length: calls }, (_, n) => ({ id: `c${n}`, tool_name: 'look' }));
  const message = {
    ...{ role: 'assistant', content: null },
    tool_calls: each.map((call) => {
      return { id: call.id, type: 'function', function: { name: 'look', arguments: '{}' } };
    }),
  };
  const usage = { input_tokens: 1, output_tokens: 1 };
  const turn = { type: 'TURN_COMPLETED', model: 'demo/script', usage, duration_ms: 1 };
  const result = { type: 'TOOL_RESULT', tool_output: 'x'.repeat(output), is_error: false };
  const started = {
    ...{ type: 'INTERACTION_STARTED', chat_id: 'c', user_message: 'Hi', parent_id: null },
    ...{ agent: 'react', model: 'demo/script', by: { kind: 'user', user_id: 'ann' } },
  };
  const bodies: [object, object?][] = [
    [started],
    ...each.map((call, n): [object] => [
      { type: 'TOOL_CALL', ...call, block_id: `1b${n}`, tool_input: '{}' },
    ]),
    [
      { ...turn, finish_reason: 'tool_calls' },
      { in_conversation: true, message },
    ],
    ...each.map((call): [object] => [{ ...result, ...call, duration_ms: 1 }]),
    [{ type: 'ANSWER', block_id: '2b0', content: 'Done.' }],
    [{ type: 'INTERACTION_COMPLETE', status: 'COMPLETED' }],
  ];
  const interaction = {
    ...{ type: 'interaction', id, agent_id, parent_id: null, status: 'COMPLETED' },
    ...{ user_message: 'Hi', agent: 'react', model: 'demo/script', usage, error: null },
    ...{ edited_from: null, superseded_at: null, begun: true },
    ...{ created_at: at, completed_at: at, last_seq: bodies.length, epoch: 1, metadata: {} },
    settings: {
      max_iterations: 25,
      on_disconnect: 'continue',
      approval_mode: 'ask',
      client_tools: [],
    },
  };
  const records = bodies.map(([body, hidden = null], n) => {
    const about = { interaction_id: id, agent_id, seq: n + 1, epoch: 1, at, key: `main/${n}` };
    return { type: 'record', ...about, body, hidden };
  });
  const chat = {
    ...{ type: 'chat', id: 'c', title: 'Long', preview: null, agent: null, settings: {} },
    ...{ head_interaction_id: id, created_at: at, updated_at: at, metadata: {} },
  };
  const lines = [{ type: 'session_log', version: 1 }, chat, interaction, ...records];
  return lines.map((line) => JSON.stringify(line)).join('\n');
}
