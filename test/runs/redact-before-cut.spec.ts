import { readFileSync } from 'node:fs';
import { Logger } from '@nestjs/common';
import type { AgentContext } from '../../src/agents/agent-context.js';
import { ReactAgent } from '../../src/agents/kinds/react/react.agent.js';
import { loadConfig } from '../../src/config/load-config.js';
import { SecretsGuardrail } from '../../src/guardrails/secrets/secrets.guardrail.js';
import { McpConnection } from '../../src/mcp/mcp-connection.js';
import { atOnce } from '../../src/kernel/async/sliced.js';
import { offeredTools } from '../../src/mcp/mcp-tool.js';
import { GuardedResult } from '../../src/runs/guarding/guard-output.js';
import { BoundedOutput } from '../../src/tools/text/bounded-output.js';
import { keptOutput } from '../../src/tools/core/tool-limits.js';
import { ToolOutput } from '../../src/tools/core/tool-output.js';
import { EditTool } from '../../src/tools/edit/edit.tool.js';
import { FileChanges } from '../../src/tools/workspace-files/file-changes.js';
import { stateOf } from '../../src/tools/workspace-files/file-state.js';
import { KnownFiles } from '../../src/tools/workspace-files/known-files.js';
import { GrepTool } from '../../src/tools/grep/grep.tool.js';
import { ReadTool } from '../../src/tools/read/read.tool.js';
import { WriteTool } from '../../src/tools/write/write.tool.js';
import { answerTurn, callTurn } from '../support/model/model-events.js';
import { askedIn } from '../support/runs/asked-in.js';
import { AskingJudge } from '../support/runs/asking-judge.js';
import { RunWorld } from '../support/runs/run-world.js';
import type { ProcessOptions } from '../support/runs/run-world.js';
import { ScriptedProvider } from '../support/model/scripted-provider.js';
import { FakeTool } from '../support/tools/fake-tool.js';
import { OddHttpServer } from '../support/tools/mcp/odd-http-server.js';
import { WorkspaceFolder } from '../support/tools/workspace-folder.js';

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

async function logOf(world: RunWorld, options?: ProcessOptions): Promise<string> {
  await world.run(options);
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

  it('redacts the error of a step before it is cut, also for an agent that catches it', async () => {
    const fail = () => Promise.reject(new Error(`${'x'.repeat(9_980)} ${SECRET}`));
    const agent = async (ctx: AgentContext) =>
      ctx.say(await ctx.step('fail', fail).catch((error: Error) => error.message));
    const world = await RunWorld.open({ agent, guardrails });
    const text = await logOf(world);
    expect((await world.row()).status).toBe('COMPLETED');
    expect(text).toContain('x'.repeat(9_900));
    expect(text).not.toContain(SECRET.slice(0, 8));
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

  const EDIT = { path: 'f', old_string: 'old', new_string: 'new' };

  it.each([
    ['a line that read shows', 'read', { path: 'f' }, `${'x'.repeat(1_980)} ${SECRET}`],
    ['what is read of it', 'read', { path: 'f' }, `ghp_${'A'.repeat(21_975)} ${SECRET}`],
    ['a line that grep shows', 'grep', { pattern: 'needle' }, `needle${'x'.repeat(270)} ${SECRET}`],
    [
      'what grep shows before the match',
      'grep',
      { pattern: 'needle' },
      `${'x'.repeat(300)} ${SECRET} ${'x'.repeat(80)}needle`,
    ],
    ['the match of grep', 'grep', { pattern: 'ghp_' }, `${'x'.repeat(270)} ${SECRET}`],
    ['a change', 'edit', EDIT, `${'x'.repeat(280)} ${SECRET}${' '.repeat(300)}\nold`],
    ['a new line', 'write', { path: 'f', content: 'new' }, `${'x'.repeat(280)} ${SECRET}`],
    ['an edit that is refused', 'edit', EDIT, `${'x'.repeat(180)} ${SECRET} old old`],
  ])('redacts a secret at the cut of %s', async (_, name, input, line) => {
    const text = await inFile(`${line} ${'y'.repeat(400)}\n`, { name, input }, logOf);
    for (const piece of pieces) expect(text).not.toContain(piece);
    expect(text).toContain('Guardrail secrets: Secrets were redacted: GitHub token.');
  });

  it('redacts a secret at the cut of what a person has to approve', async () => {
    const line = `${'x'.repeat(280)} ${SECRET} ${'y'.repeat(400)}`;
    const { action, log } = await inFile(
      `${line}\nold\n`,
      { name: 'edit', input: EDIT },
      async (world, options) => {
        const run = (await world.takeUp({ ...options, judge: new AskingJudge() }))!;
        const going = run.execute();
        const asked = await askedIn(world);
        run.lose();
        await going;
        return { ...asked, log: JSON.stringify(await world.log()) };
      },
    );
    expect(action).toMatch(/x \[redacted: .*more characters\]\n-old\n\+new$/s);
    for (const piece of pieces) expect(log).not.toContain(piece);
    expect(log).toContain('Guardrail secrets: Secrets were redacted: GitHub token.');
  });

  it('redacts a secret at the cut of what an MCP server answers to a call', async () => {
    const odd = await OddHttpServer.start();
    let declared: readonly unknown[] = [];
    const connection = new McpConnection(
      { kind: 'http', name: 'odd', trust: true, url: odd.url, headers: {} },
      async (tools) => ((declared = tools), null),
    );
    try {
      await connection.start();
      const said = `${'x'.repeat(930)} ${SECRET} ${'y'.repeat(400)}`;
      odd.answers.push((response) => void response.writeHead(500).end(said));
      const { tools } = atOnce(offeredTools(connection, declared));
      const call = callTurn([{ id: 'c1', name: 'mcp__odd__acts', arguments: '{}' }]);
      const provider = ScriptedProvider.playing(call, answerTurn('Done'));
      const world = await RunWorld.open({ agent: react, tools, provider, guardrails });
      const text = await logOf(world);
      expect(text).toMatch(/answered with an error: .*x{900} \[redacted: /);
      for (const piece of pieces) expect(text).not.toContain(piece);
    } finally {
      await connection.stop();
      await odd.stop();
    }
  });
});

/** A world whose agent calls a tool in a workspace with the file `f`, which the chat has seen. */
async function inFile<T>(
  content: string,
  { name, input }: { readonly name: string; readonly input: object },
  work: (world: RunWorld, options: ProcessOptions) => Promise<T>,
): Promise<T> {
  const folder = new WorkspaceFolder();
  try {
    folder.write({ f: content });
    const { workspaces, config } = folder;
    const world = await RunWorld.open({ agent: react, guardrails });
    const known = new KnownFiles(world.store, world.store);
    known.remember((await world.row()).chat_uid, stateOf('f', readFileSync(folder.at('f'))));
    const changes = new FileChanges(workspaces, known);
    const tools = [
      new ReadTool(workspaces, known, config),
      new GrepTool(workspaces, config),
      new EditTool(changes),
      new WriteTool(changes),
    ];
    const call = callTurn([{ id: 'c1', name, arguments: JSON.stringify(input) }]);
    const provider = ScriptedProvider.playing(call, answerTurn('Done'));
    return await work(world, { tools, provider });
  } finally {
    folder.remove();
  }
}
