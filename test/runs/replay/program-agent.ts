import type { AgentContext, AgentHandle } from '../../../src/agents/agent-context.js';
import type { EffectNode, Program } from './program.js';

export interface AgentHooks {
  /** What the agent got for the effect at this place of the program. */
  readonly see: (place: string, outcome: string) => void;
  /** The work of a step; may throw. */
  readonly work: (place: string, effect: EffectNode) => Promise<string>;
}

/** Runs a program as an agent would: its places are named by where they are in the code. */
export class ProgramAgent {
  private readonly outcomes: string[] = [];
  private child: AgentHandle | undefined;

  constructor(
    private readonly ctx: AgentContext,
    private readonly hooks: AgentHooks,
  ) {}

  /** Answers all that it has seen by then, so that nobody misses a difference. */
  async answer(program: Program, place: string): Promise<string> {
    await this.run(program, place);
    return `${place} saw ${this.outcomes.join()}`;
  }

  async run(program: Program, place: string): Promise<void> {
    switch (program.kind) {
      case 'effect':
        return void (await this.effect(program.effect, place));
      case 'sequence':
        for (const [i, part] of program.parts.entries()) await this.run(part, `${place}.${i}`);
        return;
      case 'parallel':
        return void (await Promise.all(this.runAll(program.parts, place)));
      case 'race':
        return Promise.race(this.runAll(program.parts, place));
      case 'loose':
        for (const part of this.runAll(program.parts, place)) part.catch(() => {});
        return;
      case 'fork':
        return this.fork(program, place);
      case 'choose': {
        const outcome = await this.effect(program.effect, place);
        const way = outcome.length % 2;
        return this.run(program.ways[way]!, `${place}.${way}`);
      }
    }
  }

  private async fork(
    { fate, parts: [, meanwhile] }: Extract<Program, { kind: 'fork' }>,
    place: string,
  ): Promise<void> {
    const child = await this.ctx.fork(`${place}.0`, { agent_type: 'child' });
    this.child = child;
    const working = this.run(meanwhile, `${place}.1`);
    if (fate === 'race') return Promise.race([working, this.wait(child, place)]);
    await working;
    if (fate === 'interrupt') child.interrupt();
    if (fate !== 'forget') await this.wait(child, place);
    if (fate === 'wait twice') await this.wait(child, place);
  }

  private async wait(child: AgentHandle, place: string): Promise<void> {
    const outcome = await this.ctx.wait(child).catch((error: Error) => error.message);
    this.see(`${place}/child`, outcome);
    this.see(`${place}/state`, child.state);
  }

  /** What people and agents told it is there from the turn on that took it in, and stays. */
  private seeTold(place: string): void {
    const users = this.ctx.messages.filter(({ role }) => role === 'user');
    const told = users.flatMap(
      ({ content }) => /(?:note|task)#\d+|told at \S+/.exec(content ?? '')?.[0] ?? [],
    );
    for (const [i, text] of told.entries()) this.see(`${place}/told/${i}`, text);
    this.see(`${place}/told`, String(told.length));
  }

  private see(place: string, outcome: string): void {
    this.outcomes.push(outcome);
    this.hooks.see(place, outcome);
  }

  private runAll(parts: readonly Program[], place: string): Promise<void>[] {
    return parts.map((part, i) => this.run(part, `${place}.${i}`));
  }

  private async effect(effect: EffectNode, place: string): Promise<string> {
    for (let i = 0; i < effect.hops; i++) await Promise.resolve();
    try {
      return await this.perform(effect, place);
    } catch (error) {
      const outcome = (error as Error).message;
      if ((error as { code?: string }).code === 'step_refused') return outcome;
      this.see(place, outcome);
      if (effect.fails === 'uncaught') throw error;
      await this.ctx.say(`sorry for ${place}`);
      return outcome;
    }
  }

  private async perform(effect: EffectNode, place: string): Promise<string> {
    switch (effect.kind) {
      case 'generate':
        return this.generate(place);
      case 'step': {
        const value = await this.ctx.step('work', () => this.hooks.work(place, effect));
        this.see(place, value);
        return value;
      }
      case 'ask': {
        const answer = String(await this.ctx.ask(place));
        this.see(place, answer);
        return answer;
      }
      case 'say':
        await this.ctx.say(place);
        return '';
      case 'notice':
        await this.ctx.notice('place', place);
        return '';
      case 'emit':
        await this.ctx.emit('place', { place });
        return '';
      case 'set':
        await this.ctx.setMetadata('place', place);
        return '';
      case 'tell':
        return this.tell(place);
    }
  }

  /** A child tells its parent, and the root its last child. */
  private async tell(place: string): Promise<string> {
    const reader = this.ctx.agent.parent_id === null ? this.child : 'parent';
    if (reader) await this.ctx.tell(reader, `told at ${place}`);
    return '';
  }

  private async generate(place: string): Promise<string> {
    this.seeTold(`${place}/before`);
    const turn = await this.ctx.generate({ instructions: place });
    this.see(place, turn.text);
    this.seeTold(`${place}/after`);
    const outcomes = await this.ctx.callTools(turn.tool_calls);
    outcomes.forEach(({ output }, i) => this.see(`${place}/${i}`, output));
    return turn.text;
  }
}
