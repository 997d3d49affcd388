import type { InterventionRow } from '../../persistence/rows/intervention-rows.js';
import type { Entry } from '../../event-log/append/run-log.js';

/** What people told agents of this run, or did to them, that was not taken in yet. */
export class Interventions {
  private readonly known = new Set<string>();
  private pending: InterventionRow[] = [];

  /** What the store says, in order; `takenIn` are the ids that the log has. */
  offer(rows: readonly InterventionRow[], takenIn: ReadonlySet<string>): void {
    const fresh = rows.filter(({ id }) => !takenIn.has(id) && !this.known.has(id));
    for (const { id } of fresh) this.known.add(id);
    this.pending.push(...fresh);
  }

  /** The agents that somebody wants gone. */
  get unwanted(): readonly string[] {
    return this.pending.filter(isDelete).map(({ agent_id }) => agent_id);
  }

  /** What the agent gets to read, in order; each once. */
  takeNotes(agentId: string): readonly InterventionRow[] {
    return this.take((row) => row.agent_id === agentId && !isDelete(row));
  }

  /** Who wants the agent gone. */
  takeDeletes(agentId: string): readonly InterventionRow[] {
    return this.take((row) => row.agent_id === agentId && isDelete(row));
  }

  private take(isWanted: (row: InterventionRow) => boolean): readonly InterventionRow[] {
    const taken = this.pending.filter(isWanted);
    this.pending = this.pending.filter((row) => !taken.includes(row));
    return taken;
  }
}

/** The record that says where it was taken in; `key` is that of the turn that did. */
export function intervened(row: InterventionRow, key: string | null): Entry<'AGENT_INTERVENED'> {
  const { id: intervention_id, agent_id, user_comment, user_content } = row;
  const said = { user_comment, ...(user_content !== null && { user_content }) };
  return { agent_id, key, body: { type: 'AGENT_INTERVENED', intervention_id, ...said } };
}

function isDelete({ user_comment }: InterventionRow): boolean {
  return user_comment === 'delete';
}
