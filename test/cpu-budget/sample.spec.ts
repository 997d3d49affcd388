import { burstCases } from './burst-cases.js';
import { CpuWorld, FAULT } from './cpu-world.js';
import { facadeCases } from './facade-cases.js';
import { modelCases } from './model-cases.js';
import { fieldCases } from './request-cases.js';
import { pathCases } from './rule-cases.js';
import { importCases } from './upload-cases.js';

if (FAULT !== undefined) process.stderr.write(`Skipped, the CPU budget: ${FAULT}\n`);

/** One of each cause that once took too long. */
const SAMPLE = [
  'POST /chats/{chat_id}/interactions user_message: repeated "-----BEGIN "',
  'POST /chats/{chat_id}/interactions metadata: many keys',
  'POST /chats/{chat_id}/interactions client_tools: many objects',
  'POST /chats/{chat_id}/interactions/{interaction_id}/edit metadata: allowed keys',
  'POST /chats settings: allowed objects',
  'POST /permissions/check tool_input: a command of repeated "{a,"',
  'openai: a stream of repeated "a b\\n"',
  'openai: a text of repeated "a@a.-1"',
  'openai: arguments of repeated "1111-"',
  'an import, a field: many lists',
  'a rule for paths that deny: repeated "\u0301\u0316"',
  'POST /ai-sdk/chat many messages',
  'POST /ai-sdk/chat allowed parts',
  'POST /ag-ui/react allowed messages',
  'POST /langgraph/runs/stream allowed messages',
  'at once: checks of commands',
];

(FAULT === undefined ? describe : describe.skip)('The main thread, for a sample', () => {
  let world: CpuWorld;
  beforeAll(async () => void (world = await CpuWorld.start()));
  afterAll(() => world?.stop());

  it('takes no longer than the budget', async () => {
    const all = [fieldCases, modelCases, pathCases, importCases, facadeCases, burstCases];
    const cases = all.flatMap((make) => make()).filter(({ name }) => SAMPLE.includes(name));
    expect(cases.map(({ name }) => name).sort()).toEqual(SAMPLE.toSorted());
    expect(await world.tooSlow(cases)).toEqual([]);
  }, 300_000);
});
