import type { Entry } from '../../event-log/append/run-log.js';
import type { LogRecord } from '../../persistence/rows/log-record.js';
import type { RecordOf } from '../../protocol/events.js';

type Note = RecordOf<'NOTE_READ'>;

/** Unread notes between agents: a fold over the committed part of the log. */
export class AgentNotes {
  private unread: { readonly to: string; readonly note: Note }[] = [];

  apply({ body, agent_id }: Pick<LogRecord, 'body' | 'agent_id'>): void {
    if (body.type === 'AGENT_TOLD') {
      const { note_id, to_agent_id: to, text } = body;
      this.unread.push({ to, note: { type: 'NOTE_READ', note_id, from_agent_id: agent_id, text } });
    } else if (body.type === 'NOTE_READ') {
      this.unread = this.unread.filter(({ note }) => note.note_id !== body.note_id);
    }
  }

  /** The entries with which the agent reads its notes; `key`: of the turn that does so. */
  listFor(agent_id: string, key: string): Entry[] {
    const own = this.unread.filter(({ to }) => to === agent_id);
    return own.map(({ note }) => ({ agent_id, key, body: note }));
  }
}
