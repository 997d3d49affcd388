import { ParleyError } from '../../client/index.js';
import type { Problem } from '../../client/index.js';
import { UsageError } from '../commands/usage-error.js';
import { clientFor, explain } from './connect.js';

function explained(status: number, code: string, detail: string, more: object = {}): string {
  return explain(new ParleyError(status, code, detail, more as Problem & typeof more));
}

describe(clientFor.name, () => {
  it.each(['', 'nonsense', 'ftp://x.example', 'file:///etc/passwd', 'javascript:1'])(
    'takes %j for no address, and says what one looks like',
    (url) => {
      expect(() => clientFor(url, undefined)).toThrow(UsageError);
      expect(() => clientFor(url, undefined)).toThrow(/http:\/\/127\.0\.0\.1:3000/);
    },
  );

  it('neither takes nor shows a password in an address', () => {
    const refused = (): unknown => clientFor('http://ann:secret@x.example', undefined);
    expect(refused).toThrow(/^Give the key with --key/);
    expect(refused).not.toThrow(/secret/);
  });

  it('takes http and https', () => {
    for (const url of ['http://127.0.0.1:1', 'https://x.example/parley'])
      expect(clientFor(url, 'a')).toBeDefined();
  });
});

describe(explain.name, () => {
  it('says that a key is not known, why, and how to give another', () => {
    const detail = 'This server accepts: keys. Send "Authorization: Bearer <key or token>".';
    expect(explained(401, 'invalid_credential', detail)).toBe(
      'The server does not know this key or token; it may be wrong, deleted or expired. ' +
        'It says: This server accepts: keys. ' +
        'Give another with --key or PARLEY_KEY; docs/auth.md says how to make one.',
    );
    expect(explained(401, 'unauthenticated', 'A credential is needed.')).toMatch(
      /^The server needs a key or token\. Give one with --key /,
    );
  });

  it('names the command that lists chats', () => {
    const detail = 'There is no chat a. GET /chats lists those there are.';
    expect(explained(404, 'chat_not_found', detail)).toBe(
      'There is no chat a. parley chats lists those there are.',
    );
  });

  it('does not repeat what the reason says already, and lists the rest', () => {
    const agent = { field: 'agent', message: 'There is no agent "nobody".' };
    const budget = { field: 'budget', message: 'must be an object' };
    const text = explained(400, 'unknown_agent', agent.message, { errors: [agent, budget] });
    expect(text).toBe(`${agent.message}\n  ${JSON.stringify(budget)}`);
  });

  it('says what to do with a prompt that is too long', () => {
    const text = explained(413, 'body_too_large', 'The body is larger.', { limit: 1_048_576 });
    expect(text).toMatch(/^The prompt is too long: a request takes at most 1 MiB\. .*@FILE/);
  });
});
