import { Logger } from '@nestjs/common';
import type { AgentContext } from '../../src/agents/agent-context.js';
import { ReactAgent } from '../../src/agents/kinds/react/react.agent.js';
import { loadConfig } from '../../src/config/load-config.js';
import { SecretsGuardrail } from '../../src/guardrails/secrets/secrets.guardrail.js';
import { GuardedResult } from '../../src/runs/guarding/guard-output.js';
import { BoundedOutput } from '../../src/tools/text/bounded-output.js';
import { keptOutput } from '../../src/tools/core/tool-limits.js';
import { ToolOutput } from '../../src/tools/core/tool-output.js';
import { answerTurn, callTurn } from '../support/model/model-events.js';
import { RunWorld } from '../support/runs/run-world.js';
import { ScriptedProvider } from '../support/model/scripted-provider.js';
import { FakeTool } from '../support/tools/fake-tool.js';

const SECRET = `ghp_${'Ab3'.repeat(12)}`;
const LIMITS = { toolTimeoutMs: 60_000, toolOutputLimit: 30_000 };
const KEPT = keptOutput(LIMITS);
const react = (ctx: AgentContext): Promise<void> => new ReactAgent().run(ctx);
const guardrails = [new SecretsGuardrail(loadConfig({}))];

/** Pieces of the secret that are long enough to be known by. */
const pieces = [SECRET.slice(0, 12), SECRET.slice(-12)];

/** A log of lines of 50 characters, which has the secret in each but says nothing else of it. */
function lines(): Buffer {
  return Buffer.from(`${'.'.repeat(9)} ${SECRET}`.padEnd(60, ' '));
}

async function logOf(world: RunWorld): Promise<string> {
  await world.run();
  return JSON.stringify([await world.log(), world.frames]);
}

describe(GuardedResult.name, () => {
  beforeAll(() => Logger.overrideLogger(false));

  it('redacts the output of a command before it is cut, wherever the cut falls', async () => {
    for (let shift = 0; shift < 60; shift += 15) {
      const output = new BoundedOutput(KEPT - 200);
      output.push(Buffer.from('x'.repeat(shift)));
      for (let sent = 0; sent < 5 * KEPT; sent += 60) output.push(lines());
      const tool = new FakeTool('print', () => {
        const { text, truncated } = output.text();
        return new ToolOutput(text, { truncated }) as unknown as string;
      });
      const call = callTurn([{ id: 'c1', name: 'print', arguments: '{}' }]);
      const provider = ScriptedProvider.playing(call, answerTurn('Done'));
      const world = await RunWorld.open({ agent: react, tools: [tool], provider, guardrails });
      const text = await logOf(world);
      expect(text).toContain('[redacted: GitHub token]');
      for (const piece of pieces) expect(text).not.toContain(piece);
    }
  });

  it('redacts the error of an agent before it is cut', async () => {
    const message = `${'x'.repeat(9_980)} ${SECRET}`;
    const agent = () => Promise.reject(new Error(message));
    const world = await RunWorld.open({ agent, guardrails });
    expect(await logOf(world)).not.toContain(pieces[0]);
    const [error] = await world.all('ERROR');
    expect(error!.message.length).toBeLessThan(10_100);
  });

  it.each(['name', 'id'])('redacts a secret in the %s of a call', async (field) => {
    const call = { id: 'c1', name: 'print', arguments: '{}', [field]: SECRET };
    const provider = ScriptedProvider.playing(callTurn([call]), answerTurn('Done'));
    const tools = [new FakeTool('print', () => 'ok')];
    const world = await RunWorld.open({ agent: react, tools, provider, guardrails });
    const text = await logOf(world);
    expect((await world.row()).status).toBe('COMPLETED');
    for (const piece of pieces) expect(text).not.toContain(piece);
    expect(JSON.stringify(provider.requests)).not.toContain(pieces[0]);
    const [result] = await world.all('TOOL_RESULT');
    expect(result!.is_error).toBe(field === 'name');
    expect((await world.all('NOTICE')).map(({ message }) => message)).toEqual([
      'Guardrail secrets: Secrets were redacted: GitHub token.',
    ]);
  });
});
