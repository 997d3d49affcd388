import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Cluster } from '../support/server/cluster.js';
import type { ClusterMember } from '../support/server/cluster-member.js';
import type { EventReader } from '../support/client/event-reader.js';
import { eventually } from '../support/eventually.js';
import type { ChatBody } from '../support/model/fake-model.js';
import type { FakeTurn } from '../support/model/fake-openai-turn.js';
import { Following } from '../support/store/following.js';
import { Gate } from '../support/gate.js';
import { findPostgresFault } from '../support/store/databases.js';
import { findRedisServerFault } from '../support/store/redis-server.js';
import { Roaming } from '../support/client/roaming.js';
import { playScript, script } from '../support/model/scripted-answers.js';
import { tellsOfStop } from '../support/server/tells-of-stop.js';
import type { FileInfo } from '../../src/protocol/wire/file.js';
import type { Interaction } from '../../src/protocol/wire/interaction.js';

/** How long Redis stays away. */
const AWAY_MS = 10_000;
/** Runs that may work at once in each worker. */
const SLOTS = 6;
const HALF = 'Half 🦜';
const RULES = { deed: 'allow', note: 'allow', guarded: 'ask' };

const fault = (await findPostgresFault()) ?? findRedisServerFault();

(fault ? describe.skip : describe)('Two API processes and two workers', () => {
  let cluster: Cluster;
  let chats = 0;

  beforeAll(async () => {
    cluster = await Cluster.start({ MAX_CONCURRENT_RUNS: String(SLOTS) });
    cluster.fake.otherwise(playScript);
    for (const [pattern, decision] of Object.entries(RULES)) {
      const rule = { scope: 'global', decision, matcher: { type: 'tool', pattern } };
      expect(await cluster.api.post('/permissions/rules', rule)).toMatchObject({ status: 201 });
    }
  });
  afterAll(() => cluster?.close());
  afterEach(() => expect(cluster.fake.violations).toEqual([]));

  /**
   * Interactions that have done a deed and are in the middle of what they say then; those that say
   * it again don't wait.
   */
  const halfWay = async (count: number) => {
    const gate = new Gate();
    const deeds = Array.from({ length: count }, () => `halfway-${chats++}`);
    const waited = new Set<string>();
    cluster.fake.otherwise((body) => {
      const deed = deeds.find((each) => userMessage(body) === each);
      if (deed === undefined) return playScript(body);
      if (!hasResult(body)) return { calls: [call('deed', deed)] };
      if (waited.has(deed)) return { text: 'Whole.' };
      waited.add(deed);
      return { text: [HALF, gate, ' and half.'] };
    });
    const [one, other] = cluster.apis;
    const all = await Promise.all(
      deeds.map((deed, n) => cluster.apis[n % 2]!.api.begin(deed, deed)),
    );
    const readers = all.map((of, n) => new Following((n % 2 ? one : other).api, of));
    const isHalf = ({ reader }: Following): boolean => reader.openText === HALF;
    await eventually(() => readers.every(isHalf));
    return { gate, all, readers, deeds };
  };

  /** Of these, which each member runs. */
  const shares = async (
    all: readonly Interaction[],
  ): Promise<Map<ClusterMember, Interaction[]>> => {
    const found = new Map<ClusterMember, Interaction[]>();
    for (const of of all) {
      const worker = (await cluster.workerOf(of))!;
      found.set(worker, [...(found.get(worker) ?? []), of]);
    }
    return found;
  };

  const expectWhole = (reader: EventReader): void => {
    expect(reader.faults).toEqual([]);
    expect(reader.records.at(-1)).toMatchObject({ status: 'COMPLETED' });
  };

  const expectDoneOnce = async (deeds: readonly string[]): Promise<void> => {
    const begun = (await cluster.effects.list()).filter(({ phase }) => phase === 'begin');
    for (const deed of deeds)
      expect(begun.filter(({ input }) => input.token === deed)).toHaveLength(1);
  };

  it('have the same files, whichever of them took them', async () => {
    const [one, other] = cluster.apis;
    const chat = `files-${chats++}`;
    await one.api.post('/chats', { id: chat });
    const form = new FormData();
    form.set('chat_id', chat);
    form.set('file', new Blob(['Remember 42.']), 'note.txt');
    const { id } = (await one.api.send('POST', '/files', { form })).body as FileInfo;
    const contents = [one, other].map(({ api }) => api.get(`/files/${id}/content`));
    for (const { status, body } of await Promise.all(contents))
      expect([status, body]).toEqual([200, 'Remember 42.']);
    const path = 'answer.txt';
    const write = { name: 'write', arguments: { path, content: 'Forty-two.' } };
    const save = { name: 'file_save', arguments: { path } };
    const steps = [{ calls: [write] }, { calls: [save] }, { text: 'Saved.' }];
    cluster.fake.otherwise(() => steps.shift()!);
    const reader = await other.api.say(chat, {
      ...{ user_message: 'Answer.', file_ids: [id], approval_mode: 'auto' },
    });
    expectWhole(reader);
    cluster.fake.otherwise(playScript);
    const { interaction_id } = reader.find('INTERACTION_STARTED')!;
    const of = { chat_id: chat, id: interaction_id };
    const { final_agent_state } = await one.api.interaction(of);
    expect(JSON.stringify(final_agent_state)).toContain('Remember 42.');
    const { items } = (await one.api.get(`/files?chat_id=${chat}`)).body;
    const saved = items.find(({ filename }: FileInfo) => filename === path) as FileInfo;
    for (const { api } of cluster.apis)
      expect((await api.get(`/files/${saved.id}/content`)).body).toBe('Forty-two.');
  });

  it('refuse a process with a folder of files of its own', async () => {
    const FILES_DIR = await mkdtemp(join(tmpdir(), 'parley-own-files-'));
    try {
      await expect(cluster.startAnother({ ROLE: 'worker', FILES_DIR })).rejects.toThrow(
        `FILES_DIR ${FILES_DIR} is not the folder that has the files of this server`,
      );
    } finally {
      await rm(FILES_DIR, { recursive: true, force: true });
    }
  });

  it('go on with what a killed worker ran, once its lease is over, and do nothing twice (I3, I4)', async () => {
    const { gate, all, readers, deeds } = await halfWay(6);
    const shared = await shares(all);
    const [victim, lost] = [...shared].toSorted(([, a], [, b]) => b.length - a.length)[0]!;
    await victim.kill('SIGKILL');
    const isLost = ({ of }: Following): boolean => lost.some(({ id }) => id === of.id);
    await Promise.all(readers.filter(isLost).map((reader) => reader.record('RESUMED')));
    gate.open();
    for (const following of readers) {
      const reader = await following.end();
      expectWhole(reader);
      expect(reader.list('RESUMED')).toHaveLength(isLost(following) ? 1 : 0);
    }
    await expectDoneOnce(deeds);
    await victim.start();
  });

  it('go on with the tools of a killed worker as each may be (I4)', async () => {
    const token = `midway-${chats++}`;
    const calls = [call('deed', token, 60_000), call('note', token, 4_000)];
    const following = await Following.start(cluster.api, token, script({ calls }, { text: 'On.' }));
    const begun = async (): Promise<string[]> => {
      const effects = await cluster.effects.list();
      const own = effects.filter(({ phase, input }) => phase === 'begin' && input.token === token);
      return own.map(({ tool }) => tool).toSorted();
    };
    await eventually(async () => (await begun()).length === 2);
    const victim = (await cluster.workerOf(following.of))!;
    await victim.kill('SIGKILL');
    const reader = await following.end();
    expectWhole(reader);
    expect(await begun()).toEqual(['deed', 'note', 'note']);
    const outputOf = (name: string) =>
      reader.list('TOOL_RESULT').find(({ tool_name }) => tool_name === name);
    expect(outputOf('deed')).toMatchObject({
      is_error: true,
      tool_output: expect.stringMatching(/unknown/),
    });
    expect(outputOf('note')).toMatchObject({ is_error: false, tool_output: `Left ${token}.` });
    await victim.start();
  });

  it('let a reader of a killed API process go on at the other, exactly where it stood (I2)', async () => {
    const { gate, all, deeds } = await halfWay(1);
    const of = all[0]!;
    const [one, other] = cluster.apis;
    const following = new Following(one.api, of);
    await eventually(() => following.reader.openText === HALF);
    await one.kill('SIGKILL');
    expect(await following.closed()).toBe('broken');
    const seen = following.frames.length;
    await following.resume(other.api);
    gate.open();
    const reader = await following.end();
    expectWhole(reader);
    expect(reader.types).not.toContain('RESUMED');
    expect(following.frames[seen]!.data).toMatchObject({ type: 'TEXT_DELTA', offset: HALF.length });
    await expectDoneOnce(deeds);
    await one.start();
  });

  it('go on without a worker that is cut off from Postgres; it says no word of it, and works again later (I6)', async () => {
    const { gate, all, readers, deeds } = await halfWay(4);
    const [split, lost] = [...(await shares(all))][0]!;
    split.postgres.silence();
    const isLost = ({ of }: Following): boolean => lost.some(({ id }) => id === of.id);
    await Promise.all(readers.filter(isLost).map((reader) => reader.record('RESUMED')));
    gate.open(); // the model goes on for the one that is cut off, too
    for (const following of readers) {
      const reader = await following.end();
      expectWhole(reader);
      const content = isLost(following) ? 'Whole.' : `${HALF} and half.`;
      expect(reader.find('ANSWER')).toMatchObject({ content });
    }
    for (const { id } of lost) await eventually(() => tellsOfStop(split.output, id));
    await split.postgres.cut();
    await split.postgres.restore();
    await cluster.untilReadiness(split, 'ok');
    for (const { of, reader } of readers) {
      const again = await cluster.api.follow(of);
      expect(JSON.stringify(again.records)).toBe(JSON.stringify(reader.records));
    }
    await expectDoneOnce(deeds);
    const later = await halfWay(SLOTS + 1); // more than one has room for
    expect((await shares(later.all)).has(split)).toBe(true);
    later.gate.open();
    for (const following of later.readers) expectWhole(await following.end());
  });

  it('show everything while a worker, and an API process, is cut off from Redis', async () => {
    const { gate, all, readers } = await halfWay(4);
    const [worker] = [...(await shares(all)).keys()];
    const [one] = cluster.apis;
    await Promise.all([worker!.redis.cut(), one.redis.cut()]);
    await cluster.untilReadiness(one, 'degraded');
    const begun = await one.api.begin(`cut-${chats++}`, 'Hello?');
    gate.open();
    for (const following of readers) expectWhole(await following.end());
    expectWhole(await one.api.follow(begun));
    await Promise.all([worker!.redis.restore(), one.redis.restore()]);
    for (const member of [worker!, one]) await cluster.untilReadiness(member, 'ok');
  });

  it('lose nothing when Redis forgets everything in the middle of streams and of what is queued', async () => {
    const { gate, all, readers, deeds } = await halfWay(2 * SLOTS);
    const queued = [`waits-${chats++}`, `waits-${chats++}`, all[0]!.chat_id].map((chat) =>
      cluster.api.begin(chat, { user_message: 'And now?', on_conflict: 'enqueue' }),
    );
    const waiting = await Promise.all(queued);
    await cluster.redis.stop();
    const during = await cluster.apis[1].api.begin(`forgotten-${chats++}`, 'Hello?');
    await cluster.redis.start();
    for (const member of cluster.members) await cluster.untilReadiness(member, 'ok');
    const late = all.map((of, n) => new Following(cluster.apis[n % 2]!.api, of));
    await eventually(() => late.every(({ reader }) => reader.openText === HALF));
    gate.open();
    for (const following of [...readers, ...late]) {
      const reader = await following.end();
      expectWhole(reader);
      expect(reader.types).not.toContain('RESUMED');
    }
    for (const of of [...waiting, during]) expectWhole(await cluster.api.follow(of));
    await expectDoneOnce(deeds);
  });

  it('say on what they say while Redis is away for ten seconds (I2)', async () => {
    const pieces = Array.from({ length: 20 }, (_, n) => ({ gate: new Gate(), text: ` ${n} 🦜` }));
    const text = pieces.flatMap(({ gate, text: piece }) => [gate, piece]);
    cluster.fake.otherwise(() => ({ text: ['So:', ...text] }));
    const [one, other] = cluster.apis;
    const token = `away-${chats++}`;
    const begun = await one.api.begin(token, 'Go');
    const readers = [one, other].map(({ api }) => new Following(api, begun));
    await eventually(() => readers.every(({ reader }) => reader.openText === 'So:'));
    await cluster.redis.stop();
    for (const { gate } of pieces.slice(0, -1)) {
      gate.open();
      await delay(AWAY_MS / pieces.length);
    }
    await cluster.redis.start();
    const said = pieces.slice(0, -1).map((piece) => piece.text);
    const soFar = ['So:', ...said].join('');
    await eventually(() => readers.every(({ reader }) => reader.openText === soFar));
    pieces.at(-1)!.gate.open();
    for (const following of readers) expectWhole(await following.end());
    cluster.fake.otherwise(playScript);
    for (const member of cluster.members) await cluster.untilReadiness(member, 'ok');
  });

  it('work without Redis, say so, and do better when it is back', async () => {
    await cluster.redis.stop();
    for (const member of cluster.members) await cluster.untilReadiness(member, 'degraded');
    const token = `without-${chats++}`;
    const alone = await cluster.apis[1].api.say(token, script({ calls: [call('deed', token)] }));
    expectWhole(alone);
    expect(alone.list('NOTICE').map(({ code }) => code)).toContain('live_bus_unavailable');
    await expectDoneOnce([token]);
    await cluster.redis.start();
    for (const member of cluster.members) await cluster.untilReadiness(member, 'ok');
    expectWhole(await cluster.api.say(`with-${chats++}`, 'Hello?'));
  });

  it('are restarted one after the other under load, and nobody notices', async () => {
    const client = new Roaming(() => cluster.apis.map(({ api }) => api));
    const people = new AbortController();
    const approving = client.approveAll(people.signal);
    const deeds: string[] = [];
    const reading: Promise<EventReader>[] = [];
    let isOver = false;
    const load = (async () => {
      while (!isOver || deeds.length < 30) {
        const token = `rolling-${chats++}`;
        deeds.push(token);
        const of = await client.begin(token, asks(token));
        reading.push(client.follow(of));
        if (deeds.length % 4 === 0) await Promise.race(reading.slice(-4));
      }
    })();
    for (const member of cluster.members) {
      expect(await member.kill('SIGTERM')).toEqual({ code: 0, signal: null });
      await member.start();
    }
    isOver = true;
    await load;
    const all = await Promise.all(reading);
    for (const reader of all) {
      expectWhole(reader);
      expect(reader.list('TOOL_RESULT')).toHaveLength(2);
    }
    people.abort();
    await approving;
    const effects = await cluster.effects.list();
    for (const reader of all)
      for (const { tool_output, is_error, id } of reader.list('TOOL_RESULT')) {
        const { tool_input } = reader.list('TOOL_CALL').find((each) => each.id === id)!;
        const { token } = JSON.parse(tool_input) as { token: string };
        const phases = effects.filter(({ input }) => input.token === token);
        // What ran when its worker was told to stop was stopped, and the model knows.
        if (is_error) expect(tool_output).toMatch(/server (was )?stop/);
        else expect(phases.map(({ phase }) => phase)).toEqual(['begin', 'end']);
        expect(phases.filter(({ phase }) => phase === 'begin').length).toBeLessThanOrEqual(1);
      }
  });

  it('show two readers the same bytes, whenever and wherever they come', async () => {
    const { gate, all } = await halfWay(1);
    const rawOf = async ({ api }: ClusterMember): Promise<string> => {
      const { chat_id, id } = all[0]!;
      const response = await fetch(`${api.url}/chats/${chat_id}/interactions/${id}/events`);
      return recordLines(await response.text());
    };
    const reading = cluster.apis.map(rawOf);
    await eventually(async () => (await streamsOf(cluster)) >= 3);
    gate.open();
    const [first, second] = await Promise.all(reading);
    expect(first).toContain('"INTERACTION_COMPLETE"');
    expect(second).toBe(first);
    for (const member of cluster.apis) expect(await rawOf(member)).toBe(first);
  });

  it('keep nothing in Redis of what has ended', async () => {
    await eventually(async () => (await cluster.leftovers()).length === 0).catch(() => {});
    expect(await cluster.leftovers()).toEqual([]);
  });
});

/**
 * A user message on which the model does something, asks whether it may do something else, and is
 * done.
 */
function asks(token: string): string {
  return script(
    { calls: [call('deed', token)] },
    { calls: [call('guarded', `${token}-guarded`)] },
    { text: 'Done, all of it.' },
  );
}

function call(name: string, token: string, ms = 20): NonNullable<FakeTurn['calls']>[number] {
  return { name, arguments: { token, ms } };
}

function userMessage({ messages }: ChatBody): unknown {
  return messages.findLast(({ role }: ChatBody) => role === 'user')?.content;
}

function hasResult({ messages }: ChatBody): boolean {
  return messages.at(-1).role === 'tool';
}

/**
 * The records of a stream as they came, without the cursors, which say how far what is between them
 * was.
 */
function recordLines(stream: string): string {
  return stream
    .split('\n')
    .filter((line) => line.startsWith('data: ') && line.includes('"seq":'))
    .join('\n');
}

async function streamsOf({ apis }: Cluster): Promise<number> {
  const texts = await Promise.all(apis.map(async ({ api }) => (await api.get('/metrics')).body));
  const counts = texts.map((text) => Number(/^parley_streams (\d+)$/m.exec(String(text))![1]));
  return counts[0]! + counts[1]!;
}
