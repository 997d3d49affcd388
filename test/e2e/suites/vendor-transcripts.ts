import { missingIn } from '../../support/client/json-subset.js';
import { Person } from '../../support/client/person.js';
import { FakeVendor } from '../../support/model/fake-vendor.js';
import { TranscriptPlayer } from '../../support/model/transcript-player.js';
import { readTranscript } from '../../support/model/transcript.js';
import { outcomeOf } from '../../support/runs/outcome-of.js';
import { Following } from '../../support/store/following.js';
import { makeToolAsk } from '../../support/tools/make-tool-ask.js';
import type { Servers } from '../servers.js';

/** Whose models think, call a tool and answer in `test/transcripts/<vendor>/tools.txt`. */
const VENDORS = [
  ...(['deepseek', 'kimi', 'gemini', 'mistral', 'qwen', 'xai', 'groq', 'openrouter'] as const),
  ...(['ollama', 'vllm', 'llamacpp', 'lmstudio'] as const),
];

export function describeVendorTranscripts(servers: Servers): void {
  describe('A conversation in the form of', () => {
    let fake: FakeVendor;
    beforeAll(async () => {
      fake = await FakeVendor.open('openrouter');
    });
    afterAll(() => fake.stop());

    servers.run(
      () => ({ OPENAI_BASE_URL: fake.baseUrl }),
      (server) => {
        it.each(VENDORS)('%s thinks, calls a tool, and goes on', async (vendor) => {
          const transcript = readTranscript(`${vendor}/tools`);
          const { model: name } = transcript.exchanges[0]!.request.body as { model: string };
          const player = new TranscriptPlayer(fake, transcript, VENDORS.indexOf(vendor));
          const [chat, model] = [`vendor-${vendor}`, `openai/${name}`];
          await makeToolAsk(server.api, chat, 'calculator');
          const start = { user_message: 'What is 6*7?', model };
          const following = await Following.start(server.api, chat, start, '?trace=1');
          const { approval_id } = await following.record('APPROVAL_REQUIRED');
          await new Person(() => server.api).approve(following.of, approval_id);
          await following.end();
          const played = await outcomeOf(following, server.api);
          await server.api.say(chat, { user_message: 'Sure?', model });
          expect(player.end()).toEqual([]);
          expect(missingIn(played, transcript.outcome)).toEqual([]);
          expect(played).toMatchObject({ faults: [], replays: true });
        });
      },
    );
  });
}
