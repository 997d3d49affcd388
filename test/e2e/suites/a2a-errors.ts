import type { Servers } from '../servers.js';

interface RpcBody {
  readonly jsonrpc: string;
  readonly id: unknown;
  readonly error: { readonly code: number };
}

interface RestBody {
  readonly error: {
    readonly code: number;
    readonly status: string;
    readonly details: readonly { readonly reason: string }[];
  };
}

export function describeA2aErrors(servers: Servers): void {
  describe('The error of an A2A request', () => {
    servers.run({}, (server) => {
      it('is of JSON-RPC', async () => {
        const post = async (body: unknown, path = 'react', headers: object = {}) => {
          const response = await server.api.fetch(`/a2a/${path}`, {
            method: 'POST',
            headers: { 'content-type': 'application/json', ...headers },
            body: typeof body === 'string' ? body : JSON.stringify(body),
          });
          const { jsonrpc, id, error } = (await response.json()) as RpcBody;
          return [response.status, jsonrpc, id, error.code];
        };
        const call = (method: string, params: unknown = {}) => {
          return { jsonrpc: '2.0', id: 'x', method, params };
        };
        const old = { 'a2a-version': '0.3' };
        for (const [answer, body, path, headers] of [
          [[400, '2.0', null, -32700], '{"a":'],
          [[413, '2.0', null, -32602], ' '.repeat(4 * 1024 * 1024 + 1)],
          [[404, '2.0', null, -32600], call('GetTask'), 'none'],
          [[400, '2.0', null, -32009], call('GetTask'), 'react', old],
          [[200, '2.0', 'x', -32600], { ...call('GetTask'), jsonrpc: '1.0' }],
          [[400, '2.0', null, -32602], [call('GetTask')]],
          [[200, '2.0', null, -32600], { ...call('GetTask'), id: 'x'.repeat(257) }],
          [[200, '2.0', 'x', -32601], call('message/send')],
          [[200, '2.0', 'x', -32602], call('GetTask')],
          [[200, '2.0', 'x', -32602], call('GetTask', { id: 'a', tenant: 'b' })],
          [[200, '2.0', 'x', -32001], call('GetTask', { id: 'a' })],
          [[200, '2.0', 'x', -32007], call('GetExtendedAgentCard')],
          [[200, '2.0', 'x', -32003], call('ListTaskPushNotificationConfigs')],
        ] as const)
          expect([body, await post(body, path, headers)]).toEqual([body, answer]);
        expect((await post(call('GetTask'), 'react', { 'a2a-version': '1.1' }))[3]).toBe(-32602);
      });

      it('is that of Google’s APIs by REST', async () => {
        const ask = async (method: string, path: string, body?: unknown, headers: object = {}) => {
          const response = await server.api.fetch(`/a2a/react/${path}`, {
            method,
            headers: { 'content-type': 'application/a2a+json', ...headers },
            ...(body !== undefined && { body: JSON.stringify(body) }),
          });
          const { error } = (await response.json()) as RestBody;
          return [response.status, error.code, error.status, error.details[0]!.reason];
        };
        const sent = (parts: unknown, more: object = {}, configuration: object = {}) => {
          const given = { messageId: 'm', role: 'ROLE_USER', parts, ...more };
          return { message: given, configuration };
        };
        const text = [{ text: 'Hi' }];
        const invalid = [400, 400, 'INVALID_ARGUMENT', 'INVALID_PARAMS'];
        const unsupported = [400, 400, 'INVALID_ARGUMENT', 'CONTENT_TYPE_NOT_SUPPORTED'];
        const refused = (reason: string) => [400, 400, 'FAILED_PRECONDITION', reason];
        for (const [answer, method, path, body, headers] of [
          [[404, 404, 'NOT_FOUND', 'TASK_NOT_FOUND'], 'GET', 'tasks/int_1'],
          [[404, 404, 'NOT_FOUND', 'TASK_NOT_FOUND'], 'POST', 'tasks/a b:cancel'],
          [[404, 404, 'NOT_FOUND', 'TASK_NOT_FOUND'], 'GET', 'tasks/int_1:subscribe'],
          [[404, 404, 'NOT_FOUND', 'NOT_FOUND'], 'GET', 'nothing/at/all'],
          [refused('EXTENDED_AGENT_CARD_NOT_CONFIGURED'), 'GET', 'extendedAgentCard'],
          [refused('PUSH_NOTIFICATION_NOT_SUPPORTED'), 'GET', 'tasks/a/pushNotificationConfigs'],
          [refused('VERSION_NOT_SUPPORTED'), 'GET', 'tasks', undefined, { 'a2a-version': '2.0' }],
          [invalid, 'GET', 'tasks?pageSize=0'],
          [invalid, 'GET', 'tasks?pageToken=x'],
          [invalid, 'GET', 'tasks?statusTimestampAfter=x'],
          [invalid, 'POST', 'message:send', {}],
          [invalid, 'POST', 'message:send', sent([])],
          [invalid, 'POST', 'message:send', sent([{ text: ' ' }])],
          [invalid, 'POST', 'message:send', sent(text, { contextId: 'a b' })],
          [invalid, 'POST', 'message:send', sent(text, { role: 'ROLE_AGENT' })],
          [invalid, 'POST', 'message:send', sent([{ data: { approval_id: 'a' } }])],
          [invalid, 'POST', 'message:send', sent(Array.from({ length: 1_001 }, () => text[0]))],
          [unsupported, 'POST', 'message:send', sent([{ raw: 'AA==' }])],
          [unsupported, 'POST', 'message:stream', sent([...text, { url: 'https://a.example' }])],
          [
            unsupported,
            'POST',
            'message:send',
            sent(text, {}, { acceptedOutputModes: ['image/png'] }),
          ],
          [
            refused('PUSH_NOTIFICATION_NOT_SUPPORTED'),
            'POST',
            'message:send',
            sent(text, {}, { taskPushNotificationConfig: { url: 'https://a.example' } }),
          ],
          [
            [413, 413, 'INVALID_ARGUMENT', 'INVALID_PARAMS'],
            'POST',
            'message:send',
            sent([{ text: 'x'.repeat(1024 * 1024 + 1) }]),
          ],
        ] as const)
          expect([method, path, body, await ask(method, path, body, headers)]).toEqual([
            ...[method, path, body, answer],
          ]);
      });
    });
  });
}
