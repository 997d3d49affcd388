import { inSlices } from '../../kernel/async/sliced.js';
import type { ArchivedChat, ArchivedInteraction } from '../../persistence/chat-archive.js';
import type { Redaction } from '../../guardrails/redaction/redaction.js';
import { redactionNotice } from '../../guardrails/redaction/redaction.js';
import type { InteractionSettings } from '../../persistence/rows/interaction-row.js';
import type { Json } from '../../protocol/json.js';
import { isFinal } from '../../protocol/interaction.js';
import type { ChatSettingsRules } from '../chat-settings-rules.js';
import { checkMessages } from '../check-messages.js';
import type { Message } from '../../protocol/message.js';
import { InteractionImport } from './interaction-import.js';
import type { ImportDeps } from './interaction-import.js';
import {
  SESSION_LOG_VERSION,
  chatFields,
  checkFields,
  interactionFields,
  recordFields,
  requestFields,
  versionFields,
} from './line-schemas.js';
import type { ChatLine, InteractionLine } from './line-schemas.js';
import type { NewIds } from './new-ids.js';
import { parseLine } from './ndjson.js';
import type { BodyLine } from './ndjson.js';

export interface ChatImportDeps extends ImportDeps {
  readonly settings: Pick<ChatSettingsRules, 'imported'>;
  readonly redaction: Redaction;
}

/** The interaction whose lines are being read; `name` is its id in the log. */
interface Current {
  readonly name: string;
  readonly import: InteractionImport;
}

/** Position and length of a line. */
interface Place {
  readonly line: number;
  readonly bytes: number;
}

/** Imports a session log line by line. A faulty line is reported and skipped. */
export class ChatImport {
  interactions = 0;
  records = 0;
  private chat: ChatLine | undefined;
  private messages: readonly Message[] = [];
  private current: Current | undefined;
  private readonly head = new HeadChoice();
  private lastLine = 0;
  private hasVersion = false;
  private hasEnd = false;

  constructor(private readonly deps: ChatImportDeps) {}

  async take({ number: line, bytes }: BodyLine): Promise<void> {
    this.lastLine = line;
    if (!bytes || this.deps.problems.isFull)
      return this.note(line, bytes ? 'The line was not read.' : 'The line is too long.');
    if (bytes.length === 0) return;
    const parsed = await inSlices(parseLine(bytes));
    if (parsed.kind === 'fault') this.note(line, `The line ${parsed.fault}.`);
    if (parsed.kind !== 'object') return;
    if (this.hasEnd) this.note(line, 'The line comes after the end of the log.');
    else await this.takeObject(parsed.object, { line, bytes: bytes.length });
  }

  /** Returns the chat to commit; undefined if the log contains nothing of a chat. */
  async end(now: string): Promise<ArchivedChat | undefined> {
    await this.endInteraction();
    if (!this.chat && this.interactions === 0) return undefined;
    if (!this.hasVersion) this.note(1, 'The log does not say its version.');
    if (!this.hasEnd) this.note(this.lastLine, 'The log has no end: it was cut off.');
    const { title = null, preview = null, settings = {}, metadata = {} } = this.chat ?? {};
    const { created_at = now, updated_at = now } = this.chat ?? {};
    const head_interaction_id = this.head.id;
    const { ids, caller } = this.deps;
    const { tenant_id, user_id: owner } = caller;
    const named = { uid: ids.chat_uid, id: ids.chat_id, tenant_id, owner };
    const times = { created_at: earlier(created_at, now), updated_at: earlier(updated_at, now) };
    return {
      ...named,
      visibility: 'private',
      title,
      preview,
      settings,
      messages: this.messages,
      head_interaction_id,
      ...times,
      metadata,
    };
  }

  private async takeObject(read: Json, place: Place): Promise<void> {
    const { redacted, ...object } = await this.deps.redaction.ofLine(read);
    if (redacted) this.note(place.line, redactionNotice('The line', redacted).message);
    switch (object['type']) {
      case 'session_log':
        return this.takeVersion(object, place);
      case 'chat':
        return this.takeChat(object, place);
      case 'interaction':
        return this.takeInteraction(object, place);
      case 'record':
        return this.takeRecord(object, place);
      case 'request':
        return this.takeRequest(object, place);
      case 'message': // derived from the records
        return;
      case 'end':
        this.hasEnd = true;
        return;
      default:
        this.note(place.line, 'The line is of a type that this version does not know.');
    }
  }

  private takeVersion(object: Json, { line }: Place): void {
    const checked = checkFields(versionFields, object);
    this.hasVersion = true;
    if (!checked.ok) this.note(line, `The version is not as it should be: ${checked.fault}.`);
    else if (checked.value.version > SESSION_LOG_VERSION)
      this.note(
        line,
        `The log is of version ${checked.value.version}; only what version ${SESSION_LOG_VERSION} knows is imported.`,
      );
  }

  private takeChat(object: Json, { line }: Place): void {
    const checked = checkFields(chatFields, object);
    if (!checked.ok) return this.note(line, `The chat is not as it should be: ${checked.fault}.`);
    if (this.chat) return this.note(line, 'The log has a chat already.');
    const { agent, settings: given, messages = [] } = checked.value;
    const wanted = { ...(typeof agent === 'string' && { agent }), ...given };
    const { settings, faults } = this.deps.settings.imported(this.deps.caller, wanted);
    for (const fault of faults) this.note(line, fault);
    this.chat = { ...checked.value, settings };
    try {
      this.messages = checkMessages(messages);
    } catch (error) {
      this.note(line, `The messages of the chat are left out. ${(error as Error).message}`);
    }
  }

  private async takeInteraction(object: Json, { line }: Place): Promise<void> {
    await this.endInteraction();
    const checked = checkFields(interactionFields, object);
    if (!checked.ok)
      return this.note(line, `The interaction is not as it should be: ${checked.fault}.`);
    const { id: name } = checked.value;
    if (this.deps.ids.findInteraction(name) !== undefined)
      return this.note(line, `The interaction ${name} is here already.`);
    const row = this.toRow(checked.value, line);
    this.current = { name, import: new InteractionImport(this.deps, row) };
  }

  private async takeRecord(object: Json, { line, bytes }: Place): Promise<void> {
    const checked = checkFields(recordFields, object);
    if (!checked.ok) return this.note(line, `The record is not as it should be: ${checked.fault}.`);
    const record = checked.value;
    await this.currentOf(record, line)?.takeRecord({ line, bytes, record });
  }

  private takeRequest(object: Json, { line }: Place): void {
    const checked = checkFields(requestFields, object);
    if (!checked.ok)
      return this.note(line, `The request is not as it should be: ${checked.fault}.`);
    this.currentOf(checked.value, line)?.takeRequest(line, checked.value);
  }

  private currentOf(
    { interaction_id }: { interaction_id: string },
    line: number,
  ): InteractionImport | undefined {
    if (this.current?.name === interaction_id) return this.current.import;
    this.note(line, `The line is of ${interaction_id}, which is not the interaction before it.`);
    return undefined;
  }

  private async endInteraction(): Promise<void> {
    if (!this.current) return;
    const { name } = this.current;
    const row = await this.current.import.end();
    this.current = undefined;
    this.interactions++;
    this.records += row.last_seq;
    this.head.note(row, name === this.chat?.head_interaction_id);
  }

  /** Only earlier interactions can be its parent, so that there is no cycle. */
  private toRow(fields: InteractionLine, line: number): ArchivedInteraction {
    const { ids, caller } = this.deps;
    const { chat_uid, chat_id } = ids;
    const { tenant_id, user_id: started_by } = caller;
    const parent_id = this.parentOf(fields, line);
    const edited_from = this.find(fields.edited_from);
    if (edited_from === null && fields.edited_from !== null)
      this.note(line, 'The interaction that it is an edit of is not there.');
    const id = ids.beginInteraction(fields.id);
    const agent_id = ids.agent(fields.agent_id);
    const begun = !isFinal(fields.status) || fields.begun;
    const place = { id, chat_uid, chat_id, tenant_id, started_by };
    const cancel = { cancel_reason: null, cancelled_by: null };
    const own = { ...place, agent_id, begun, signals: 0, waits_for: null, ...cancel };
    return {
      ...fields,
      settings: { ...renameFiles(fields.settings, ids), imported: true },
      ...own,
      parent_id,
      edited_from,
    };
  }

  /** A queued interaction that is no edit follows the head, as if it had been cancelled. */
  private parentOf(
    { status, parent_id, edited_from }: InteractionLine,
    line: number,
  ): string | null {
    if (status === 'QUEUED' && edited_from === null) return this.head.id;
    if (parent_id === null) return null;
    const parent = this.find(parent_id);
    if (this.head.hasBegun(parent)) return parent;
    this.note(line, 'The interaction that it goes on from is not there.');
    return null;
  }

  private find(name: string | null): string | null {
    return name === null ? null : (this.deps.ids.findInteraction(name) ?? null);
  }

  private note(line: number, message: string): void {
    this.deps.problems.add(line, message);
  }
}

/** `RETENTION_DAYS` would never remove a chat of the future. */
function earlier(time: string, now: string): string {
  return Date.parse(time) > Date.parse(now) ? now : time;
}

/** Chooses the head of a chat, whose log may lack the interaction that it names as its head. */
class HeadChoice {
  private named: string | undefined;
  private newestOnBranch: string | undefined;
  private newest: string | undefined;
  private readonly begun = new Set<string>();

  /** @param isNamed true if the log names it as the head */
  note({ id, begun, superseded_at }: ArchivedInteraction, isNamed: boolean): void {
    if (!begun) return;
    this.begun.add(id);
    this.newest = id;
    if (superseded_at === null) this.newestOnBranch = id;
    if (isNamed) this.named = id;
  }

  get id(): string | null {
    return this.named ?? this.newestOnBranch ?? this.newest ?? null;
  }

  /** True if another interaction can follow it. */
  hasBegun(id: string | null): id is string {
    return id !== null && this.begun.has(id);
  }
}

/** Renames files of the log, which are not files of this server, whatever their ids. */
function renameFiles(
  { files, ...settings }: InteractionSettings,
  ids: NewIds,
): InteractionSettings {
  if (!files) return settings;
  return { ...settings, files: files.map((file) => ({ ...file, id: ids.file(file.id) })) };
}
