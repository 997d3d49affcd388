import type { ArchivedInteraction } from '../../../src/persistence/chat-archive.js';
import { LOCAL } from '../../support/store/chat-parts.js';
import fc from 'fast-check';
import { MAX_LINE } from '../../../src/chats/session-log/ndjson.js';
import type { OpenStore } from '../../e2e/stores.js';
import { IMAGES, pngOf } from '../../support/tools/images.js';
import { GENERATED_LOG } from './generated-log.js';
import { SessionLogWorld, linesOf, toLog, withoutIds } from './session-log-world.js';
import { FILES } from '../../e2e/stores.js';

type Lines = ReturnType<typeof linesOf>;

/** Two interactions, each with a turn that calls a tool, and at least 8 records in the first. */
const LOG = fc.sample(
  GENERATED_LOG.filter((log) => {
    const lines = linesOf(log);
    const interactions = lines.filter(({ type }) => type === 'interaction');
    const called = lines.filter(({ body }) => body?.type === 'TOOL_CALL');
    return interactions.length === 2 && interactions[0]!['last_seq'] >= 8 && called.length > 1;
  }),
  { numRuns: 1, seed: 11 },
)[0]!;

describe('A session log with faults', () => {
  let opened: OpenStore;
  let world: SessionLogWorld;
  beforeAll(async () => {
    opened = await FILES.open();
    world = new SessionLogWorld(opened.stores);
  });
  afterAll(() => opened.close());

  const listAll = async (chatId: string): Promise<ArchivedInteraction[]> => {
    const { chats, archive } = opened.stores;
    return archive.listInteractions((await chats.findChat(chatId, LOCAL))!.uid, { limit: 9 });
  };

  it.each<[string, (log: string) => string | Buffer]>([
    ['a byte order mark', (log) => `\ufeff${log}`],
    ['line ends of Windows', (log) => log.replaceAll('\n', '\r\n')],
    ['UTF-16 of PowerShell', (log) => Buffer.from(`\ufeff${log}`, 'utf16le')],
    ['big-endian UTF-16', (log) => Buffer.from(`\ufeff${log}`, 'utf16le').swap16()],
    ['blank lines', (log) => log.replaceAll('\n', '\n\n  \n')],
    ['no line end at its end', (log) => log.trimEnd()],
    [
      'line separators that JSON allows',
      (log) => log.replace('"title":', '"note":"\u2028\u2029\u0085","title":'),
    ],
  ])('means the same with %s', async (_what, change) => {
    const { chat_id, report } = await world.import(change(LOG));
    expect(report.problems).toEqual([]);
    const plain = await world.import(LOG);
    const exported = withoutIds(await world.export(chat_id));
    expect(exported).toBe(withoutIds(await world.export(plain.chat_id)));
  });

  it('has no chat of the future, which RETENTION_DAYS would never remove', async () => {
    const before = Date.now();
    const future = '9999-12-31T00:00:00.000Z';
    const lines = linesOf(LOG).map((line) =>
      line.type === 'chat' ? { ...line, created_at: future, updated_at: future } : line,
    );
    const { chat_id } = await world.import(toLog(lines));
    const { created_at, updated_at } = (await opened.stores.chats.findChat(chat_id, LOCAL))!;
    for (const time of [created_at, updated_at]) {
      expect(Date.parse(time)).toBeGreaterThanOrEqual(before);
      expect(Date.parse(time)).toBeLessThanOrEqual(Date.now());
    }
  });

  it.each<[string, (lines: Lines) => (object | string)[], number, RegExp]>([
    ['a garbage line', (lines) => lines.toSpliced(2, 0, '}{' as never), 3, /not valid JSON/],
    [
      'a line that is no object',
      (lines) => lines.toSpliced(2, 0, '[1]' as never),
      3,
      /not a JSON object/,
    ],
    ['a line of an unknown type', (lines) => lines.toSpliced(2, 0, { type: 'odd' }), 3, /type/],
    [
      'a newer version',
      (lines) => lines.with(0, { type: 'session_log', version: 2 }),
      1,
      /version 2/,
    ],
    ['a record twice', (lines) => lines.toSpliced(5, 0, lines[4]!), 6, /is here already/],
    ['an interaction twice', (lines) => lines.toSpliced(-1, 0, lines[2]!), -1, /is here already/],
    ['something after its end', (lines) => [...lines, { type: 'end' }], -0, /after the end/],
    [
      'a line that is nested deeply',
      (lines) => lines.toSpliced(2, 0, deep() as never),
      3,
      /nested/,
    ],
    ['a line that is too long', (lines) => lines.toSpliced(2, 0, long() as never), 3, /too long/],
    [
      'a line of very many values',
      (lines) => lines.toSpliced(2, 0, many() as never),
      3,
      /more than 100000 values/,
    ],
    [
      'a number that would be changed',
      (lines) => lines.toSpliced(2, 0, '{"type":"odd","id":1234567890123456789}' as never),
      3,
      /has the number 1234567890123456789/,
    ],
    ['a second chat', (lines) => lines.toSpliced(2, 0, lines[1]!), 3, /chat already/],
  ])('is imported but for %s', async (_what, change, line, message) => {
    const lines = change(linesOf(LOG));
    const text = lines.map((each) => (typeof each === 'string' ? each : JSON.stringify(each)));
    const { chat_id, report } = await world.import(`${text.join('\n')}\n`);
    const at = line > 0 ? line : lines.length + line;
    expect(report.problems).toEqual([{ line: at, message: expect.stringMatching(message) }]);
    expect(report).toMatchObject({ interactions: 2, records: recordsIn(LOG) });
    expect(await world.findFaults(chat_id)).toEqual([]);
  });

  it('has no cost that is too large to be summed', async () => {
    const lines = linesOf(LOG).map((line) =>
      line.type === 'interaction'
        ? { ...line, usage: { ...line['usage'], cost_usd: 1e308 } }
        : line,
    );
    const { report } = await world.import(toLog(lines));
    expect(report).toMatchObject({ interactions: 0 });
    expect(report.problems[0]!.message).toMatch(/usage\.cost_usd/);
  });

  it('takes records that are out of order', async () => {
    const lines = linesOf(LOG);
    const mixed = [...lines.slice(0, 4), lines[6]!, lines[5]!, lines[4]!, ...lines.slice(7)];
    const { report } = await world.import(toLog(mixed));
    expect(report).toEqual({ interactions: 2, records: recordsIn(LOG), problems: [] });
  });

  it('keeps no more of what is out of order than fits into memory', async () => {
    const lines = linesOf(LOG);
    const late = lines.findIndex(({ type, seq }) => type === 'record' && seq === 3);
    const [record] = lines.splice(late, 1);
    const long = { ...record!, body: { ...record!['body'] } };
    const early = Array.from({ length: 5 }, (_, i) => ({
      ...long,
      ...{ seq: 100 + i, hidden: { text: 'x'.repeat(1_000_000) } },
    }));
    const { report } = await world.import(toLog(lines.toSpliced(late, 0, ...early)));
    const refused = report.problems.filter(({ message }) => /^Record 10\d follows/.test(message));
    expect(refused[0]).toEqual({
      line: late + 5,
      message: 'Record 104 follows no record 3.',
    });
  });

  it('is imported while no other is', async () => {
    const [first, second] = await Promise.allSettled([world.import(LOG), world.import(LOG)]);
    expect(first.status).toBe('fulfilled');
    expect(second).toMatchObject({ status: 'rejected', reason: { code: 'import_busy' } });
    expect((await world.import(LOG)).report.problems).toEqual([]);
    await expect(world.import('odd')).rejects.toMatchObject({ code: 'nothing_to_import' });
    expect((await world.import(LOG)).report.problems).toEqual([]);
  });

  it('counts up to a gap, and ends there as cancelled', async () => {
    const lines = linesOf(LOG);
    const first = lines[2]!;
    const { chat_id, report } = await world.import(toLog(lines.toSpliced(6, 1)));
    const lost = first['last_seq'] - 4;
    expect(report.problems).toHaveLength(lost + lostRequests(lines, 4));
    expect(report.problems[0]).toEqual({ line: 7, message: 'Record 5 follows no record 4.' });
    const [row] = await listAll(chat_id);
    expect(row).toMatchObject({ status: 'CANCELLED', error: null });
    const records = await opened.stores.records.readRecords(row!.id, { after: 3, limit: 99 });
    expect(records.map(({ body }) => body.type).slice(-2)).toEqual([
      'CANCELLED',
      'INTERACTION_COMPLETE',
    ]);
    expect(await world.findFaults(chat_id)).toEqual([]);
  });

  it('says where it was cut', async () => {
    const { report } = await world.import(LOG.slice(0, LOG.lastIndexOf('{"type":"end"')));
    expect(report.problems).toEqual([
      { line: linesOf(LOG).length - 1, message: expect.stringMatching(/cut off/) },
    ]);
  });

  it('tells a hundred problems, and how many more there are', async () => {
    const { report } = await world.import(`${LOG}${'odd\n'.repeat(1_000)}`);
    expect(report.problems).toHaveLength(101);
    expect(report.problems.at(-1)!.message).toContain('900 more');
  });

  it.each([
    '',
    '\n\n',
    'odd',
    '{"type":"end"}',
    '{"type":"session_log","version":1}\n',
    '\0\ufffd',
  ])('is refused when it holds no chat: %j', async (log) => {
    await expect(world.import(log)).rejects.toMatchObject({ code: 'nothing_to_import' });
  });

  it('is not read any further after ten thousand problems', async () => {
    const [version, chat, ...rest] = LOG.split('\n');
    const odd = Array<string>(10_001).fill('odd');
    const { report } = await world.import([version, chat, ...odd, ...rest].join('\n'));
    expect(report).toMatchObject({ interactions: 0 });
  });

  it('makes a chat of an interaction alone', async () => {
    const lines = linesOf(LOG).filter(({ type }) => type === 'interaction');
    const { chat_id, report } = await world.import(toLog(lines));
    expect(report.interactions).toBe(2);
    const chat = await opened.stores.chats.findChat(chat_id, LOCAL);
    expect(chat).toMatchObject({ title: null, head_interaction_id: expect.any(String) });
    expect(await world.findFaults(chat_id)).toEqual([]);
  });

  it('can neither name what is ours nor change what its records say of themselves', async () => {
    const mine = await world.import(LOG);
    const ours = (await listAll(mine.chat_id))[0]!;
    const lines = linesOf(LOG);
    const forged = lines.map((line) => {
      if (line['type'] === 'interaction' && line['parent_id'] === null)
        return { ...line, parent_id: ours.id, edited_from: ours.id, chat_id: mine.chat_id };
      if (line['type'] !== 'record') return line;
      const body = { ...line['body'], seq: 99, interaction_id: ours.id, chat_id: mine.chat_id };
      return { ...line, body, epoch: 2 ** 31 - 2 };
    });
    const { chat_id, report } = await world.import(toLog(forged));
    expect(report.problems.length).toBeGreaterThan(0);
    const text = await world.export(chat_id);
    expect(text).not.toContain(ours.id);
    expect(text).not.toContain(mine.chat_id);
    expect(text).not.toContain('"seq":99');
    expect(await world.findFaults(chat_id)).toEqual([]);
  });

  it.each([
    ['that claims to be another kind', { media_type: 'image/gif', data: IMAGES.png }],
    ['that is none', { media_type: 'image/png', data: 'AAAA' }],
    ['that is not complete', { media_type: 'image/png', data: IMAGES.png.slice(0, 60) }],
    ['with more than base64', { media_type: 'image/png', data: `${IMAGES.png} "}` }],
    ['that is too large', { media_type: 'image/png', data: pngOf(2 ** 21).toString('base64') }],
    ['of a kind that nobody shows', { media_type: 'image/svg+xml', data: IMAGES.png }],
  ])('takes no image of a tool %s', async (_what, image) => {
    const lines = linesOf(LOG);
    const at = lines.findIndex(({ body }) => body?.type === 'TOOL_RESULT');
    const shown = { ...lines[at]!, hidden: { images: [image] } };
    const { chat_id, report } = await world.import(toLog(lines.with(at, shown as never)));
    expect(report.problems[0]).toEqual({
      line: at + 1,
      message: expect.stringMatching(/hidden\.images\.0/),
    });
    expect(await world.findFaults(chat_id)).toEqual([]);
  });

  it.each<[string, object]>([
    ['hides what only a turn hides', { hidden: { message: { tool_calls: 7 } } }],
    ['is of an agent that never began', { agent_id: 'agent_nobody' }],
    ['ends an agent that never began', { body: { type: 'AGENT_COMPLETED', status: 'error' } }],
    ['has no agent', { agent_id: null }],
    ['has a step without a name', { body: { type: 'STEP_COMPLETED' } }],
    ['begins the interaction again', { body: linesOf(LOG)[3]!['body'] }],
    ['has the time of no clock', { at: '0000-01-01T00:00:00.000Z' }],
    ['has a key that no database keeps', { key: 'main/\0' }],
  ])('does no harm with a record that %s', async (_what, change) => {
    const lines = linesOf(LOG).map((line) =>
      line['type'] === 'record' && line['seq'] === 3 ? { ...line, ...change } : line,
    );
    const { chat_id } = await world.import(toLog(lines));
    expect(await world.findFaults(chat_id)).toEqual([]);
  });

  it('does not touch prototypes', async () => {
    const poison = '{"__proto__":{"odd":1},"deep":{"__proto__":{"odd":1}},';
    const { chat_id } = await world.import(LOG.replace('"metadata":{', `"metadata":${poison}`));
    const chat = await opened.stores.chats.findChat(chat_id, LOCAL);
    expect(chat!.metadata).toHaveProperty('deep', {});
    expect(JSON.stringify(chat!.metadata)).not.toContain('odd');
    expect(({} as Record<string, unknown>)['odd']).toBeUndefined();
  });

  it('cannot make interactions go on from each other in a circle', async () => {
    const lines = linesOf(LOG);
    const [first, second] = lines.filter(({ type }) => type === 'interaction');
    const circle = lines.map((line) =>
      line === first
        ? { ...line, parent_id: second!['id'] }
        : line === second
          ? { ...line, parent_id: first!['id'] }
          : line,
    );
    const { chat_id, report } = await world.import(toLog(circle));
    expect(report.problems).toHaveLength(1);
    const rows = await listAll(chat_id);
    expect(rows.map(({ parent_id }) => parent_id)).toEqual([null, rows[0]!.id]);
  });

  it.each(['RUNNING', 'WAITING_APPROVAL', 'WAITING_INPUT', 'QUEUED'])(
    'ends what is %s',
    async (status) => {
      const lines = linesOf(LOG);
      const open = lines
        .filter(({ body }) => body?.type !== 'INTERACTION_COMPLETE')
        .map((line) =>
          line['type'] === 'interaction'
            ? { ...line, status, completed_at: null }
            : line['type'] === 'request'
              ? { ...line, status: 'pending', settlement: null, settled_at: null }
              : line,
        );
      const { chat_id, report } = await world.import(toLog(open));
      expect(report.problems).toEqual([]);
      const rows = await listAll(chat_id);
      expect(rows.map((row) => row.status)).toEqual(['CANCELLED', 'CANCELLED']);
      expect(await world.findFaults(chat_id)).toEqual([]);
    },
  );
});

function recordsIn(log: string): number {
  return linesOf(log).filter(({ type }) => type === 'record').length;
}

/** Requests of the first interaction whose record comes after `seq`. */
function lostRequests(lines: Lines, seq: number): number {
  const { id } = lines[2]!;
  const lost = lines.filter(
    ({ type, interaction_id, body, ...line }) =>
      type === 'record' &&
      interaction_id === id &&
      body.type === 'INPUT_REQUIRED' &&
      line['seq'] >= seq,
  );
  return lost.length;
}

function deep(): string {
  return `{"type":"odd","a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
}

function many(): string {
  return `{"type":"odd","a":[${'{},'.repeat(600_000)}{}]}`;
}

function long(): string {
  return `{"type":"odd","a":"${'a'.repeat(MAX_LINE)}"}`;
}
