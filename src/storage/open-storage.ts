import type { Config } from '../config/config.js';
import { SystemClock } from '../kernel/clock.js';
import type { ChatArchive } from '../persistence/chat-archive.js';
import type { InteractionStore } from '../persistence/interaction.store.js';
import type { RuleStore } from '../permissions/rule-store.js';
import type { TaskStore } from '../tasks/task-store.js';
import { DataDirLock } from './data-dir-lock.js';
import type { ReportProblem } from './file/report-problem.js';

/** After a start, or what was deleted, in milliseconds. */
const VACUUM_PAUSE_MS = 2_000;

/** An open store and how to close it. */
export interface Storage {
  readonly store: InteractionStore;
  readonly rules: RuleStore;
  readonly tasks: TaskStore;
  readonly archive: ChatArchive;
  close(): Promise<void>;
}

/**
 * Opens what the configuration names: a Postgres server, the embedded database, or files. The latter two lock `DATA_DIR`.
 * @param report called with what was wrong and could be mended
 * @throws AppError with a message for the operator
 */
export async function openStorage(
  config: Config,
  report: (problem: string) => void,
): Promise<Storage> {
  if (config.databaseUrl) return openDatabaseStorage(config, report);
  const lock = await DataDirLock.acquire(config.dataDir);
  try {
    const open = config.store === 'file' ? openFileStorage : openDatabaseStorage;
    const storage = await open(config, report);
    return { ...storage, close: () => closeAndRelease(storage, lock) };
  } catch (error) {
    await lock.release();
    throw error;
  }
}

async function closeAndRelease(storage: Storage, lock: DataDirLock): Promise<void> {
  try {
    await storage.close();
  } finally {
    await lock.release();
  }
}

async function openDatabaseStorage(
  config: Config,
  report: (problem: string) => void,
): Promise<Storage> {
  const { openDatabase } = await import('./typeorm/open-database.js');
  const { expireLeases } = await import('./typeorm/expire-leases.js');
  const { TypeOrmChatArchive } = await import('./typeorm/typeorm-chat-archive.js');
  const { TypeOrmInteractionStore } = await import('./typeorm/typeorm-interaction-store.js');
  const { TypeOrmRuleStore } = await import('./typeorm/typeorm-rule-store.js');
  const { Vacuum } = await import('./typeorm/vacuum.js');
  const { TypeOrmTaskStore } = await import('./typeorm/typeorm-task-store.js');
  const database = await openDatabase({
    ...(config.databaseUrl && { url: config.databaseUrl.reveal() }),
    dataDir: config.dataDir,
    migrate: config.migrate,
    saveTimeoutMs: config.saveTimeoutMs,
    onWait: report,
  });
  const vacuum = config.databaseUrl ? undefined : new Vacuum(database, VACUUM_PAUSE_MS);
  if (vacuum) await expireLeases(database);
  vacuum?.request();
  return {
    store: new TypeOrmInteractionStore(database, vacuum),
    rules: new TypeOrmRuleStore(database),
    tasks: new TypeOrmTaskStore(database),
    archive: new TypeOrmChatArchive(database),
    async close() {
      await vacuum?.stop();
      await database.close();
    },
  };
}

async function openFileStorage(
  config: Config,
  report: (problem: string) => void,
): Promise<Storage> {
  const { FileRuleStore } = await import('./file/file-rule-store.js');
  const { FileTaskStore } = await import('./file/file-task-store.js');
  const { FileInteractionStore } = await import('./file/file-interaction-store.js');
  const reportFile: ReportProblem = ({ path, message }) => report(`${path}: ${message}`);
  const store = await FileInteractionStore.open({
    data_dir: config.dataDir,
    clock: new SystemClock(),
    report: reportFile,
  });
  const tasks = await FileTaskStore.open(store.folders, reportFile);
  const rules = await FileRuleStore.open({ data_dir: config.dataDir });
  return {
    store,
    rules,
    tasks,
    archive: store.archive,
    async close() {
      await tasks.close();
      await store.close();
      await rules.close();
    },
  };
}
