import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { Injectable, Module } from '@nestjs/common';
import type { AgentContext } from '../../../src/agents/agent-context.js';
import { AgentType } from '../../../src/agents/agent-type.decorator.js';
import { Agent } from '../../../src/agents/agent.js';
import { wavHeader } from '../../../src/audio/wav.js';
import { eventually } from '../../support/eventually.js';
import { Gate } from '../../support/gate.js';
import { FakeAudio, json } from '../../support/model/fake-audio.js';
import type { AudioRequest } from '../../support/model/fake-audio.js';
import type { Servers, ServerUnderTest } from '../servers.js';

const ANSWER = 'It is **sunny**, e.g. in Bonn. Take a hat!\n\n```js\nhat();\n```\n- And water';
const SENTENCES = ['It is sunny, e.g. in Bonn.', 'Take a hat!', 'And water'];
let chats = 0;

/** Returns what its model answered, signed. */
@Injectable()
@AgentType({ name: 'signer', description: 'Signs its answer.' })
class SignerAgent extends Agent {
  async run(ctx: AgentContext): Promise<string> {
    const { text } = await ctx.generate();
    return text.replace('.', ', signed.');
  }
}

@Module({ providers: [SignerAgent] })
class SpeechModule {}

export function describeAnswerSpeech(servers: Servers): void {
  describe('Spoken answers of the demo', () => {
    servers.run({ MODEL: 'demo/script' }, testDemo);
  });
  describe('Spoken answers', () => {
    let fake: FakeAudio;
    const env: Record<string, string> = { MODEL_TIMEOUT_MS: '5000' };
    beforeAll(async () => {
      fake = await FakeAudio.start();
      env['AUDIO_BASE_URL'] = fake.baseUrl;
    });
    afterAll(() => fake.stop());
    const options = { isOwn: true, modules: [SpeechModule] };
    servers.run(env, (server) => testSpeech(server, () => fake), options);
  });
}

function testDemo(server: ServerUnderTest): void {
  it('are WAV with one header, and the same as PCM', async () => {
    const chat = `spoken-${++chats}`;
    const path = `/chats/${chat}/interactions?wait=true`;
    const { body } = await server.api.post(path, { user_message: ANSWER });
    expect(body.status).toBe('COMPLETED');
    const [wav, pcm] = [await hear(server, body), await hear(server, body, '?format=pcm')];
    expect(wav.headers.get('content-type')).toBe('audio/wav');
    expect(pcm.headers.get('content-type')).toBe('audio/pcm;rate=24000');
    const [bytes, samples] = [await bytesOf(wav), await bytesOf(pcm)];
    expect(bytes.subarray(0, 4).toString()).toBe('RIFF');
    expect(bytes.subarray(44)).toEqual(samples);
    expect(samples.length).toBeGreaterThan(48_000);
    expect(samples.includes('RIFF')).toBe(false);
  });
}

function testSpeech(server: ServerUnderTest, fakeOf: () => FakeAudio): void {
  it('are spoken sentence by sentence, without marks and code', async () => {
    const fake = fakeOf();
    const [before, interaction] = [fake.requests.length, await answered(server, ANSWER)];
    fake.reply(mp3('1'), mp3('2'), mp3('3'));
    const reply = await hear(server, interaction, '?voice=nova');
    expect([reply.status, reply.headers.get('content-type')]).toEqual([200, 'audio/mpeg']);
    expect(await reply.text()).toBe('123');
    const requests = fake.requests.slice(before);
    expect(requests.map(({ fields }) => fields['input'])).toEqual(SENTENCES);
    expect(requests[0]!.fields).toMatchObject({ voice: 'nova', response_format: 'mp3' });
  });

  it('are the returned text alone where it replaces that of the turn, once both are there', async () => {
    const fake = fakeOf();
    const signed = await answered(server, 'Yes.', 'signer');
    const before = fake.requests.length;
    fake.reply(mp3('1'));
    expect(await (await hear(server, signed)).text()).toBe('1');
    expect(fake.requests.slice(before).map(({ fields }) => fields['input'])).toEqual([
      'Yes, signed.',
    ]);
  });

  it('are whole samples under one header where they are WAV', async () => {
    const interaction = await answered(server, 'One. Two.');
    fakeOf().reply(mp3('abc'), mp3('de'));
    const bytes = await bytesOf(await hear(server, interaction, '?format=wav'));
    expect(bytes.subarray(0, 40)).toEqual(wavHeader(0xff_ff_ff_da).subarray(0, 40));
    expect(bytes.subarray(44).toString()).toBe('abc\0de');
    expect(fakeOf().requests.at(-1)!.fields['response_format']).toBe('pcm');
  });

  it('are heard while they are written', async () => {
    const fake = fakeOf();
    const gate = new Gate();
    server.fake.reply({ text: ['One. T', gate, 'wo.'] });
    const interaction = await server.api.begin(`spoken-${++chats}`, 'Hi');
    fake.reply(mp3('1'), mp3('2'));
    const reader = (await hear(server, interaction)).body!.getReader();
    expect(await textOf(reader)).toBe('1');
    gate.open();
    expect(await textOf(reader)).toBe('2');
    expect((await reader.read()).done).toBe(true);
  });

  it('end with an interaction that is cancelled', async () => {
    const gate = new Gate();
    server.fake.reply({ text: ['One. Two. T', gate, 'hree.'] });
    const interaction = await server.api.begin(`spoken-${++chats}`, 'Hi');
    const closed = endless(fakeOf());
    const reply = await hear(server, interaction);
    const reader = reply.body!.getReader();
    await reader.read();
    const { chat_id, id } = interaction;
    await server.api.post(`/chats/${chat_id}/interactions/${id}/cancel?wait=true`);
    while (!(await reader.read()).done);
    await closed;
    gate.open();
    fakeOf().reply(mp3('1'), mp3('2'), mp3('3'));
    expect(await (await hear(server, interaction)).text()).toBe('123');
  });

  it('close the request to the audio server when the client leaves', async () => {
    const interaction = await answered(server, 'One.');
    const closed = endless(fakeOf());
    const leaving = new AbortController();
    const reply = await hear(server, interaction, '', leaving.signal);
    await reply.body!.getReader().read();
    leaving.abort();
    await closed;
  });

  it('wait for a client that does not read', async () => {
    const interaction = await answered(server, 'One.');
    let written = 0;
    let isBlocked = false;
    const closed = new Promise<void>((resolve) =>
      fakeOf().reply((_, response) => {
        response.writeHead(200);
        const write = (): void => {
          while (written < 200e6 && !response.closed) {
            written += 65_536;
            if (response.write(Buffer.alloc(65_536))) continue;
            isBlocked = true;
            return void response.once('drain', write);
          }
        };
        response.once('close', resolve);
        write();
      }),
    );
    const { hostname, port, host } = new URL(server.api.url);
    const socket = connect(Number(port), hostname).pause();
    const { chat_id, id } = interaction;
    socket.write(
      `GET /chats/${chat_id}/interactions/${id}/speech HTTP/1.1\r\nHost: ${host}\r\n\r\n`,
    );
    await eventually(() => isBlocked);
    for (let n = 0; n < 50; n++) await server.api.get('/health/live');
    expect(written).toBeLessThan(100e6);
    socket.destroy();
    await closed;
  });

  it('break off where the audio server does, or says nothing any more', async () => {
    const interaction = await answered(server, 'One. Two.');
    for (const end of ['destroy', 'flushHeaders'] as const) {
      fakeOf().reply(mp3('1'), (_, response) => {
        response.writeHead(200).write('2');
        if (end === 'destroy') setImmediate(() => response.destroy());
      });
      const reader = (await hear(server, interaction)).body!.getReader();
      await expect(readAll(reader)).rejects.toThrow();
    }
  });

  it('are a problem where the first sentence can’t be spoken', async () => {
    const interaction = await answered(server, 'One.');
    fakeOf().reply(json({ error: { message: 'No.' } }, 401));
    const reply = await hear(server, interaction);
    expect(await reply.json()).toMatchObject({ status: 503, type: '/problems/model_auth' });
    const refused = await hear(server, interaction, '?format=opus');
    expect(refused.status).toBe(400);
  });

  it('are empty where there is nothing to speak', async () => {
    const reply = await hear(server, await answered(server, '```\ncode\n```'));
    expect([reply.status, await reply.text()]).toEqual([204, '']);
  });
}

type Interaction = { readonly chat_id: string; readonly id: string };

async function answered(
  server: ServerUnderTest,
  text: string,
  agent = 'react',
): Promise<Interaction> {
  server.fake.reply({ text });
  const path = `/chats/spoken-${++chats}/interactions?wait=true`;
  const { body } = await server.api.post(path, { user_message: 'Hi', agent });
  expect(body.status).toBe('COMPLETED');
  return body;
}

function hear(
  { api }: ServerUnderTest,
  { chat_id, id }: Interaction,
  query = '',
  signal?: AbortSignal,
): Promise<Response> {
  const path = `/chats/${chat_id}/interactions/${id}/speech${query}`;
  return api.fetch(path, signal ? { signal } : {});
}

type Answer = (request: AudioRequest, response: ServerResponse) => void;

function mp3(content: string): Answer {
  return (_, response) => {
    response.writeHead(200, { 'content-type': 'audio/mpeg' });
    response.end(content);
  };
}

/** The next speech does not end by itself. Resolves when its request is closed. */
function endless(fake: FakeAudio): Promise<void> {
  return new Promise((resolve) =>
    fake.reply(async (_, response) => {
      response.writeHead(200).write('first');
      await once(response, 'close');
      resolve();
    }),
  );
}

async function bytesOf(reply: Response): Promise<Buffer> {
  return Buffer.from(await reply.arrayBuffer());
}

async function textOf(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<string> {
  return Buffer.from((await reader.read()).value ?? []).toString();
}

async function readAll(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  while (!(await reader.read()).done);
}
