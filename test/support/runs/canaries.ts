import { Person } from '../client/person.js';
import { script } from '../model/scripted-answers.js';
import type { TestServer } from '../server/test-server.js';

/** Text that must be nowhere in what is saved; it says where it was written. */
export const canary = (place: string): string => `CANARY-${place}`;
const calculate = { name: 'calculator', arguments: { expression: '6*7' } };
const ask = {
  name: 'ask_human',
  arguments: { question: canary('question'), options: [canary('option')] },
};
const deed = { name: 'deed', arguments: { what: canary('deed') } };
const clientCall = { name: 'client_tool', arguments: { of: canary('client-input') } };
const plan = {
  name: 'todo',
  arguments: { tasks: [{ title: canary('todo'), description: canary('todo-text') }] },
};

interface Everything {
  readonly interaction_id: string;
  readonly canaries: readonly string[];
}

export function ruleWith(text: string): Record<string, unknown> {
  const matcher = { type: 'command_prefix', prefixes: [text] };
  return { scope: 'global', decision: 'ask', matcher, description: `About ${text}` };
}

/** Writes a canary into each field that holds the text of a person or a model. */
export async function writeEverywhere({ api, fake }: TestServer): Promise<Everything> {
  const person = new Person(() => api);
  await api.post('/chats', {
    id: 'main',
    title: canary('title'),
    metadata: { [canary('metadata-key')]: canary('metadata') },
    settings: { system_prompt: canary('system-prompt') },
    messages: [{ role: 'user', content: canary('earlier') }],
  });
  await api.post('/tasks', {
    chat_id: 'main',
    title: canary('task'),
    description: canary('task-text'),
  });
  await api.post('/permissions/rules', ruleWith(canary('rule')));
  const following = await person.say('main', {
    user_message: script({
      ...{ thinking: canary('thinking'), text: canary('text') },
      calls: [calculate, ask, plan, deed, clientCall],
    }),
    metadata: { of: canary('message-metadata') },
    client_tools: [
      {
        name: 'client_tool',
        description: canary('client-tool'),
        input_schema: { type: 'object', properties: {} },
      },
    ],
  });
  const { of } = following;
  const { approval_id } = await following.record('APPROVAL_REQUIRED');
  const second = await following.record('APPROVAL_REQUIRED', 2);
  const { tool_call_id } = await following.record('TOOL_RESULT_REQUIRED');
  const { request_id, agent_id } = await following.record('INPUT_REQUIRED');
  const note = { user_comment: canary('note') };
  expect((await api.post(`/agents/${agent_id}/intervene`, note)).status).toBe(202);
  await person.reject(of, approval_id, { reason: canary('reason') });
  await person.approve(of, second.approval_id);
  await person.respond(of, request_id, canary('given'));
  const tool_output = canary('client-output');
  await person.toolResult(of, { tool_call_id, tool_output });
  await following.end();
  fake.reply({ text: [canary('answer')] });
  await api.say('main', canary('message'));
  fake.reply({ status: 400, body: { error: { message: canary('error') } } });
  await api.say('main', 'Fail.');
  const cancelled = await person.say('main', script({ calls: [ask] }));
  await cancelled.record('INPUT_REQUIRED');
  await person.cancel(cancelled.of, '?wait=true');
  const canaries = [
    ...['title', 'metadata', 'metadata-key', 'task', 'task-text', 'rule', 'thinking', 'text'],
    ...['answer', 'question', 'option', 'todo', 'todo-text', 'message-metadata', 'note', 'reason'],
    ...['given', 'message', 'deed', 'client-input', 'client-output', 'error'],
    ...['system-prompt', 'earlier'],
  ];
  return { interaction_id: of.id, canaries };
}

/** All that clients can read, but the times of what is not over. */
export async function readEverything({ api }: TestServer, all: Everything): Promise<string> {
  const paths = [
    '/chats/main?state=all',
    '/chats',
    '/tasks?chat_id=main',
    '/permissions/rules',
    '/requests?chat_id=main&status=all',
    '/agents/tree?chat_id=main',
  ];
  const replies: string[] = [];
  for (const path of paths) {
    const { status, body } = await api.get(path);
    expect([path, status]).toEqual([path, 200]);
    replies.push(JSON.stringify(body));
  }
  const events = await api.follow({ chat_id: 'main', id: all.interaction_id });
  const log = await fetch(`${api.url}/chats/main/log`);
  return [...replies, JSON.stringify(events.records), await log.text()].join('\n');
}
