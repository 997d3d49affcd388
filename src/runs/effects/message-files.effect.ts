import type { AgentIdentity } from '../../agents/agent-context.js';
import type { RedactedCounts } from '../../protocol/redacted.js';
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
    const { files, redacted } = await this.redact(await this.read());
    await scope.append([
      ...redactedEntries(agent.id, 'Text of the files', redacted),
      {
        agent_id: agent.id,
        key,
        body: { type: 'STEP_COMPLETED', name: READ_FILES, ...transcriptsOf(files) },
        hidden: { files },
      },
    ]);
  }

  outcome(): void {}

  /** Those that an edit keeps are as they were read before: they may be gone. */
  private async read(): Promise<ReadFile[]> {
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
    for (const file of await services.files.read({ tenant_id, files: others, signal }))
      known.set(file.id, file);
    return files.flatMap(({ id }) => known.get(id) ?? []);
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
