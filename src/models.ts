import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { ParleyServer } from './app/parley-server.js';
import { readConfig } from './config/config.module.js';
import type { Config } from './config/config.js';
import { AppLogger } from './logging/app-logger.js';
import { checkModel, isFit } from './model-check/check-model.js';
import type { CheckResult } from './model-check/check-model.js';
import { formatResult } from './model-check/format-result.js';
import { ModelCheckModule } from './model-check/model-check.module.js';
import { isProbeName, PROBE_NAMES } from './model-check/probes.js';
import type { ProbeName } from './model-check/probes.js';
import { runProgram } from './run-program.js';
import { prepareServer } from './server.js';

const USAGE = `Usage:
  npm run models -- check [provider/model] [--only text,tool_call] [--skip too_long] [--json]
      asks a model, by default MODEL, what it and its endpoint can do; exits with 1 if agents can't rely on it
Checks: ${PROBE_NAMES.join(', ')}.
"too_long" sends a text of 3,000,000 characters, which a model with a very large window would accept and charge for.`;

const MCP = 'mcp.json';

interface Command {
  /** Undefined: the server's default. */
  readonly models: string | undefined;
  readonly probes: readonly ProbeName[];
  readonly json: boolean;
}

async function check({ models, probes, json }: Command): Promise<void> {
  const config = await readConfig();
  const show = json ? (result: CheckResult) => JSON.stringify(result) : formatResult;
  let areFit = true;
  await withServer(config, async (server) => {
    for (const model of (models ?? config.model).split(',')) {
      if (!json) process.stdout.write(`${model.trim()}\n`);
      const results: CheckResult[] = [];
      for await (const result of checkModel(server, model.trim(), probes)) {
        results.push(result);
        process.stdout.write(`${show(result)}\n`);
      }
      areFit &&= isFit(results);
    }
  });
  process.exitCode = areFit ? 0 : 1;
}

function readCommand(): Command {
  const text = { type: 'string' } as const;
  const options = { only: text, skip: text, json: { type: 'boolean', default: false } } as const;
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  const [action, models, ...rest] = positionals;
  if (action !== 'check' || rest.length > 0) throw new Error('The command is "check".');
  const [only, skip] = [probesOf(values.only), probesOf(values.skip) ?? []];
  const probes = (only ?? PROBE_NAMES).filter((name) => !skip.includes(name));
  if (probes.length === 0) throw new Error('All checks are skipped.');
  return { models, probes, json: values.json };
}

function probesOf(list: string | undefined): readonly ProbeName[] | undefined {
  return list?.split(',').map((name) => {
    const probe = name.trim();
    if (isProbeName(probe)) return probe;
    throw new Error(`There is no check called "${probe}".`);
  });
}

/** A server with the models as configured, and with nothing else of the configuration. */
async function withServer(
  configured: Config,
  use: (server: ParleyServer) => Promise<void>,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-models-'));
  const alive = setInterval(() => {}, 60_000); // the timers of a server don't keep a process
  try {
    const config = configIn(folder, configured);
    await writeFile(join(folder, MCP), '{"mcpServers":{}}');
    const server = await prepareServer(config, [ModelCheckModule], new AppLogger(config));
    try {
      await server.init();
      await use(server);
    } finally {
      await server.shutdown();
    }
  } finally {
    clearInterval(alive);
    await rm(folder, { recursive: true, force: true });
  }
}

/** Images are sent to every model, and what is too long is refused by the endpoint, not here. */
function configIn(folder: string, configured: Config): Config {
  const {
    databaseUrl: _database,
    redisUrl: _redis,
    webhookUrl: _webhook,
    encryptionKeys: _keys,
    permissionsFile: _permissions,
    systemPromptFile: _prompt,
    ...rest
  } = configured;
  return {
    ...rest,
    ...{ store: 'file', fileStore: 'local', role: 'all', auth: ['none'], logLevel: 'silent' },
    ...{ dataDir: folder, filesDir: join(folder, 'files') },
    ...{ workspaceDir: join(folder, 'workspace'), workspaceMode: 'chat' },
    ...{ agentsDir: join(folder, 'agents'), mcpConfig: join(folder, MCP) },
    ...{ modelImages: ['*'], contextStrategy: 'none', guardrailMaxInputTokens: 0 },
    ...{ maxTokens: 0, maxCostUsd: 0, quotaTokensPerDay: 0, quotaRuns: 0, quotaStartsPerMinute: 0 },
  };
}

/** `npm run models -- check`: shows what models and their endpoints can do, and exits. */
await runProgram({ usage: USAGE, readCommand, run: check });
