import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FakeAnthropic } from '../../support/model/fake-anthropic.js';
import { Following } from '../../support/store/following.js';
import { IMAGES } from '../../support/tools/images.js';
import { missingIn } from '../../support/client/json-subset.js';
import { makeToolAsk } from '../../support/tools/make-tool-ask.js';
import { MovableClock } from '../../support/movable-clock.js';
import { outcomeOf } from '../../support/runs/outcome-of.js';
import { KEY } from '../../support/server/test-server.js';
import type { TestServer } from '../../support/server/test-server.js';
import { readTranscript } from '../../support/model/transcript.js';
import { TranscriptPlayer } from '../../support/model/transcript-player.js';
import type { Servers } from '../servers.js';
import type { OpenStore } from '../stores.js';
import { FEATURES, MODELS, PROVIDERS } from './transcribed-features.js';
import type { Feature, Provider } from './transcribed-features.js';

const THINKING = { openai: 'openai/gpt-5-mini', anthropic: 'anthropic/claude-opus-4-8' };
/** Of the agents in files. */
const OWN = { openai: 'openai/gpt-4.1-nano', anthropic: 'anthropic/claude-haiku-5' };

export function describeTranscripts(servers: Servers): void {
  describe('A conversation with the API', () => {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'parley-transcripts-')));
    /** Each server has its own: none shall run what the other began. */
    const opened: OpenStore[] = [];
    let anthropic: FakeAnthropic;
    let plain: TestServer;
    let thinking: TestServer;

    beforeAll(async () => {
      writeAgents(folder);
      for (let n = 0; n < 2; n++) opened.push(await servers.open());
      anthropic = await FakeAnthropic.start();
      const env = {
        ...{ ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: anthropic.baseUrl },
        ...{ WORKSPACE_DIR: join(folder, 'work'), WORKSPACE_MODE: 'shared' },
        ...{ DATA_DIR: join(folder, 'data'), AGENTS_DIR: join(folder, 'agents') },
      };
      const clock = new MovableClock();
      clock.skipsSleep = true;
      plain = await servers.start(opened[0]!.stores, { env, clock });
      const hard = { env: { ...env, MODEL_THINKING: 'medium' }, fake: plain.fake, clock };
      thinking = await servers.start(opened[1]!.stores, hard);
    });
    beforeEach(() => writeWork(folder));
    afterAll(async () => {
      await thinking.close();
      await plain.stop();
      await anthropic.stop();
      for (const each of opened) await each.close();
      rmSync(folder, { recursive: true, force: true });
    });

    describe.each(PROVIDERS)('of %s comes to what its transcript says:', (provider) => {
      const features = FEATURES.filter(({ of = PROVIDERS }) => of.includes(provider));

      it.each(features)('$name', async (feature) => {
        const server = feature.thinks ? thinking : plain;
        const players = (feature.plays ?? [provider]).map((name) => {
          const model = name === 'openai' ? server.fake : anthropic;
          const transcript = readTranscript(`${name}/${feature.name}`);
          return new TranscriptPlayer(model, transcript, FEATURES.indexOf(feature));
        });
        const played = await play(feature, provider, server).catch((error: unknown) => error);
        expect(players.flatMap((player) => player.end())).toEqual([]);
        const { outcome } = readTranscript(`${provider}/${feature.name}`);
        expect(missingIn(played, outcome)).toEqual([]);
        expect(played).toMatchObject({ faults: [], replays: true });
      });

      it('and there is no transcript beside these', () => {
        const isPlayed = ({ of = PROVIDERS, plays = of }: Feature) => plays.includes(provider);
        const names = FEATURES.filter(isPlayed).map(({ name }) => `${name}.txt`);
        expect(
          readdirSync(new URL(`../../transcripts/${provider}`, import.meta.url)).toSorted(),
        ).toEqual(names.toSorted());
      });
    });
  });
}

/**
 * Says what is to be said, and does what people do. Nobody sees the key, neither in a stream nor in
 * the log.
 */
async function play(feature: Feature, provider: Provider, { api, log }: TestServer) {
  const chat = `${provider}-${feature.name}`;
  const model = (feature.thinks ? THINKING : MODELS)[provider];
  const start = { user_message: feature.say, model, ...feature.start?.(provider) };
  await makeToolAsk(api, chat, 'calculator');
  if (feature.before !== undefined) await api.say(chat, { user_message: feature.before, model });
  const following = await Following.start(api, chat, start, '?trace=1');
  await feature.meanwhile?.(following, api);
  await following.end();
  const { next, next_model } = feature;
  if (next !== undefined) await api.say(chat, { user_message: next, model: next_model ?? model });
  expect(JSON.stringify(following.frames) + log.join('')).not.toContain(KEY);
  return outcomeOf(following, api);
}

function writeAgents(folder: string): void {
  mkdirSync(join(folder, 'agents'));
  for (const provider of PROVIDERS) {
    const head = `description: Terse.\ntools: calculator\nmodel: ${OWN[provider]}`;
    const text = `---\n${head}\n---\nYou are terse.\n`;
    writeFileSync(join(folder, 'agents', `terse-${provider}.md`), text);
  }
}

/** What agents work with. */
function writeWork(folder: string): void {
  mkdirSync(join(folder, 'work'), { recursive: true });
  writeFileSync(join(folder, 'work', 'greet.js'), "const greeting = 'Helo';\n");
  writeFileSync(join(folder, 'work', 'a.png'), Buffer.from(IMAGES.png, 'base64'));
}
