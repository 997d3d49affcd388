import { setImmediate as nextTick } from 'node:timers/promises';
import { ModelError } from '../../../src/models/model-error.js';
import type { ModelEvent, ModelRequest } from '../../../src/models/model-provider.js';
import type { AppendBatch, AppendOutcome } from '../../../src/log/store-rows.js';
import { completed, textDelta } from '../../support/model-events.js';
import type { CalledTool } from '../../support/model-events.js';
import { checkConversation } from '../../support/check-conversation.js';
import { FakeTool } from '../../support/fake-tool.js';
import { RunWorld } from '../../support/run-world.js';
import type { ProcessOptions } from '../../support/run-world.js';
import { ScriptedProvider } from '../../support/scripted-provider.js';
import { Life } from './life.js';
import type { Fate } from './life.js';
import { ProgramAgent } from './program-agent.js';
import type { EffectNode, Program } from './program.js';

/** Ticks without a single moment in any process: nothing will happen any more. */
const STUCK_AFTER = 300;

/** One interaction of one program, through all the processes that it takes. */
export class ReplayWorld {
  /** What went wrong, in words. */
  readonly faults: string[] = [];
  /** By place, what an agent got there first. */
  readonly seen = new Map<string, string>();
  /** By tool call id, how often its effect took place. */
  readonly effects = new Map<string, number>();
  lives = 0;
  private readonly zombies: Promise<void>[] = [];
  private moments = 0;
  private nonce = 0;

  private constructor(
    readonly world: RunWorld,
    private readonly program: Program,
    private readonly random: () => number,
  ) {}

  static async open(program: Program, random: () => number): Promise<ReplayWorld> {
    return new ReplayWorld(await RunWorld.open(), program, random);
  }

  /** Runs it to its end: one process after the other meets its fate, the last one has none. */
  async play(fates: readonly Fate[]): Promise<void> {
    for (const fate of [...fates, undefined]) if (!(await this.live(fate))) break;
    for (const zombie of this.zombies) await this.watch(zombie);
  }

  /** False when the interaction has ended. */
  private async live(fate: Fate | undefined): Promise<boolean> {
    const life = new Life(
      fate,
      () => Math.floor(this.random() * 6),
      () => this.moments++,
    );
    const run = await this.world.takeUp(this.process(life));
    if (!run) return false;
    this.lives++;
    const done = run.execute();
    await this.watch(Promise.race([done, life.over]));
    if (fate?.death === 'zombie') this.zombies.push(done);
    else if (life.isDead) run.lose();
    else void run.shutDown();
    if (fate?.death !== 'zombie') await this.watch(done);
    return true;
  }

  private async watch(done: Promise<void>): Promise<void> {
    let isDone = false;
    void done.finally(() => (isDone = true));
    for (let idle = 0, moments = this.moments; !isDone; idle++) {
      await nextTick();
      if (moments !== this.moments) [idle, moments] = [0, this.moments];
      if (idle < STUCK_AFTER) continue;
      this.faults.push('stuck');
      return;
    }
  }

  private process(life: Life): ProcessOptions {
    return {
      append: (batches) => this.append(life, batches),
      provider: new ScriptedProvider((request, signal) => this.think(life, request, signal)),
      tools: [this.tool(life, 'once', 'report'), this.tool(life, 'again', 'rerun')],
      agent: (ctx) =>
        new ProgramAgent(ctx, {
          see: (place, outcome) => this.see(place, outcome),
          work: (place, effect) => this.work(life, place, effect),
        }).run(this.program, 'p'),
    };
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
    const text = this.outcome(place);
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
      arguments: this.random() < 0.1 ? '{"broken' : '{}',
    }));
    for (const [index, call] of calls.entries()) yield { type: 'tool_call_ready', index, ...call };
    yield completed(text, calls);
  }

  private tool(life: Life, name: string, recovery: 'report' | 'rerun'): FakeTool {
    const work = async (_: unknown, context: { tool_call_id: string }): Promise<string> => {
      const id = context.tool_call_id;
      await life.moment();
      this.effects.set(id, (this.effects.get(id) ?? 0) + 1);
      await life.moment();
      return this.outcome(id);
    };
    return new FakeTool(name, work, recovery);
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

function effectAt(program: Program, place: string): EffectNode {
  let here = program;
  for (const step of place.split('.').slice(1)) {
    const i = Number(step);
    if ('parts' in here) here = here.parts[i]!;
    else if ('ways' in here) here = here.ways[i]!;
  }
  if (!('effect' in here)) throw new Error(`There is no effect at ${place}.`);
  return here.effect;
}
