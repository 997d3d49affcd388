import { OpenAiProvider } from '../../src/models/openai/openai-provider.js';
import { FakeOpenAi } from '../support/model/fake-openai.js';
import { missingIn } from '../support/client/json-subset.js';
import { collect, failure, joined } from '../support/model/provider-probe.js';
import { readTranscript } from '../support/model/transcript.js';
import { TranscriptPlayer } from '../support/model/transcript-player.js';

describe(TranscriptPlayer.name, () => {
  const transcript = readTranscript('openai/gateway');
  const { request, response } = transcript.exchanges[0]!;
  const exchanges = [{ ...transcript.exchanges[0]!, request: { headers: {}, body: {} } }];
  let fake: FakeOpenAi;
  let provider: OpenAiProvider;
  beforeEach(async () => {
    fake = await FakeOpenAi.start();
    provider = new OpenAiProvider({ baseUrl: fake.baseUrl });
  });
  afterEach(() => fake.stop());

  it('reads headers and bodies as they are', () => {
    expect(request.headers).toEqual({ authorization: expect.stringMatching(/^Bearer /) });
    expect(request.body).toMatchObject({ model: 'gpt-4.1-mini', stream: true });
    expect(response.headers).toMatchObject({ via: '1.1 gateway.example' });
    const text = response.body.toString();
    expect(text).toMatch(/^: GATEWAY PROCESSING\r\n\r\n[^]*data: \[DONE\]\r\n\r\n$/);
    expect(text).not.toMatch(/[^\r]\n/);
  });

  it('sends the same bytes wherever it cuts them', async () => {
    const texts = new Set<string>();
    for (let seed = 0; seed < 30; seed++) {
      const player = new TranscriptPlayer(fake, { exchanges }, seed);
      texts.add(joined(await collect(provider), 'text_delta'));
      expect(player.end()).toEqual([]);
    }
    expect([...texts]).toEqual(['Nothing is lost on the way: é, ü and 🎉 neither.']);
  });

  it('tells of a request that did not come', () => {
    const player = new TranscriptPlayer(fake, { exchanges }, 1);
    expect(player.end()).toEqual(['no request came for "The model answers"']);
  });

  it('tells of a request that is another, and refuses it', async () => {
    const player = new TranscriptPlayer(fake, transcript, 1);
    expect(await failure(provider)).toMatchObject({ code: 'model_refused' });
    expect(player.end()).toContain('The model answers.body.model: "fake" is not "gpt-4.1-mini"');
  });

  it('tells of a request too many, and refuses it', async () => {
    const player = new TranscriptPlayer(fake, { exchanges }, 1);
    await collect(provider);
    expect(await failure(provider)).toMatchObject({ code: 'model_refused' });
    expect(player.end()).toEqual([expect.stringMatching(/^one request too many: .*"Hi"/)]);
  });
});

describe(missingIn.name, () => {
  it.each<[unknown, unknown, readonly string[]]>([
    [{ a: 1, b: 2 }, { a: 1 }, []],
    [{ a: 1 }, { a: 2 }, ['.a: 1 is not 2']],
    [{ a: null }, { a: null, b: null }, []],
    [{ a: 1 }, { a: null }, ['.a: 1 is not null']],
    [{}, { a: { b: 1 } }, ['.a.b: undefined is not 1']],
    [[1, 2], [1], [' (2 items): [1,2] is not [1]']],
    [[1, 2, 3], ['…', 3], []],
    [[1, 2, 3], [1, '…', 4], ['[2]: 3 is not 4']],
    [[1], [1, '…', 1], [' (1 items): [1] is not [1,"…",1]']],
    ['a.b\nc', 'a.…c', []],
    ['axb', 'a.…b', [': "axb" is not "a.…b"']],
  ])('of %j and %j is %j', (actual, expected, faults) => {
    expect(missingIn(actual, expected)).toEqual(faults);
  });
});
