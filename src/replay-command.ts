import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { INestApplicationContext, Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { AppModule } from './app.module.js';
import { LOCAL_PRINCIPAL } from './auth/principal.js';
import { NewIds } from './chats/session-log/new-ids.js';
import { Ids } from './kernel/ids.js';
import { SessionLogImporter } from './chats/session-log/session-log-importer.js';
import { readConfig } from './config/config.module.js';
import { SystemClock } from './kernel/clock.js';
import { ChatArchive } from './persistence/chat-archive.js';
import { ChatStore } from './persistence/chat.store.js';
import { readLog } from './persistence/read-log.js';
import { toEvent } from './persistence/rows/log-record.js';
import type { LogRecord } from './persistence/rows/log-record.js';
import { isFinal } from './protocol/interaction.js';
import { ConversationLoader } from './runs/context-window/earlier-conversation.js';
import { fork } from './runs/replay/fork.js';
import { judgeCalls } from './runs/replay/judge-calls.js';
import type { RecordedInteraction } from './runs/replay/observe-run.js';
import { replay } from './runs/replay/replay.js';
import type { Difference } from './runs/replay/replay.js';
import { RunServices } from './runs/scope/run-services.js';
import { runProgram, UsageError } from './run-program.js';
import { openFileStores } from './storage/file/file-stores.js';

const USAGE = `Usage:
  npm run replay -- chat.ndjson [--interaction N]
      runs each interaction of a session log again, with the model turns and tool results of the log, and shows the first difference
  npm run replay -- chat.ndjson [--interaction N] --rules
      shows the verdict of this server's rules (PERMISSIONS_FILE, packages) on each tool call of the log
  npm run replay -- chat.ndjson --interaction N --from SEQ [--model NAME] [--yes]
      goes on from a record, with real models and tools; calls that would ask are denied, with --yes allowed
N is the place of the interaction in the log: 1 is the first.`;

const CHAT = 'replayed';

interface Command {
  readonly path: string;
  readonly interaction: number | undefined;
  readonly rules: boolean;
  readonly from: number | undefined;
  readonly model: string | undefined;
  readonly yes: boolean;
}

/** An interaction of the log, with its place in it. */
interface Placed extends RecordedInteraction {
  readonly place: number;
}

/**
 * `npm run replay`: executes interactions of a session log again, in memory, and exits: with 1 if
 * one differs from its log.
 * @param modules agents and tools beside the server's own
 */
export async function replayCommand(modules: readonly Type[] = []): Promise<void> {
  await runProgram({
    usage: USAGE,
    readCommand,
    async run(command) {
      process.exitCode = (await withServer(modules, (app) => execute(app, command))) ? 0 : 1;
    },
  });
}

function readCommand(): Command {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean', default: false } as const;
  const options = { interaction: text, rules: flag, from: text, model: text, yes: flag };
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  const [path, ...rest] = positionals;
  if (path === undefined || rest.length > 0) throw new Error('Name one session log.');
  const [interaction, from] = [numberOf(values.interaction), numberOf(values.from)];
  if (from !== undefined && interaction === undefined)
    throw new Error('--from needs --interaction.');
  const { rules, model, yes } = values;
  return { path, interaction, rules, from, model, yes };
}

function numberOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const number = Number(text);
  if (!Number.isInteger(number) || number < 1) throw new Error(`"${text}" is no number from 1 on.`);
  return number;
}

/** A server as configured, but on files of its own, which it removes at the end. */
async function withServer<T>(
  modules: readonly Type[],
  use: (app: INestApplicationContext) => Promise<T>,
): Promise<T> {
  const {
    databaseUrl: _database,
    redisUrl: _redis,
    webhookUrl: _webhook,
    ...rest
  } = await readConfig();
  const data_dir = await mkdtemp(join(tmpdir(), 'parley-replay-'));
  const workspaceDir = join(data_dir, 'workspace');
  const filesDir = join(data_dir, 'files');
  const own = { store: 'file', role: 'all', dataDir: data_dir, filesDir, workspaceDir } as const;
  const stores = await openFileStores({
    data_dir,
    clock: new SystemClock(),
    report: ({ message }) => show(message),
  });
  const app = await NestFactory.createApplicationContext(
    AppModule.of({ ...rest, ...own }, stores, modules),
    { logger: ['error'], abortOnError: false },
  );
  try {
    return await use(app);
  } finally {
    await app.close();
    await stores.close();
    await rm(data_dir, { recursive: true, force: true });
  }
}

/** False: an interaction differs from its log. */
async function execute(app: INestApplicationContext, command: Command): Promise<boolean> {
  const services = app.get(RunServices);
  let isSame = true;
  for await (const placed of readInteractions(app, command)) {
    if (command.rules) await showRules(services, placed);
    else if (command.from !== undefined) await goOn(services, placed, command);
    else isSame = (await compare(services, placed)) && isSame;
  }
  return isSame;
}

/** Reads the interactions of the log that have ended, in its order. */
async function* readInteractions(
  app: INestApplicationContext,
  { path, interaction: wanted }: Command,
): AsyncGenerator<Placed> {
  const body = (await open(path)).createReadStream();
  const request = { caller: LOCAL_PRINCIPAL, ids: new NewIds(app.get(Ids), CHAT), body };
  const { problems } = await app.get(SessionLogImporter).import(request);
  for (const { line, message } of problems) show(`line ${line}: ${message}`);
  const services = app.get(RunServices);
  const isCut = services.config.contextStrategy !== 'none';
  const chat_uid = await chatUidOf(app);
  let place = 0;
  for (let after: string | undefined; ;) {
    const page = await app
      .get(ChatArchive)
      .listInteractions(chat_uid, { limit: 20, ...(after !== undefined && { after }) });
    for (const interaction of page) {
      place++;
      if (wanted !== undefined && place !== wanted) continue;
      if (!isFinal(interaction.status) || !interaction.begun) continue;
      const earlier = await new ConversationLoader(services, interaction).load(isCut);
      const records = await readLog(services.records, interaction.id);
      yield { place, interaction, records, ...earlier };
    }
    after = page.at(-1)?.id;
    if (after === undefined) break;
  }
  if (wanted !== undefined && place < wanted)
    throw new UsageError(`The log has ${place} interactions.`);
}

async function chatUidOf(app: INestApplicationContext): Promise<string> {
  const { tenant_id, user_id } = LOCAL_PRINCIPAL;
  const chat = await app.get(ChatStore).findChat(CHAT, { tenant_id, user_id, is_admin: true });
  if (!chat) throw new Error('The log could not be imported.');
  return chat.uid;
}

async function compare(services: RunServices, placed: Placed): Promise<boolean> {
  const { interaction, records } = placed;
  const difference = await replay(services, placed);
  const named = nameOf(placed);
  if (!difference) show(`${named} ${interaction.status}: as in its ${records.length} records`);
  else
    show(
      `${named} ${interaction.status}: differs at record ${difference.seq}\n${describe(difference)}`,
    );
  return !difference;
}

function describe({ recorded, replayed }: Difference): string {
  const log = recorded ? JSON.stringify(recorded) : 'nothing more';
  const now = 'asks_model' in replayed ? `asks ${replayed.asks_model}` : JSON.stringify(replayed);
  return `  log:    ${log}\n  replay: ${now}`;
}

async function showRules({ judge, tools }: RunServices, placed: Placed): Promise<void> {
  show(nameOf(placed));
  for (const { seq, tool_name, recorded, now, reason } of await judgeCalls(
    { judge, tools },
    placed,
  ))
    show(`  ${seq} ${tool_name}: ${now} (in the log: ${recorded}). ${reason}`);
}

async function goOn(services: RunServices, placed: Placed, command: Command): Promise<void> {
  const { from = 1, yes, model = placed.interaction.model } = command;
  services.models.resolve(model);
  services.agents.get(placed.interaction.agent);
  const settings = {
    ...placed.interaction.settings,
    approval_mode: yes ? 'auto' : 'deny',
  } as const;
  const interaction = { ...placed.interaction, model, settings };
  await fork(services, { ...placed, interaction }, { from, write: showRecord });
}

function nameOf({ place, interaction }: Placed): string {
  return `${place} (${interaction.agent})`;
}

function showRecord(record: LogRecord): void {
  show(JSON.stringify(toEvent(record)));
}

function show(line: string): void {
  process.stdout.write(`${line}\n`);
}
