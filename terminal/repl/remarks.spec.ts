import { ParleyError } from '../../client/index.js';
import type { Connection } from '../../client/index.js';
import type { Desk } from './desk.js';
import { Remarks } from './remarks.js';

describe(Remarks.name, () => {
  const lost = (attempt: number, code = 'unreachable'): Connection => {
    const error = new ParleyError(0, code, 'No answer.');
    return { state: 'reconnecting', attempt, delay_ms: 1_000, error };
  };

  /** The remarks on the connections of a chat, one after the other. */
  function remarksOn(connections: readonly Connection[], found: string | undefined): string[] {
    const lines: string[] = [];
    const session: { id: string; lateNotes: []; connection?: Connection } = {
      ...{ id: 'chat_1', lateNotes: [] },
    };
    const client = { health: { ready: () => Promise.resolve({}) } };
    const say = (line: string) => void lines.push(line);
    const desk = { session, client, say } as unknown as Desk;
    const remarks = new Remarks(desk, { isFirst: false, isOwn: false, found });
    for (const connection of connections) {
      session.connection = connection;
      remarks.make();
    }
    return lines;
  }

  it('says how to go on without the server of another terminal, once each time', () => {
    const url = 'http://127.0.0.1:3000';
    const away = [1, 2, 3, 4, 5].map((attempt) => lost(attempt));
    const lines = remarksOn([...away, { state: 'live' }, ...away], url);
    expect(lines).toEqual(Array(2).fill(expect.stringContaining(`${url} has stopped`)));
    expect(lines[0]).toContain('parley chat --chat chat_1');
  });

  it('says nothing while it may come back, or where it was named or answers', () => {
    const url = 'http://127.0.0.1:3000';
    expect(remarksOn([lost(1), lost(2)], url)).toEqual([]);
    expect(remarksOn([lost(5)], undefined)).toEqual([]);
    expect(remarksOn([lost(5, 'shutting_down')], url)).toEqual([]);
  });

  it.each([
    ['nothing where there is nothing', {}, []],
    ['how to go on', { head: {} }, ['To go on with this chat: parley chat --chat c']],
    [
      'that an answer goes on',
      { isBusy: true },
      [
        'What is unfinished goes on at the next start. To go on with this chat: parley chat --chat c',
      ],
    ],
    ['a text that was not sent', { text: 'and\u001B[2J now' }, ['Not sent: and now']],
  ])('says at the end %s', (_, { text = '', ...session }: object & { text?: string }, expected) => {
    const lines: string[] = [];
    const say = (line: string) => void lines.push(line);
    const more = { background: { size: 0 }, draft: { text }, say };
    const desk = { session: { id: 'c', isBusy: false, ...session }, ...more } as unknown as Desk;
    new Remarks(desk, { isFirst: false, isOwn: true, found: undefined }).leave();
    expect(lines).toEqual(expected);
  });

  it('tells of a server that is too old, once', async () => {
    const lines: string[] = [];
    const client = { health: { ready: () => Promise.resolve({ version: '0.0.1' }) } };
    const desk = { client, say: (line: string) => lines.push(line) } as unknown as Desk;
    const remarks = new Remarks(desk, { isFirst: false, isOwn: false, found: undefined });
    await remarks.checkServer();
    await remarks.checkServer();
    expect(lines).toEqual([expect.stringContaining('has version 0.0.1')]);
  });
});
