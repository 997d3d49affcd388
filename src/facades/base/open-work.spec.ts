import type { StreamEvent } from '../../event-log/follow/stream-event.js';
import { OpenWork } from './open-work.js';

const ROOT = 'agent_1';
const CHILD = 'agent_2';

const event = (type: string, more: object = {}): StreamEvent =>
  ({ type, seq: 1, agent_id: ROOT, ...more }) as unknown as StreamEvent;
const call = (id: string, more: object = {}) => event('TOOL_CALL', { id, ...more });
const result = (id: string, more: object = {}) => event('TOOL_RESULT', { id, ...more });
const approval = (tool_call_id: string, more: object = {}) =>
  event('APPROVAL_REQUIRED', { tool_call_id, approval_id: `of ${tool_call_id}`, ...more });
const child = (more: object = {}) =>
  event('AGENT_STARTED', { agent_id: CHILD, parent_agent_id: ROOT, ...more });
const OF_CHILD = { agent_id: CHILD };

describe(OpenWork.name, () => {
  it.each([
    ['nothing but a start', [], false],
    ['a call that runs', [call('a')], false],
    ['a call that asks', [call('a'), approval('a')], true],
    ['a call that asks beside one that runs', [call('a'), call('b'), approval('a')], false],
    ['only the one that asks is left', [call('a'), call('b'), approval('a'), result('b')], true],
    [
      'an approved call that runs',
      [call('a'), approval('a'), event('APPROVED', { approval_id: 'of a' })],
      false,
    ],
    [
      'a tool of the client',
      [call('a'), event('TOOL_RESULT_REQUIRED', { tool_call_id: 'a', request_id: 'r' })],
      true,
    ],
    [
      'a tool of the client that has its result',
      [
        call('a'),
        event('TOOL_RESULT_REQUIRED', { tool_call_id: 'a', request_id: 'r' }),
        ...[result('a'), event('TURN_COMPLETED', { finish_reason: 'stop' })],
      ],
      false,
    ],
    [
      'an approval that its call does not wait for',
      [call('a'), approval('a'), result('a'), event('TURN_COMPLETED', { finish_reason: 'stop' })],
      true,
    ],
    ['a question of its own code', [event('INPUT_REQUIRED', { request_id: 'r' })], true],
    [
      'a question that is answered',
      [
        event('INPUT_REQUIRED', { request_id: 'r' }),
        event('INPUT_RECEIVED', { request_id: 'r', answer: 'x' }),
      ],
      false,
    ],
    ['a child that thinks', [call('a'), child({ tool_call_id: 'a' })], false],
    [
      'a child that asks',
      [call('a'), child({ tool_call_id: 'a' }), call('b', OF_CHILD), approval('b', OF_CHILD)],
      true,
    ],
    [
      'a child of its code that asks',
      [child(), call('b', OF_CHILD), approval('b', OF_CHILD)],
      true,
    ],
    [
      'a child that has ended',
      [child(), call('b', OF_CHILD), approval('b', OF_CHILD), event('AGENT_COMPLETED', OF_CHILD)],
      false,
    ],
    [
      'a call inside a tool that asks',
      [call('a'), call('b', { parent_tool_call_id: 'a' }), approval('b')],
      true,
    ],
  ])('with %s', (_, events, expected) => {
    const work = new OpenWork();
    for (const each of [event('INTERACTION_STARTED'), ...events]) work.take(each);
    expect(work.isBlocked).toBe(expected);
  });
});
