import { setImmediate as nextTick } from 'node:timers/promises';
import type { AgentContext, AgentHandle } from '../../../src/agents/agent-context.js';
import type { DoneStep, HookContext, Step, StepOf } from '../../../src/agents/agent-hooks.js';
import { Agent } from '../../../src/agents/agent.js';
import type { Making } from '../../../src/agents/agent.js';
import type { Message } from '../../../src/protocol/message.js';

/** What an agent of one process keeps for itself, its hooks and its tools. */
export class Goods {
  isOpen = true;
  /** What its hooks were told, in order. */
  readonly trace: string[] = [];

  constructor(readonly agent_id: string) {}

  [Symbol.dispose](): void {
    this.isOpen = false;
  }
}

export interface HookedProgramOptions {
  readonly code: (ctx: AgentContext) => Promise<string | void>;
  /** Keeps what was made. */
  readonly keep: (goods: Goods) => void;
  /** Ticks that making takes. */
  readonly latency: () => number;
  readonly onFault: (fault: string) => void;
}

/** What the result of a call begins with that the hooks have refused. */
export const REFUSED = 'This call was refused: ';

/**
 * A program with hooks that write down all that they are told, and refuse some of it, whatever the
 * program says.
 */
export class HookedProgram extends Agent<Goods> {
  constructor(private readonly options: HookedProgramOptions) {
    super();
  }

  override async resources({ agent }: Making): Promise<Goods> {
    const goods = new Goods(agent.id);
    for (let i = this.options.latency(); i > 0; i--) await nextTick();
    this.options.keep(goods);
    return goods;
  }

  run(ctx: AgentContext<Goods>): Promise<string | void> {
    return this.options.code(ctx);
  }

  override beforeStep(step: Step, ctx: HookContext<Goods>): string | void {
    this.note(ctx, `before ${JSON.stringify(step, handlesAsIds)}`);
    if (step.kind === 'tool_call') return isRefused(step) ? 'Its number is round.' : undefined;
    if (/^p[.\d]*3$/.test(placeOf(step)) || /^p(\.[02])+$/.test(placeOf(step)))
      return 'It is out of place.';
  }

  override afterStep(step: DoneStep, ctx: HookContext<Goods>): void {
    if (step.kind === 'tool_call' && isRefused(step) && !step.value?.output.startsWith(REFUSED))
      this.options.onFault(`${step.call.id} was refused, and came to ${step.value?.output}`);
    const told = { ...step, error: String(step.error) };
    this.note(ctx, `after ${JSON.stringify(told, handlesAsIds)}`);
  }

  override onMessage(message: Message, ctx: HookContext<Goods>): void {
    this.note(ctx, JSON.stringify(message));
  }

  private note({ resources, agent }: HookContext<Goods>, what: string): void {
    if (!resources.isOpen || resources.agent_id !== agent.id)
      this.options.onFault(`a hook of ${agent.id} has no resources any more`);
    resources.trace.push(what);
  }
}

function isRefused({ call }: StepOf<'tool_call'>): boolean {
  return /[05]$/.test(call.id);
}

function handlesAsIds(_: string, value: unknown): unknown {
  const isHandle = typeof value === 'object' && value !== null && 'interrupt' in value;
  return isHandle ? (value as AgentHandle).agent_id : value;
}

function placeOf(step: Step): string {
  switch (step.kind) {
    case 'generate':
      return step.options.instructions ?? '';
    case 'ask':
      return step.question;
    case 'say':
      return step.text;
    case 'notice':
      return step.message;
    case 'emit':
      return (step.data as { place: string }).place;
    case 'set_metadata':
      return String(step.value);
    case 'tell':
      return step.text.replace('told at ', '');
    case 'step':
    case 'fork':
    case 'wait':
    case 'tool_call':
      return '';
  }
}

/**
 * However often an agent is run, its hooks are told the same, as far as that run gets; and all that
 * was made is disposed of.
 */
export function hookFaults(made: readonly Goods[]): string[] {
  const longest = new Map<string, Goods>();
  for (const goods of made) {
    const known = longest.get(goods.agent_id);
    if (!known || known.trace.length < goods.trace.length) longest.set(goods.agent_id, goods);
  }
  return made.flatMap(({ agent_id, trace, isOpen }) => {
    const whole = longest.get(agent_id)!.trace;
    const at = trace.findIndex((what, i) => what !== whole[i]);
    return [
      ...(isOpen ? [`what ${agent_id} had is not disposed of`] : []),
      ...(at < 0 ? [] : [`${agent_id}, hook ${at}: ${trace[at]}, and else ${whole[at]}`]),
    ];
  });
}
