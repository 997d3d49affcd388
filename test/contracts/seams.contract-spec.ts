import { z } from 'zod';
import type { Step } from '../../src/agents/agent-hooks.js';
import type { HookContext } from '../../src/agents/agent-hooks.js';
import { Hooks } from '../../src/agents/server-hooks.js';
import { loadConfig } from '../../src/config/load-config.js';
import { Guardrail } from '../../src/guardrails/guardrail.js';
import type { OpenFilter } from '../../src/guardrails/guardrail.js';
import { MaxTokensGuardrail } from '../../src/guardrails/max-tokens/max-tokens.guardrail.js';
import { SecretsGuardrail } from '../../src/guardrails/secrets/secrets.guardrail.js';
import { SystemClock } from '../../src/kernel/clock.js';
import { DemoProvider } from '../../src/models/demo/demo-provider.js';
import { ModelProvider } from '../../src/models/model-provider.js';
import type { ModelEvent, ModelRequest } from '../../src/models/model-provider.js';
import { PermissionJudge } from '../../src/permissions/judges/permission-judge.js';
import type { CallToJudge, Opinion } from '../../src/permissions/judges/permission-judge.js';
import type { Check } from '../../src/testing/check.js';
import { guardrailChecks } from '../../src/testing/guardrail.js';
import { hooksChecks } from '../../src/testing/hooks.js';
import { modelProviderChecks } from '../../src/testing/model-provider.js';
import { permissionJudgeChecks } from '../../src/testing/permission-judge.js';
import { toolChecks } from '../../src/testing/tool.js';
import { ToolOutput } from '../../src/tools/core/tool-output.js';
import { Tool } from '../../src/tools/core/tool.js';
import type { ToolPolicy } from '../../src/tools/core/tool.js';
import { AskHumanTool } from '../../src/tools/ask-human/ask-human.tool.js';
import { CurrentTimeTool } from '../../src/tools/current-time/current-time.tool.js';

/** As a package author runs them. */
function passes(title: string, checks: readonly Check[]): void {
  describe(title, () => {
    for (const { name, run } of checks) it(name, run);
  });
}

/** The names of the checks that fail. */
async function failing(checks: readonly Check[]): Promise<string[]> {
  const names: string[] = [];
  for (const { name, run } of checks) await run().catch(() => names.push(name));
  return names;
}

function ask(content: string, tools: readonly string[] = []): ModelRequest {
  return {
    model: 'script',
    messages: [{ role: 'user', content }],
    tools: tools.map((name) => ({ name, description: name, input_schema: { type: 'object' } })),
  };
}

const REQUESTS = { request: ask('hello to you'), failing: ask('fail') };

passes(
  DemoProvider.name,
  modelProviderChecks({
    make: () => new DemoProvider({ delayMs: 1 }),
    ...REQUESTS,
    calling: ask('what is 6*7', ['calculator']),
  }),
);
passes(
  CurrentTimeTool.name,
  toolChecks({
    make: () => new CurrentTimeTool(new SystemClock()),
    input: { timezone: 'Europe/Berlin' },
    wrong: { timezone: 1 },
  }),
);
passes(
  AskHumanTool.name,
  toolChecks({
    make: () => new AskHumanTool(),
    input: { question: 'Which colour?' },
    wrong: {},
    context: { ask: async () => 'red' },
  }),
);
passes(
  SecretsGuardrail.name,
  guardrailChecks({
    make: () => new SecretsGuardrail(loadConfig({ MY_TOKEN: 'a-token-of-the-server' })),
    words: ['a-token-of-the-server', 'AKIAIOSFODNN7EXAMPLE'],
  }),
);
passes(
  MaxTokensGuardrail.name,
  guardrailChecks({
    make: () => new MaxTokensGuardrail(loadConfig({ GUARDRAIL_MAX_OUTPUT_TOKENS: '3' })),
    words: ['12345678', '\u{1f99c}'],
  }),
);

const COMPLETED: ModelEvent = {
  type: 'response_completed',
  message: { role: 'assistant', content: 'ab' },
  finish_reason: 'stop',
  usage: { input_tokens: 1, output_tokens: 1 },
};
const A: ModelEvent = { type: 'text_delta', delta: 'a' };
const B: ModelEvent = { type: 'text_delta', delta: 'b' };

/** Sends these events, whatever is asked and whether or not it is told to stop. */
class Deaf extends ModelProvider {
  readonly name = 'deaf';
  constructor(private readonly events: readonly ModelEvent[]) {
    super();
  }
  async *stream(): AsyncIterable<ModelEvent> {
    yield* this.events;
  }
}

const deafChecks = (...events: ModelEvent[]) =>
  modelProviderChecks({ make: () => new Deaf(events), ...REQUESTS });

describe(modelProviderChecks.name, () => {
  it('finds a provider that does not hear its signal, and does not fail', async () => {
    expect(await failing(deafChecks(A, B, COMPLETED))).toEqual([
      'stops when the signal aborts',
      'begins nothing if the signal has aborted',
      'throws a ModelError for what fails',
    ]);
  });

  it('finds a turn without an end, with two, and with other text', async () => {
    expect(await failing(deafChecks(A, B))).toContain('ends a turn with one response_completed');
    expect(await failing(deafChecks(A, B, COMPLETED, COMPLETED))).toContain(
      'ends a turn with one response_completed',
    );
    expect(await failing(deafChecks(A, COMPLETED))).toContain(
      'streams the text and the tool calls that its message has',
    );
  });

  it('finds a call that was not started, or that the message lacks', async () => {
    const ready = {
      type: 'tool_call_ready',
      index: 0,
      id: 'c',
      name: 't',
      arguments: '{}',
    } as const;
    const started = { type: 'tool_call_started', index: 0, id: 'c', name: 't' } as const;
    for (const events of [[ready], [started, ready]])
      expect(await failing(deafChecks(A, B, ...events, COMPLETED))).toContain(
        'streams the text and the tool calls that its message has',
      );
  });
});

const POLICY: ToolPolicy = { category: 'read', read_only: true, risk: 'low', recovery: 'rerun' };

class TestTool extends Tool<{ a: string }> {
  readonly name: string = 'odd';
  readonly description = 'Is tested.';
  readonly input = z.object({ a: z.string() });
  readonly policy = POLICY;
  constructor(private readonly answer: () => string | ToolOutput | Promise<string>) {
    super();
  }
  execute(): string | ToolOutput | Promise<string> {
    return this.answer();
  }
}

class Unnamed extends TestTool {
  override readonly name = 'not a name';
}

describe(toolChecks.name, () => {
  const checks = (make: () => TestTool, wrong: object = {}) =>
    toolChecks({ make, input: { a: 'a' }, wrong: { ...wrong } });

  it('finds a tool that can not be offered', async () => {
    expect(await failing(checks(() => new TestTool(() => 'fine')))).toEqual([]);
    expect(await failing(checks(() => new Unnamed(() => 'fine')))).toHaveLength(1);
    expect(await failing(checks(() => new TestTool(() => 'fine'), { a: 'b' }))).toHaveLength(1);
  });

  it('finds an answer that is too long, or no text', async () => {
    const bounded = ['answers a text of bounded length'];
    const long = 'x'.repeat(1024 * 1024 + 1);
    expect(await failing(checks(() => new TestTool(() => long)))).toEqual(bounded);
    const data = { long: long.slice(0, 70_000) };
    const answer = () => new ToolOutput('fine', { data });
    expect(await failing(checks(() => new TestTool(answer)))).toEqual(bounded);
    const none = () => undefined as unknown as string;
    expect(await failing(checks(() => new TestTool(none)))).toEqual(bounded);
  });

  it('finds a tool that does not stop', async () => {
    const stops = checks(() => new TestTool(() => new Promise<string>(() => {}))).at(-1)!;
    await expect(stops.run()).rejects.toThrow(/longer than 5000 ms/);
  });
});

class TestJudge extends PermissionJudge {
  readonly name = 'test';
  constructor(readonly judge: (call: CallToJudge) => Opinion | undefined) {
    super();
  }
}

describe(permissionJudgeChecks.name, () => {
  const call: CallToJudge = { tenant_id: 't', user_id: 'u', tool_name: 'x', tool_input: {} };
  const failures = (judge: TestJudge['judge']) =>
    failing(permissionJudgeChecks({ make: () => new TestJudge(judge), calls: [call] }));
  const deny: Opinion = { decision: 'deny', reason: 'No.' };

  it('finds a judge that answers what the server does not take, or nothing', async () => {
    expect(await failures(() => deny)).toEqual([]);
    expect(await failures(() => ({ ...deny, reason: '' }))).toHaveLength(1);
    expect(await failures(() => ({ ...deny, decision: 'no' as 'deny' }))).toHaveLength(1);
    expect(await failures(() => undefined)).toEqual([
      'has an opinion about the calls of this test',
    ]);
  });

  it('finds a judge that remembers, or that changes a call', async () => {
    let asked = 0;
    expect(await failures(() => ({ ...deny, reason: `${asked++}` }))).toHaveLength(1);
    const change = (each: CallToJudge) => {
      Object.assign(each, { tool_name: 'y' });
      return deny;
    };
    expect(await failures(change)).not.toEqual([]);
  });
});

class TestHooks extends Hooks {
  constructor(private readonly answer: (step: Step, ctx: HookContext) => unknown) {
    super();
  }
  override beforeStep(step: Step, ctx: HookContext): string | void {
    return this.answer(step, ctx) as string | void;
  }
}

describe(hooksChecks.name, () => {
  const refused: Step[] = [{ kind: 'say', text: 'no' }];
  const failures = (make: () => Hooks) => failing(hooksChecks({ make, refused }));
  const refuse = (step: Step) => (step.kind === 'say' ? 'No.' : undefined);

  it('finds hooks that are not synchronous, or that refuse nothing', async () => {
    expect(await failures(() => new TestHooks(refuse))).toEqual([]);
    expect(await failures(() => new TestHooks(async (step) => refuse(step)))).toContain(
      'is synchronous, and answers nothing or a reason to refuse the step',
    );
    expect(await failures(() => new TestHooks(() => undefined))).toHaveLength(1);
  });

  it('finds hooks that answer otherwise the second time, or mix agents up', async () => {
    let told = 0;
    expect(await failures(() => new TestHooks(() => `${told++}`))).toContain(
      'answers the same when an agent runs again from its beginning',
    );
    const counting = () => {
      let count = 0;
      return new TestHooks((step) => refuse(step) ?? (count++ > 5 ? 'Too many.' : undefined));
    };
    expect(await failures(counting)).toEqual(['keeps agents apart that run at the same time']);
  });
});

/** Hides `secret` where it stands in one piece. */
class Hasty extends Guardrail {
  readonly name = 'hasty';
  override openOutput(): OpenFilter {
    return () => ({ push: (text) => text.replaceAll('secret', '[hidden]'), end: () => '' });
  }
  override checkInput() {
    return { verdict: 'replace', text: '' } as never;
  }
}

describe(guardrailChecks.name, () => {
  it('finds a filter that sees no word in pieces, and a verdict without a reason', async () => {
    const checks = guardrailChecks({ make: () => new Hasty(), words: ['secret'] });
    expect(await failing(checks)).toEqual([
      'says the same of an output however it is cut into pieces',
      'says in time of any input what becomes of it',
    ]);
  });
});
