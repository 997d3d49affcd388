import { appendFileSync, readFileSync } from 'node:fs';
import { once } from 'node:events';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { Injectable, Module } from '@nestjs/common';
import { z } from 'zod';
import { bootstrap } from '../../../src/bootstrap.js';
import { AgentType } from '../../../src/agents/agent-type.decorator.js';
import type { AgentContext } from '../../../src/agents/agent-context.js';
import type { DoneStep, HookContext, Step } from '../../../src/agents/agent-hooks.js';
import { Agent } from '../../../src/agents/agent.js';
import { Guardrail } from '../../../src/guardrails/guardrail.js';
import type { InputVerdict, OpenFilter, OutputVerdict } from '../../../src/guardrails/guardrail.js';
import { GuardrailProvider } from '../../../src/guardrails/guardrail-provider.decorator.js';
import type { Message } from '../../../src/protocol/message.js';
import { ToolProvider } from '../../../src/tools/core/tool-provider.decorator.js';
import { Tool } from '../../../src/tools/core/tool.js';
import type { ToolContext, ToolPolicy } from '../../../src/tools/core/tool.js';

/**
 * The file of what is witnessed, that with the beginning of the line to stop at, and the port where
 * accounts are kept.
 */
const [path, haltPath, port] = process.argv.slice(2) as [string, string, string];

/**
 * Says what happens to a file that outlives the process, which stops there with all that it does
 * where a test wants to kill it.
 */
function tell(line: string): void {
  appendFileSync(path, `${process.pid} ${line}\n`);
  const haltAt = readFileSync(haltPath, 'utf8');
  if (haltAt === '' || !line.startsWith(haltAt)) return;
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}

/** What an agent pays from: a connection that is closed with it. */
class Account implements AsyncDisposable {
  charges = 0;

  constructor(private readonly connection: Socket) {}

  async [Symbol.asyncDispose](): Promise<void> {
    tell('disposed');
    this.connection.end();
  }
}

/** Calls tools until it can answer, tells what its hooks are told, and pays for one charge. */
@Injectable()
@AgentType({ name: 'witness', description: 'Tells what happens to it.' })
class WitnessAgent extends Agent<Account> {
  override async resources(): Promise<Account> {
    const connection = connect(Number(port), '127.0.0.1');
    await once(connection, 'connect');
    tell('made');
    return new Account(connection);
  }

  async run(ctx: AgentContext<Account>): Promise<string> {
    for (;;) {
      const turn = await ctx.generate();
      if (turn.tool_calls.length === 0) return `${turn.text} ${ctx.resources.charges} charged.`;
      await ctx.callTools(turn.tool_calls);
    }
  }

  override beforeStep(step: Step, { resources }: HookContext<Account>): string | void {
    tell(`hook before ${nameOf(step)}`);
    if (step.kind !== 'tool_call' || step.call.function.name !== 'charge') return;
    if (resources.charges > 0) {
      tell(`hook refuses ${nameOf(step)}`);
      return 'the account is empty.';
    }
    resources.charges++;
  }

  override afterStep(step: DoneStep): void {
    tell(`hook after ${nameOf(step)} ${step.error?.message ?? JSON.stringify(step.value)}`);
  }

  override onMessage({ role, content }: Message): void {
    tell(`hook message ${role} ${content}`);
  }
}

function nameOf(step: Step): string {
  return step.kind === 'tool_call' ? `call ${step.call.id}` : step.kind;
}

const charge = z.object({ what: z.string() });

/** Must not be run twice, and says more than it should. */
@Injectable()
@ToolProvider()
class ChargeTool extends Tool<z.output<typeof charge>> {
  readonly name = 'charge';
  readonly description = 'Charges the account.';
  readonly input = charge;
  readonly policy: ToolPolicy = {
    ...{ category: 'write', read_only: false, risk: 'medium' },
    recovery: 'report',
  };

  async execute({ what }: z.output<typeof charge>, { resources }: ToolContext): Promise<string> {
    resources.get(Account);
    tell(`charged for ${what}`);
    return `Charged for ${what} with ${process.env['SHOP_TOKEN']}`;
  }
}

/** Trips once, whatever process asks it: whoever asks it again comes to another end. */
@Injectable()
@GuardrailProvider()
class OnceGuardrail extends Guardrail {
  readonly name = 'once';

  override checkInput(text: string): InputVerdict {
    return this.trips(text) ? { verdict: 'tripwire', reason: 'new' } : { verdict: 'pass' };
  }

  override openOutput(): OpenFilter {
    const push = (text: string): string => {
      if (text.startsWith('The guardrail once stopped')) tell('ending');
      if (this.trips(text)) throw new Error('new');
      return text;
    };
    return (part) => (part === 'tool_output' ? { push, end: () => '' } : undefined);
  }

  override checkOutput(text: string): OutputVerdict {
    return this.trips(text) ? { verdict: 'tripwire', reason: 'new' } : { verdict: 'pass' };
  }

  private trips(text: string): boolean {
    if (!text.includes('TRIP') || readFileSync(path, 'utf8').includes('tripped')) return false;
    tell('tripped');
    return true;
  }
}

@Module({ providers: [WitnessAgent, ChargeTool, OnceGuardrail] })
class WitnessModule {}

await bootstrap([WitnessModule]);
