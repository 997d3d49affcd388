import type { AgentIdentity } from '../../agents/agent-context.js';
import type { RedactedCounts } from '../../protocol/redacted.js';
import type { ReadFiles } from '../../files/attached/attached-files.js';
import type { ReadFile, RecordOf } from '../../protocol/events.js';
import type { CompletingRecord } from '../journal/completes.js';
import { redactedEntries } from '../guarding/guard-output.js';
import type { AgentScope } from '../scope/agent-scope.js';
import { perform } from './effect.js';
import type { Effect } from './effect.js';

const READ_FILES = 'files';

/**
 * Reads the files of the user's message before the agent runs: a step of its own, so that nothing
 * is transcribed twice.
 */
class MessageFiles implements Effect<void> {
  readonly label = 'the files of the message';

  constructor(
    private readonly scope: AgentScope,
    private readonly agent: AgentIdentity,
    readonly key: string,
  ) {}

  matches({ body }: CompletingRecord): boolean {
    return body.type === 'STEP_COMPLETED' && body.name === READ_FILES;
  }

  async run(): Promise<void> {
    const { scope, agent, key } = this;
    const { files: read, left_out } = await this.read();
    const { files, redacted } = await this.redact(read);
    await scope.append([
      ...redactedEntries(agent.id, 'Text of the files', redacted),
      ...(left_out.length > 0 ? [{ agent_id: agent.id, key: null, body: noticeOf(left_out) }] : []),
      {
        agent_id: agent.id,
        key,
        body: { type: 'STEP_COMPLETED', name: READ_FILES, ...transcriptsOf(files) },
        hidden: { files },
      },
    ]);
  }

  outcome(): void {}

  /** Files that an edit keeps are taken as they were read before: they may be gone. */
  private async read(): Promise<ReadFiles> {
    const { interaction, services } = this.scope.run;
    const { edited_from, tenant_id, settings } = interaction;
    const { files = [] } = settings;
    const known = new Map<string, ReadFile>();
    if (edited_from !== null)
      for (const { hidden } of await services.records.readRecordsOfTypes(
        [edited_from],
        ['STEP_COMPLETED'],
      ))
        if (hidden && 'files' in hidden) for (const file of hidden.files) known.set(file.id, file);
    const others = files.filter(({ id }) => !known.has(id));
    const { signal } = this.scope;
    const read = await services.files.read({ tenant_id, files: others, signal });
    for (const file of read.files) known.set(file.id, file);
    return { ...read, files: files.flatMap(({ id }) => known.get(id) ?? []) };
  }

  private async redact(
    read: readonly ReadFile[],
  ): Promise<{ files: ReadFile[]; redacted?: RedactedCounts }> {
    const { redaction } = this.scope.run.services;
    const counts = new Map<string, number>();
    const files: ReadFile[] = [];
    for (const file of read) {
      const { redacted = {}, ...rest } = await redaction.of(file, 'text');
      for (const [name, count] of Object.entries(redacted))
        counts.set(name, (counts.get(name) ?? 0) + count);
      files.push(rest);
    }
    return { files, ...(counts.size > 0 && { redacted: Object.fromEntries(counts) }) };
  }
}

/** For the person: only the model sees the texts of the files. */
function noticeOf(left_out: readonly string[]): RecordOf<'NOTICE'> {
  const message = `The model does not get all of the files. ${left_out.join(' ')}`;
  return { type: 'NOTICE', code: 'files_left_out', message };
}

function transcriptsOf(
  files: readonly ReadFile[],
): Pick<RecordOf<'STEP_COMPLETED'>, 'transcripts'> {
  const transcripts = files.flatMap(({ id: file_id, text, transcript }) =>
    transcript ? [{ file_id, text, ...transcript }] : [],
  );
  return transcripts.length > 0 ? { transcripts } : {};
}

/** Has the files of the user's message read, once. */
export async function readFiles(
  scope: AgentScope,
  agent: AgentIdentity,
  path: string,
): Promise<void> {
  if (scope.run.interaction.settings.files)
    await perform(scope, new MessageFiles(scope, agent, `${path}/files`));
}
