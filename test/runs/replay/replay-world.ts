import { setImmediate as nextTick } from 'node:timers/promises';
import type { AgentContext } from '../../../src/agents/agent-context.js';
import type { Run } from '../../../src/runs/run.js';
import type { LogRecord } from '../../../src/persistence/rows/log-record.js';
import type { NewRequest } from '../../../src/persistence/rows/request-rows.js';
import type { ToolContext } from '../../../src/tools/core/tool.js';
import { ModelError } from '../../../src/models/model-error.js';
import type { ModelEvent, ModelRequest } from '../../../src/models/model-provider.js';
import type { AppendBatch, AppendOutcome } from '../../../src/persistence/rows/append-rows.js';
import { completed, textDelta } from '../../support/model/model-events.js';
import type { CalledTool } from '../../support/model/model-events.js';
import { checkConversation } from '../../support/runs/check-conversation.js';
import { FakeTool } from '../../support/tools/fake-tool.js';
import { RunWorld } from '../../support/runs/run-world.js';
import type { AgentFunction, ProcessOptions } from '../../support/runs/run-world.js';
import { ScriptedProvider } from '../../support/model/scripted-provider.js';
import { Goods, HookedProgram } from './hooked-program.js';
import { Life } from './life.js';
import type { Fate } from './life.js';
import { ProgramAgent } from './program-agent.js';
import type { EffectNode, Program } from './program.js';

/** Ticks without a single moment in any process: nothing will happen any more. */
const STUCK_AFTER = 300;

/** How often somebody intervenes, at most. */
const MAX_TOLD = 8;

/** One interaction of one program, through all the processes that it takes. */
export class ReplayWorld {
  /** What went wrong, in words. */
  readonly faults: string[] = [];
  /** By place, what an agent got there first. */
  readonly seen = new Map<string, string>();
  /** By tool call id, how often its effect took place. */
  readonly effects = new Map<string, number>();
  lives = 0;
  /** What agents that have hooks made for themselves, in all processes. */
  readonly made: Goods[] = [];
  /** That models were asked for. */
  summaries = 0;
  /** Of the process that lives now. */
  private run: Run | undefined;
  private readonly zombies: { readonly run: Run; readonly done: Promise<void> }[] = [];
  /** That have passed in all its processes. */
  moments = 0;
  /** The log as the first process left it. */
  textAtDeath = '';
  private nonce = 0;
  private told = 0;

  private constructor(
    readonly world: RunWorld,
    private readonly program: Program,
    private readonly random: () => number,
    private readonly hooked: boolean,
    /** Models have next to no room, and say a lot. */
    private readonly crowded: boolean,
  ) {}

  /** `hooked`: its agents have hooks and resources, too. */
  static async open(
    program: Program,
    random: () => number,
    options: { readonly hooked?: boolean; readonly crowded?: boolean } = {},
  ): Promise<ReplayWorld> {
    const { hooked = false, crowded = false } = options;
    const world = await RunWorld.open(crowded ? { env: { MODEL_CONTEXT_TOKENS: '1000' } } : {});
    return new ReplayWorld(world, program, random, hooked, crowded);
  }

  /** Runs it to its end: one process after the other meets its fate, the last one has none. */
  async play(fates: readonly Fate[]): Promise<void> {
    for (const fate of [...fates, undefined]) if (!(await this.live(fate))) break;
    for (const { run, done } of this.zombies) {
      await this.quiet(done); // one that waits for a person hears by its lease that it is none of its business
      run.lose();
      await this.watch(done);
    }
  }

  /** False when the interaction has ended. */
  private async live(fate: Fate | undefined): Promise<boolean> {
    const life = new Life(
      fate,
      () => Math.floor(this.random() * 6),
      () => this.pass(),
    );
    const run = await this.takeUp(life);
    if (!run) return false;
    this.run = run;
    this.lives++;
    const done = run.execute();
    await this.watch(Promise.race([done, life.over]));
    this.textAtDeath ||= JSON.stringify(await this.world.log());
    if (fate?.death === 'zombie') this.zombies.push({ run, done });
    else if (life.isDead) run.lose();
    else void run.shutDown(1_000);
    if (fate?.death !== 'zombie') await this.watch(done);
    return true;
  }

  private pass(): void {
    this.moments++;
    if (this.told < MAX_TOLD && this.random() < 0.08) void this.intervene(++this.told);
  }

  /** Somebody tells an agent something, or stops a child, whatever the processes do. */
  private async intervene(n: number): Promise<void> {
    const log = await this.world.log();
    const over = new Set(log.filter(({ body }) => body.type === 'AGENT_COMPLETED').map(agentOf));
    const agents = [...new Set(log.map(agentOf))].filter((id) => !over.has(id));
    const agent_id = agents[Math.floor(this.random() * agents.length)]!;
    const way = this.random();
    const isDelete = way < 0.3 && agent_id !== this.world.rootId;
    const user_comment = isDelete ? 'delete' : way < 0.5 ? 'modify' : `note#${n}`;
    await this.world.store.intervene({
      ...{ id: `intervention_${n}`, interaction_id: this.world.interactionId, agent_id },
      ...{ user_comment, user_content: user_comment === 'modify' ? `task#${n}` : null },
      redacted: null,
      created_at: new Date().toISOString(),
      created_by: 'ann',
    });
    await this.run?.signals.wake();
  }

  /** Undefined when it has ended. One that is parked is taken up when somebody has answered. */
  private async takeUp(life: Life): Promise<Run | undefined> {
    for (let idle = 0; idle < STUCK_AFTER; idle++) {
      const run = await this.world.takeUp(this.process(life));
      if (run || (await this.world.row()).completed_at !== null) return run;
      await nextTick();
    }
    return undefined;
  }

  private async watch(done: Promise<void>): Promise<void> {
    if (!(await this.quiet(done))) this.faults.push('stuck');
  }

  /** Whether it is done by the time that nothing happens any more. */
  private async quiet(done: Promise<void>): Promise<boolean> {
    let isDone = false;
    void done.finally(() => (isDone = true));
    for (let idle = 0, moments = this.moments; !isDone && idle < STUCK_AFTER; idle++) {
      await nextTick();
      if (moments !== this.moments) [idle, moments] = [0, this.moments];
    }
    return isDone;
  }

  private process(life: Life): ProcessOptions {
    return {
      append: (batches) => this.append(life, batches),
      provider: new ScriptedProvider((request, signal) => this.think(life, request, signal)),
      tools: [
        this.tool(life, 'once', 'report'),
        this.tool(life, 'again', 'rerun'),
        new FakeTool('errand', (_, context) => errand(context), 'replay'),
        new FakeTool('caller', (_, context) => caller(context), 'replay'),
      ],
      agent: this.kind((ctx) => this.agent(life, ctx).run(this.program, 'p')),
      kinds: {
        child: this.kind((ctx) => {
          const place = promptOf(ctx);
          return this.agent(life, ctx).answer(programAt(this.program, place), place);
        }),
        errand: (ctx) => ctx.step('errand', () => this.effectOf(life, promptOf(ctx))),
      },
    };
  }

  private kind(code: AgentFunction): AgentFunction | HookedProgram {
    if (!this.hooked) return code;
    return new HookedProgram({
      code,
      keep: (goods) => void this.made.push(goods),
      latency: () => Math.floor(this.random() * 12),
      onFault: (fault) => void this.faults.push(fault),
    });
  }

  private agent(life: Life, ctx: AgentContext): ProgramAgent {
    return new ProgramAgent(ctx, {
      see: (place, outcome) => this.see(place, outcome),
      work: (place, effect) => this.work(life, place, effect),
    });
  }

  /** Somebody answers, whatever the processes do. */
  private async answer({ id, event }: NewRequest): Promise<void> {
    for (let i = Math.floor(this.random() * 30); i > 0; i--) await nextTick();
    this.moments++;
    const answer = this.outcome(String(event['question']));
    const settlement = { kind: 'input', answer, by: { kind: 'user', user_id: 'ann' } } as const;
    const at = new Date().toISOString();
    await this.world.store.settleRequest({ request_id: id, settlement, at });
    await this.run?.signals.wake();
  }

  /** A process may die before it has written, or after it has and before it knows. */
  private async append(life: Life, batches: readonly AppendBatch[]): Promise<AppendOutcome[]> {
    const fenced = batches.map((): AppendOutcome => 'fenced');
    const isAlive = await life
      .moment()
      .then(() => true)
      .catch(() => false);
    if (!isAlive) return fenced;
    const outcomes = await this.world.store.append(batches);
    for (const request of batches.flatMap(({ requests = [] }) => requests))
      void this.answer(request);
    return life
      .moment()
      .then(() => outcomes)
      .catch(() => fenced);
  }

  private async *think(
    life: Life,
    { instructions: place = '', messages }: ModelRequest,
    signal: AbortSignal,
  ): AsyncGenerator<ModelEvent> {
    for (const fault of checkConversation(messages)) this.faults.push(`model was sent ${fault}`);
    const isSummary = place.startsWith('You keep the memory');
    if (isSummary) return yield* this.summarise(life, signal);
    const text = this.outcome(place) + (this.crowded ? ' '.repeat(1_000) : '');
    await life.moment();
    signal.throwIfAborted();
    const effect = effectAt(this.program, place);
    if (this.mayFail(effect)) throw new ModelError('model_refused', text, { retryable: false });
    yield textDelta(text);
    await life.moment();
    signal.throwIfAborted();
    const calls = effect.calls.map((name, i): CalledTool => ({
      id: i === 0 ? 'call_same' : `call_${++this.nonce}`,
      name,
      arguments: this.random() < 0.1 ? '{"broken' : `{"n":${++this.nonce}}`,
    }));
    for (const [index, call] of calls.entries()) yield { type: 'tool_call_ready', index, ...call };
    yield completed(text, calls);
  }

  private async *summarise(life: Life, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    this.summaries++;
    await life.moment();
    signal.throwIfAborted();
    const text = this.random() < 0.2 ? '' : `summary#${++this.nonce}`;
    yield textDelta(text);
    yield completed(text);
  }

  private tool(life: Life, name: string, recovery: 'report' | 'rerun'): FakeTool {
    const work = (context: ToolContext): Promise<string> => {
      if (this.hooked) this.use(context.resources.get(Goods));
      return this.effectOf(life, context.tool_call_id);
    };
    return new FakeTool(name, (_, context) => work(context), recovery);
  }

  private use({ isOpen, agent_id }: Goods): void {
    if (!isOpen) this.faults.push(`a tool of ${agent_id} has no resources any more`);
  }

  private async effectOf(life: Life, callId: string): Promise<string> {
    await life.moment();
    this.effects.set(callId, (this.effects.get(callId) ?? 0) + 1);
    await life.moment();
    return this.outcome(callId);
  }

  private async work(life: Life, place: string, effect: EffectNode): Promise<string> {
    await life.moment();
    if (this.mayFail(effect)) throw new Error(this.outcome(place));
    return this.outcome(place);
  }

  private mayFail({ fails }: EffectNode): boolean {
    return fails !== 'never' && this.random() < 0.5;
  }

  /** Never the same twice, and tells where it belongs. */
  private outcome(place: string): string {
    return `${place}#${++this.nonce}${'.'.repeat(Math.floor(this.random() * 2))}`;
  }

  private see(place: string, outcome: string): void {
    const first = this.seen.get(place);
    if (first !== undefined && first !== outcome)
      this.faults.push(`${place} was ${first}, and then ${outcome}`);
    this.seen.set(place, outcome);
    if (outcome.includes('#') && !place.includes('/') && !outcome.includes(`${place}#`))
      this.faults.push(`${place} got what belongs elsewhere: ${outcome}`);
  }
}

function promptOf({ messages }: AgentContext): string {
  return messages[0]?.content ?? '';
}

function errand({ run_agent, tool_call_id }: ToolContext): Promise<string> {
  return run_agent(tool_call_id, { agent_type: 'errand' });
}

/** What a program inside of a tool does: one step after the other, and a child beside them. */
async function caller({
  call_tool,
  fork,
  wait,
  ask,
  now,
  tool_call_id,
}: ToolContext): Promise<string> {
  const began = await now();
  const once = await call_tool('once', `{"of":"${tool_call_id}"}`);
  const helper = await fork(tool_call_id, { agent_type: 'errand' });
  const again = await call_tool('again', `{"of":"${tool_call_id}"}`);
  const missing = await call_tool('missing', '{}');
  const answer = await ask(tool_call_id);
  const helped = await wait(helper.id);
  const outputs = [once.output, again.output, missing.is_error, answer, helped];
  return `${tool_call_id}#${[...outputs, (await now()) - began].join()}`;
}

function effectAt(program: Program, place: string): EffectNode {
  const here = programAt(program, place);
  if (!('effect' in here)) throw new Error(`There is no effect at ${place}.`);
  return here.effect;
}

function programAt(program: Program, place: string): Program {
  let here = program;
  for (const step of place.split('.').slice(1)) {
    const i = Number(step);
    if ('parts' in here) here = here.parts[i]!;
    else if ('ways' in here) here = here.ways[i]!;
  }
  return here;
}

function agentOf({ agent_id }: LogRecord): string {
  return agent_id;
}
