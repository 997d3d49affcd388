import { SPEECH } from '../../persistence/rows/intervention-rows.js';
import type { HeardPart, InterventionRow } from '../../persistence/rows/intervention-rows.js';
import { deciderOf } from '../../protocol/events.js';
import type { Entry } from '../../event-log/append/run-log.js';

/** Interventions into the agents of this run that are not taken in yet. */
export class Interventions {
  private readonly known = new Set<string>();
  private pending: InterventionRow[] = [];
  private notePlayed = (): void => {};
  /** Resolves once the spoken answer was played, or interrupted. */
  readonly played = new Promise<void>((resolve) => (this.notePlayed = resolve));
  /** The part of the spoken answer that was played before it was interrupted. */
  heard: HeardPart | undefined;

  /** Adds rows of the store, in order; `takenIn` are the ids that the log contains. */
  add(rows: readonly InterventionRow[], takenIn: ReadonlySet<string>): void {
    const fresh = rows.filter(({ id }) => !takenIn.has(id) && !this.known.has(id));
    for (const { id } of fresh) this.known.add(id);
    this.pending.push(...fresh.filter(({ agent_id }) => agent_id !== SPEECH));
    for (const { agent_id, user_content } of fresh) {
      if (agent_id !== SPEECH) continue;
      if (user_content !== null) this.heard = JSON.parse(user_content) as HeardPart;
      this.notePlayed();
    }
  }

  /** Ids of the agents that people have deleted and that have not ended. */
  get deletedAgents(): readonly string[] {
    return this.pending.filter(isDelete).map(({ agent_id }) => agent_id);
  }

  /** The first intervention that deletes the agent, if there is one. */
  findDelete(agentId: string): InterventionRow | undefined {
    return this.pending.find((row) => row.agent_id === agentId && isDelete(row));
  }

  /** Interventions for the agent to read, in order; each is returned once. */
  takeNotes(agentId: string): readonly InterventionRow[] {
    return this.take((row) => row.agent_id === agentId && !isDelete(row));
  }

  /** Interventions that delete the agent; each is returned once. */
  takeDeletes(agentId: string): readonly InterventionRow[] {
    return this.take((row) => row.agent_id === agentId && isDelete(row));
  }

  private take(isWanted: (row: InterventionRow) => boolean): readonly InterventionRow[] {
    const taken = this.pending.filter(isWanted);
    this.pending = this.pending.filter((row) => !taken.includes(row));
    return taken;
  }
}

/** The record of an intervention that was taken in; `key` is the key of the turn that did so. */
export function intervened(row: InterventionRow, key: string | null): Entry<'AGENT_INTERVENED'> {
  const { id: intervention_id, agent_id, created_by, user_comment, user_content } = row;
  const by = deciderOf(created_by);
  const said = { user_comment, ...(user_content !== null && { user_content }) };
  return { agent_id, key, body: { type: 'AGENT_INTERVENED', intervention_id, by, ...said } };
}

function isDelete({ user_comment }: InterventionRow): boolean {
  return user_comment === 'delete';
}
