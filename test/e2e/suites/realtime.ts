import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { RealtimeSockets } from '../../../src/realtime/realtime-sockets.js';
import { RealtimeClient } from '../../support/client/realtime-client.js';
import { eventually } from '../../support/eventually.js';
import { Gate } from '../../support/gate.js';
import { FakeAudio, json } from '../../support/model/fake-audio.js';
import type { AudioHandler } from '../../support/model/fake-audio.js';
import { silence, tone } from '../../support/model/pcm.js';
import { script } from '../../support/model/scripted-answers.js';
import type { ServerUnderTest, Servers } from '../servers.js';
import { WITH_KEYS, makeKey } from '../with-keys.js';
import { withPeople } from '../with-people.js';

const END = ['CANCELLED', 'INTERACTION_COMPLETE'];
const ANSWER = 'First sentence. Second sentence. Third sentence.';

/** What the audio endpoint hears and speaks. */
class Voices {
  transcripts: string[] = [];
  /** Of each sentence. */
  speech_ms = 200;
  spoken: string[] = [];

  constructor(readonly fake: FakeAudio) {}

  hears(...transcripts: readonly string[]): void {
    this.transcripts.push(...transcripts);
  }

  readonly answer: AudioHandler = (request, response) => {
    if (request.path.endsWith('/transcriptions'))
      return json({ text: this.transcripts.shift() ?? 'Hello.' })(request, response);
    this.spoken.push(String(request.fields['input']));
    response.writeHead(200, { 'content-type': 'audio/pcm' });
    return void response.end(tone(this.speech_ms));
  };
}

export function describeRealtime(servers: Servers): void {
  describe('Realtime', () => {
    let voices: Voices;
    const env: Record<string, string> = {};
    beforeAll(async () => {
      voices = new Voices(await FakeAudio.start());
      voices.fake.otherwise(voices.answer);
      env['AUDIO_API_KEY'] = 'sk-audio';
      env['AUDIO_BASE_URL'] = voices.fake.baseUrl;
    });
    afterAll(() => voices.fake.stop());
    beforeEach(() => {
      voices.speech_ms = 200;
      voices.spoken = [];
      voices.transcripts = [];
    });
    withPeople(
      servers,
      env,
      (server, person) => {
        const open = async (chat: string) => {
          await server.api.post('/chats', { id: chat });
          const client = await RealtimeClient.open(server.api.url, chat);
          client.send({ type: 'start' });
          return client;
        };
        testTurns(server, open, () => voices);
        testInterruptions(server, open, () => voices);
        testOddInput(server, open, () => voices);

        it('waits for approvals as every client does', async () => {
          const client = await open('realtime-approval');
          await server.api.post('/permissions/rules', {
            ...{ scope: 'session', scope_id: 'realtime-approval', decision: 'ask' },
            matcher: { type: 'tool', pattern: 'calculator' },
          });
          voices.hears(
            script(
              { calls: [{ name: 'calculator', arguments: { expression: '6*7' } }] },
              { text: 'Done.' },
            ),
          );
          client.say(tone(400));
          client.endUtterance();
          const { event } = await client.until('APPROVAL_REQUIRED');
          const of = { chat_id: 'realtime-approval', id: String(event!['interaction_id']) };
          await person.reject(of, String(event!['approval_id']));
          await client.until('REJECTED');
          await client.until('audio_done');
          expect(voices.spoken).toEqual(['Done.']);
          await client.until('INTERACTION_COMPLETE');
          await client.close();
        });
      },
      { isOwn: true },
    );
  });
  describe('The upgrade to realtime', () => {
    const env = { ...WITH_KEYS, HEARTBEAT_MS: '2000', MODEL: 'demo/script' };
    servers.run(env, testUpgrade, { isOwn: true });
  });
}

type Open = (chat: string) => Promise<RealtimeClient>;

function testTurns(server: ServerUnderTest, open: Open, voicesOf: () => Voices): void {
  it('hears an utterance, answers it, and speaks the answer sentence by sentence', async () => {
    const voices = voicesOf();
    const client = await open('realtime');
    voices.hears(script({ text: ANSWER }));
    client.say(silence(200), tone(500));
    client.endUtterance();
    await client.until('audio_done');
    const complete = await client.until('INTERACTION_COMPLETE');
    expect(complete.event).toMatchObject({ status: 'COMPLETED' });
    expect(voices.spoken).toEqual(['First sentence.', 'Second sentence.', 'Third sentence.']);
    expect(client.audioSince()).toBe(600);
    expect(client.heard.find(({ type }) => type === 'speech_started')).toMatchObject({
      audio_ms: 200,
    });
    const order = ['speech_started', 'speech_stopped', 'INTERACTION_STARTED', 'TEXT_DELTA'];
    const seen = [...order, 'audio', 'audio_done', 'INTERACTION_COMPLETE'];
    const places = seen.map((type) => client.types.indexOf(type));
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect(client.types.filter((type) => type === 'error')).toEqual([]);
    const heard = voices.fake.requests.find(({ path }) => path.endsWith('/transcriptions'))!;
    expect(heard.file!.bytes.toString('latin1', 0, 4)).toBe('RIFF');
    await client.close();
  });

  it('answers what was committed, also where it was too quiet to be speech', async () => {
    const voices = voicesOf();
    const client = await open('realtime-commit');
    voices.hears('Quiet.', 'Loud.');
    client.say(silence(300));
    client.send({ type: 'commit' });
    await client.until('audio_done');
    await client.until('INTERACTION_COMPLETE');
    const from = client.heard.length;
    client.say(tone(300));
    client.send({ type: 'commit' });
    await client.until('speech_stopped', from);
    await client.until('INTERACTION_COMPLETE', from);
    const said = client.heard.filter(({ event }) => event?.type === 'INTERACTION_STARTED');
    expect(said.map(({ event }) => event!['user_message'])).toEqual(['Quiet.', 'Loud.']);
    client.send({ type: 'commit' }); // nothing
    await client.close();
  });

  it('starts nothing where nothing was understood', async () => {
    const client = await open('realtime-empty');
    voicesOf().hears(' ', 'Now.');
    client.say(tone(300));
    client.endUtterance();
    await client.until('speech_stopped');
    client.say(tone(300));
    client.endUtterance();
    const { event } = await client.until('INTERACTION_STARTED');
    expect(event).toMatchObject({ user_message: 'Now.' });
    await client.until('INTERACTION_COMPLETE');
    await client.close();
  });

  it('goes on after a connection that broke, from its last cursor', async () => {
    const voices = voicesOf();
    const first = await open('realtime-again');
    const gate = new Gate();
    server.fake.reply({ text: ['Half. W', gate, 'hole.'] });
    voices.hears('Go.');
    first.say(tone(300));
    first.endUtterance();
    await gate.reached;
    await first.until('audio');
    first.ws.terminate();
    await first.untilClosed();
    const { cursor } = first.heard.findLast(({ type }) => type === 'event')!;
    const second = await RealtimeClient.open(server.api.url, 'realtime-again');
    second.send({ type: 'start', after: cursor });
    gate.open();
    const { event } = await second.until('ANSWER');
    expect(event).toMatchObject({ content: 'Half. Whole.' });
    expect(event).not.toHaveProperty('partial');
    await second.until('INTERACTION_COMPLETE');
    expect(second.types).not.toContain('INTERACTION_STARTED');
    await second.close();
  });

  it('keeps the transcripts and answers in the log, and no audio', async () => {
    const client = await open('realtime-log');
    voicesOf().hears('What was said.');
    client.say(tone(300));
    client.endUtterance();
    await client.until('INTERACTION_COMPLETE');
    const log = await text((await server.api.fetch('/chats/realtime-log/log')).body!);
    expect(log).toContain('What was said.');
    expect(log.length).toBeLessThan(10_000);
    await client.close();
  });
}

function testInterruptions(server: ServerUnderTest, open: Open, voicesOf: () => Voices): void {
  const answering = async (client: RealtimeClient, speech_ms: number) => {
    const voices = voicesOf();
    voices.speech_ms = speech_ms;
    voices.hears(script({ text: ANSWER }), 'And now?');
    client.say(tone(400));
    client.endUtterance();
    await client.until('ANSWER');
    await client.until('audio');
    const { event } = await client.until('INTERACTION_STARTED');
    return String(event!['interaction_id']);
  };
  const messagesOf = async (chat_id: string, id: string) =>
    (await server.api.interaction({ chat_id, id })).final_agent_state!.messages;

  it('is silent at once when the user speaks, and keeps what was heard', async () => {
    const client = await open('realtime-barge');
    const id = await answering(client, 20_000);
    const before = client.heard.length;
    client.say(tone(400));
    await client.until('speech_started', before);
    const after = client.heard.findIndex(({ type }, n) => n >= before && type === 'speech_started');
    const { event } = await client.until('ANSWER', after);
    expect(event).toMatchObject({ content: 'First sentence.', partial: true });
    expect(event!['heard_ms']).toBeGreaterThan(0);
    expect(event!['heard_ms']).toBeLessThan(20_000);
    await client.until('CANCELLED', after);
    await client.until('INTERACTION_COMPLETE', after);
    expect(client.audioSince(after)).toBe(0);
    expect(client.types.slice(after).filter((type) => END.includes(type))).toEqual(END);
    expect((await messagesOf('realtime-barge', id)).at(-1)).toEqual({
      role: 'assistant',
      content: 'First sentence.',
    });
    voicesOf().speech_ms = 100;
    client.endUtterance();
    await client.until(
      'INTERACTION_COMPLETE',
      after,
      ({ event: end }) => end!['status'] === 'COMPLETED',
    );
    const asked = server.fake.requests.at(-1)!.body['messages'] as readonly object[];
    expect(asked.slice(1)).toEqual([
      { role: 'assistant', content: 'First sentence.' },
      { role: 'user', content: 'And now?' },
    ]);
    await client.close();
  });

  it.each([
    [1, 1, 'First sentence.'],
    [3_000, 3_000, 'First sentence.'],
    [4_500, 4_500, 'First sentence. Second sentence.'],
    [0, 0, ''],
  ])('keeps what a client played until %i ms', async (audio_end_ms, heard_ms, content) => {
    const chat = `realtime-truncate-${audio_end_ms}`;
    const client = await open(chat);
    const id = await answering(client, 3_000);
    await eventually(() => client.audioSince() >= 6_000);
    const from = client.heard.length;
    client.send({ type: 'interrupt' });
    client.send({ type: 'truncate', audio_end_ms });
    const { event } = await client.until('ANSWER', from);
    expect(event).toMatchObject({ content, partial: true, heard_ms });
    await client.until('INTERACTION_COMPLETE', from);
    const last = (await messagesOf(chat, id)).at(-1)!;
    expect(last.role === 'assistant' ? last.content : '').toBe(content);
    client.send({ type: 'truncate', audio_end_ms });
    expect(await client.until('error', from)).toMatchObject({ code: 'not_speaking' });
    await client.close();
  });

  it('stops an answer that is still being written', async () => {
    const client = await open('realtime-writing');
    const gate = new Gate();
    server.fake.reply({ text: ['One. Two', gate, ' three.'] });
    voicesOf().hears('Go.');
    client.say(tone(300));
    client.endUtterance();
    await gate.reached;
    await client.until('audio');
    client.send({ type: 'interrupt' });
    client.send({ type: 'truncate', audio_end_ms: 1 }); // it may come before anything was played
    const { event } = await client.until('ANSWER');
    expect(event).toMatchObject({ content: 'One.', partial: true });
    await client.until('CANCELLED');
    gate.open();
    await client.until('INTERACTION_COMPLETE');
    await client.close();
  });

  it('does not answer what was interrupted before it was understood', async () => {
    const voices = voicesOf();
    const client = await open('realtime-unheard');
    const gate = new Gate();
    voices.fake.reply(async (request, response) => {
      await gate.pass();
      return json({ text: 'First.' })(request, response);
    });
    client.say(tone(300));
    client.endUtterance();
    await gate.reached;
    client.send({ type: 'interrupt' });
    client.send({ type: 'unknown' });
    await client.until('error'); // both were taken
    gate.open();
    voices.hears('Second.');
    client.say(tone(300));
    client.endUtterance();
    const { event } = await client.until('INTERACTION_STARTED');
    expect(event).toMatchObject({ user_message: 'Second.' });
    await client.until('INTERACTION_COMPLETE');
    await client.close();
  });

  it('falls silent when another client cancels the answer', async () => {
    const voices = voicesOf();
    const client = await open('realtime-cancelled');
    voices.speech_ms = 60_000;
    voices.hears(script({ text: ANSWER }));
    client.say(tone(300));
    client.endUtterance();
    await client.until('audio');
    const { event } = await client.until('ANSWER');
    await server.api.post(
      `/chats/realtime-cancelled/interactions/${String(event!['interaction_id'])}/cancel`,
    );
    await client.until('audio_done');
    await client.until('INTERACTION_COMPLETE', 0, (it) => it.event!['status'] === 'CANCELLED');
    expect(voices.spoken).toEqual(['First sentence.']);
    await client.close();
  });

  it('is not interrupted by speech before it answers', async () => {
    const client = await open('realtime-thinking');
    const gate = new Gate();
    server.fake.reply({ text: [gate, 'Done.'] });
    voicesOf().hears('Go.', '');
    client.say(tone(300));
    client.endUtterance();
    await gate.reached;
    const from = client.heard.length;
    client.say(tone(300));
    client.endUtterance();
    await client.until('speech_stopped', from);
    gate.open();
    const { event } = await client.until('INTERACTION_COMPLETE');
    expect(event).toMatchObject({ status: 'COMPLETED' });
    await client.close();
  });
}

function testOddInput(server: ServerUnderTest, open: Open, voicesOf: () => Voices): void {
  it.each([
    ['no JSON', 'invalid_message'],
    ['[]', 'invalid_message'],
    ['null', 'invalid_message'],
    ['{"type":"dance"}', 'invalid_message'],
    ['{"type":"truncate","audio_end_ms":"x"}', 'invalid_message'],
    ['{"type":"truncate","audio_end_ms":5}', 'not_speaking'],
    ['{"type":"start","agent":"nobody"}', 'unknown_agent'],
    [`{"type":"start","voice":"${'x'.repeat(20_000)}"}`, 'invalid_message'],
    ['['.repeat(16_000), 'invalid_message'],
  ])('answers %.40s with an error, and goes on', async (message, code) => {
    const client = await open('realtime-odd');
    client.ws.send(message);
    expect(await client.until('error')).toMatchObject({ code });
    client.ws.send(Buffer.alloc(3));
    expect(await client.until('error', 0, (e) => e['code'] === 'odd_audio')).toBeDefined();
    expect(client.closed).toBeUndefined();
    await client.close();
  });

  it('says that a cursor is of another chat', async () => {
    const client = await RealtimeClient.open(server.api.url, 'realtime-odd');
    client.send({ type: 'start', after: 'int_other/5' });
    expect(await client.until('error')).toMatchObject({ code: 'invalid_cursor' });
    await client.close();
  });

  it('closes on a message of more than a megabyte', async () => {
    const client = await open('realtime-giant');
    client.ws.send(Buffer.alloc(1024 * 1024 + 2));
    expect(await client.untilClosed()).toMatchObject({ code: 1009 });
  });

  it('makes utterances of noise that does not end', async () => {
    const client = await open('realtime-noise');
    for (let second = 0; second < 70; second += 10) client.ws.send(tone(10_000));
    await client.until('speech_stopped');
    await client.until('INTERACTION_STARTED');
    await client.close();
  });

  it('tells of an endpoint that fails, and hears the next utterance', async () => {
    const { fake } = voicesOf();
    const client = await open('realtime-failing');
    fake.reply(json({ error: { message: 'Wrong key.' } }, 401));
    client.say(tone(300));
    client.endUtterance();
    expect(await client.until('error')).toMatchObject({ code: 'model_auth' });
    client.say(tone(300));
    client.endUtterance();
    await client.until('INTERACTION_COMPLETE');
    await client.close();
  });

  it.each([
    ['a page', 'text/html', '<html>Sorry.</html>'],
    ['nothing', 'audio/pcm', ''],
  ])('tells of an endpoint that speaks %s', async (what, type, body) => {
    const { fake } = voicesOf();
    const client = await open(`realtime-speaks-${what.replace(' ', '-')}`);
    fake.reply(json({ text: 'Hello.' }), (_, response) => {
      response.writeHead(200, { 'content-type': type }).end(body);
    });
    client.say(tone(300));
    client.endUtterance();
    expect(await client.until('error')).toMatchObject({ code: 'model_bad_response' });
    await client.until('INTERACTION_COMPLETE');
    expect(client.audioSince()).toBe(0);
    await client.close();
  });

  it('closes on a flood of messages', async () => {
    const client = await open('realtime-flood');
    for (let n = 0; n < 1_000; n++) client.ws.send('bad');
    expect(await client.untilClosed()).toMatchObject({ code: 1008, reason: 'too_many_messages' });
  });

  it('drops utterances beyond those that wait for an endpoint that stalls', async () => {
    const { fake } = voicesOf();
    const client = await open('realtime-stalled');
    const gate = new Gate();
    fake.reply(async (request, response) => {
      await gate.pass();
      return json({ text: '' })(request, response);
    });
    for (let n = 0; n < 5; n++) {
      client.say(tone(300));
      client.endUtterance();
    }
    expect(await client.until('error')).toMatchObject({ code: 'too_many_utterances' });
    await gate.reached;
    gate.open();
    await client.until('INTERACTION_STARTED');
    await client.close();
  });

  it('disconnects a client that never reads', async () => {
    const client = await open('realtime-deaf');
    client.ws.pause();
    const closed = once(client.ws, 'close');
    const isOpen = (): boolean => client.ws.readyState === client.ws.OPEN;
    for (let n = 0; n < 400_000 && isOpen(); n++) {
      client.ws.send('{"type":"dance"}');
      if (n % 1_000 === 0) await new Promise(setImmediate);
    }
    client.ws.resume();
    await closed;
  });
}

function testUpgrade(server: ServerUnderTest): void {
  const path = '/chats/mine/realtime';
  const opened: RealtimeClient[] = [];
  let key: string;
  const bearing = (credential: string) => ({ headers: { authorization: `Bearer ${credential}` } });
  const sockets = () => server.getAll(RealtimeSockets).reduce((sum, { count }) => sum + count, 0);

  beforeAll(async () => {
    ({ key } = await makeKey(server.api, ['chat']));
    await server.api.bearing(key).post('/chats', { id: 'mine' });
  });
  afterEach(async () => {
    for (const client of opened.splice(0)) client.ws.terminate();
    await eventually(() => sockets() === 0);
  });
  const open = async (options: Parameters<typeof RealtimeClient.open>[2] = bearing(key)) => {
    const client = await RealtimeClient.open(server.api.url, 'mine', options);
    opened.push(client);
    return client;
  };
  const refused = (options = {}, at = path) => RealtimeClient.refused(server.api.url, at, options);

  it('takes a key in the header', async () => {
    const client = await open();
    expect(client.ws.protocol).toBe('');
  });

  it('takes a key as a protocol, and answers with the other', async () => {
    const token = Buffer.from(key).toString('base64url');
    const client = await open({ protocols: ['parley.realtime', `parley.bearer.${token}`] });
    expect(client.ws.protocol).toBe('parley.realtime');
  });

  it('refuses callers without a key, with a wrong one, and with two', async () => {
    for (const options of [
      {},
      bearing('parley_wrong'),
      { protocols: ['parley.realtime', 'parley.bearer.AAAA'] },
      { protocols: [`parley.bearer.${Buffer.from(key).toString('base64url')}`], ...bearing(key) },
    ])
      expect(await refused(options)).toMatchObject({
        status: 401,
        headers: { 'content-type': expect.stringContaining('application/problem+json') },
        body: { status: 401, type: expect.stringMatching(/unauthenticated|invalid_credential/) },
      });
  });

  it('refuses a key without the scope', async () => {
    const { key: other } = await makeKey(server.api, ['operate']);
    const { status, body } = await refused(bearing(other));
    expect([status, body['type']]).toEqual([403, '/problems/missing_scope']);
  });

  it('hides the chat from others, as if it were not there', async () => {
    const { key: bob } = await makeKey(server.api, ['chat'], { user_id: 'bob' });
    const hidden = await refused(bearing(bob));
    const none = await refused(bearing(key), '/chats/none/realtime');
    for (const { status, body } of [hidden, none])
      expect([status, body['type']]).toEqual([404, '/problems/chat_not_found']);
    const same = JSON.stringify(none.body).replaceAll('none', 'mine');
    expect(JSON.stringify(hidden.body)).toBe(same);
  });

  it('answers 404 for other paths, and a plain GET with 426', async () => {
    expect(await refused(bearing(key), '/nothing')).toMatchObject({ status: 404 });
    const plain = await server.api.bearing(key).get(path);
    expect([plain.status, plain.body.type]).toEqual([426, '/problems/upgrade_required']);
    expect(plain.headers.get('upgrade')).toBe('websocket');
    const hidden = await server.api.get(path);
    expect(hidden.status).toBe(401);
  });

  it('refuses pages of other origins, also with a key', async () => {
    const { status, body } = await refused({ ...bearing(key), origin: 'https://evil.example' });
    expect([status, body['type']]).toEqual([403, '/problems/cross_site_request']);
    await open({ ...bearing(key), origin: 'http://localhost:5173' });
  });

  it('refuses unknown hosts', async () => {
    const headers = { ...bearing(key).headers, host: 'evil.example' };
    expect(await refused({ headers })).toMatchObject({ status: 403 });
  });

  it('refuses what is no WebSocket of version 13, and offers of other protocols', async () => {
    const head = `Host: localhost\r\nAuthorization: Bearer ${key}\r\nConnection: Upgrade\r\n`;
    const socketRequest = `GET ${path} HTTP/1.1\r\n${head}Upgrade: websocket\r\n`;
    expect(await send(`${socketRequest}Sec-WebSocket-Version: 8\r\n\r\n`)).toMatch(
      /^HTTP\/1.1 426/,
    );
    expect(await send(`${socketRequest}Sec-WebSocket-Version: 13\r\n\r\n`)).toMatch(
      /^HTTP\/1.1 426[^]*upgrade_required/,
    );
    const body = '{"id":"by-h2c"}';
    const created = await send(
      `POST /chats HTTP/1.1\r\n${head}Connection: close\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    expect(created).toMatch(/^HTTP\/1.1 201/);
  });

  const send = async (request: string): Promise<string> => {
    const socket = connect(Number(new URL(server.api.url).port), '127.0.0.1');
    socket.write(request);
    return text(socket);
  };

  it('bounds the sockets of a user, and takes others once some are closed', async () => {
    for (let n = 0; n < 8; n++) await open();
    const { status, body } = await refused(bearing(key));
    expect([status, body['type']]).toEqual([503, '/problems/too_many_sockets']);
    await opened.pop()!.close();
    await eventually(() => sockets() === 7);
    await open();
  });

  it.each(['websocket', 'h2c'])(
    'answers requests before an offer of %s that did not wait for them',
    async (protocol) => {
      const socket = connect(Number(new URL(server.api.url).port), '127.0.0.1');
      const live = 'GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n';
      const key = 'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==';
      const upgrade = `GET ${path} HTTP/1.1\r\nHost: localhost\r\nUpgrade: ${protocol}\r\nConnection: Upgrade\r\n${key}\r\n\r\n`;
      socket.write(live + upgrade.repeat(1_000));
      expect((await text(socket)).match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200']);
      await open();
    },
  );

  it('survives a flood of upgrades that are refused or broken off', async () => {
    const before = server.streams;
    const floods = Array.from({ length: 100 }, async (_, n) => {
      if (n % 2 === 0) return refused(bearing('parley_wrong'));
      const socket = connect(Number(new URL(server.api.url).port), '127.0.0.1');
      socket.on('error', () => {});
      socket.write(
        `GET ${path} HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upg`,
      );
      await once(socket, 'connect');
      socket.destroy();
      return undefined;
    });
    await Promise.all(floods);
    await open();
    expect(server.streams).toBe(before + 1);
  });

  it('closes when the key is deleted', async () => {
    const { key: short, id } = await makeKey(server.api, ['chat']);
    const client = await open(bearing(short));
    await server.api.bearing(WITH_KEYS.ADMIN_KEY).delete(`/keys/${id}`);
    expect(await client.untilClosed()).toEqual({ code: 1008, reason: 'invalid_credential' });
  });

  it('closes when the chat is deleted', async () => {
    const api = server.api.bearing(key);
    await api.post('/chats', { id: 'gone' });
    const client = await RealtimeClient.open(server.api.url, 'gone', bearing(key));
    client.send({ type: 'start' });
    client.send({ type: 'dance' });
    await client.until('error');
    await api.delete('/chats/gone');
    expect(await client.untilClosed()).toEqual({ code: 1000, reason: 'chat_gone' });
  });

  it('ends connections whose client is dead', async () => {
    const client = await open({ ...bearing(key), autoPong: false });
    expect(await client.untilClosed()).toMatchObject({ code: 1006 });
  });

  it('closes all when the server stops', async () => {
    const client = await open();
    await server.restart();
    expect(await client.untilClosed()).toEqual({ code: 1001, reason: 'shutting_down' });
  });
}
