import type { OpenAPIObject } from '@nestjs/swagger';
import { operationsOf } from '../../../src/http/openapi/openapi-operations.js';
import { script } from '../../support/model/scripted-answers.js';
import type { Servers } from '../servers.js';
import { withPeople } from '../with-people.js';

const CHAT = 'chat_123';
const DOOR = { name: 'open_door', description: 'Opens it.', input_schema: { type: 'object' } };

/**
 * Keys need a server with AUTH=keys, uploads are forms, and audio needs an endpoint: the suites
 * auth-keys, uploads, audio and answer-speech.
 */
const ELSEWHERE = [
  'keys_create',
  'files_upload',
  'audio_transcribe',
  'audio_speak',
  'speech_speak',
];

export function describeExamples(servers: Servers): void {
  describe('The example of each request body', () => {
    withPeople(
      servers,
      {},
      (server, person) => {
        /** What the examples take for granted, as members of the path and the body. */
        const makers: Readonly<Record<string, () => Promise<Readonly<Record<string, string>>>>> = {
          interactions_edit: async () => {
            const reader = await server.api.say(CHAT, 'Hi');
            return { interaction_id: reader.records[0]!.interaction_id };
          },
          interventions_intervene: async () => {
            const asked = await person.say('steered', asking('ask_human', { question: 'Why?' }));
            return { agent_id: (await asked.record('INPUT_REQUIRED')).agent_id };
          },
          decisions_approve: () => approvalIn('asks'),
          decisions_previewRule: () => approvalIn('previews'),
          decisions_respond: async () => {
            const asked = await person.say('questions', asking('ask_human', { question: 'Why?' }));
            const { request_id } = await asked.record('INPUT_REQUIRED');
            return { chat_id: 'questions', interaction_id: asked.of.id, request_id };
          },
          decisions_toolResult: async () => {
            const asked = await person.say('doors', {
              user_message: asking('open_door', {}),
              client_tools: [DOOR],
            });
            const { tool_call_id } = await asked.record('TOOL_RESULT_REQUIRED');
            return { chat_id: 'doors', interaction_id: asked.of.id, tool_call_id };
          },
          queued_change: async () => {
            const busy = await person.say('busy', asking('ask_human', { question: 'Why?' }));
            await busy.record('INPUT_REQUIRED');
            const queued = await person.say('busy', { user_message: 'B', on_conflict: 'enqueue' });
            return { chat_id: 'busy', interaction_id: queued.of.id };
          },
          tasks_change: async () => ({
            id: (await server.api.post('/tasks', { chat_id: CHAT, title: 'Look' })).body.id,
          }),
        };
        const approvalIn = async (chat_id: string) => {
          const asked = await person.say(chat_id, asking('calculator', { expression: '1' }));
          const { approval_id } = await asked.record('APPROVAL_REQUIRED');
          return { chat_id, interaction_id: asked.of.id, approval_id };
        };
        const asking = (name: string, input: object) =>
          script({ calls: [{ name, arguments: input }] });

        it('succeeds as it stands', async () => {
          expect((await server.api.post('/chats', { id: CHAT })).status).toBe(201);
          const document = (await server.api.get('/docs-json')).body as OpenAPIObject;
          const failed: unknown[] = [];
          for (const [path, item] of Object.entries(document.paths))
            for (const method of ['post', 'put', 'patch'] as const) {
              const { operationId = '', requestBody } = item[method] ?? {};
              if (!requestBody || !('content' in requestBody)) continue;
              if (ELSEWHERE.includes(operationId)) continue;
              const [type, { examples, schema, ...json }] = Object.entries(requestBody.content)[0]!;
              const [first] = Object.values(examples ?? { own: { value: json.example } });
              const made = { chat_id: CHAT, ...(await makers[operationId]?.()) };
              const body =
                type === 'application/json'
                  ? fill(first && 'value' in first ? first.value : undefined, made)
                  : String(schema && 'example' in schema ? schema.example : '');
              const url = path.replaceAll(/\{(\w+)\}/g, (all, name: string) =>
                name in made ? String((made as Record<string, string>)[name]) : all,
              );
              const headers = { 'content-type': type, accept: 'application/json' };
              const reply = await server.api.send(method.toUpperCase(), url, { body, headers });
              if (reply.status >= 300) failed.push([operationId, method, url, body, reply.body]);
              if (reply.body.status === 'RUNNING') await server.api.follow(reply.body);
            }
          expect(failed).toEqual([]);
          const names = operationsOf(document).map(({ operationId }) => operationId);
          expect(new Set(names).size).toBe(names.length);
        });
      },
      { isOwn: true },
    );
  });
}

/** With what was made for this run in the place of ids that an example makes up. */
function fill(example: unknown, made: object): Record<string, unknown> {
  const entries = Object.entries(example as object);
  return Object.fromEntries(
    entries.map(([name, value]) => [
      name,
      name in made ? (made as Record<string, unknown>)[name] : value,
    ]),
  );
}
