import type { IdPrefix, Ids } from '../../kernel/ids.js';

/** Maps each id of a log to a new one, so that a log cannot refer to existing data. */
export class NewIds {
  private readonly interactions = new Map<string, string>();
  private readonly files = new Map<string, string>();
  private readonly tasks = new Map<string, string>();
  private agents = new Map<string, string>();
  private requests = new Map<string, string>();
  readonly chat_uid: string;

  constructor(
    private readonly ids: Ids,
    readonly chat_id: string,
  ) {
    this.chat_uid = ids.makeUid();
  }

  /** Ids of agents and requests are local to their interaction. */
  beginInteraction(name: string): string {
    this.agents = new Map();
    this.requests = new Map();
    return this.idIn(this.interactions, name, 'int');
  }

  /** Finds the new id of an interaction that `beginInteraction` was called for. */
  findInteraction(name: string): string | undefined {
    return this.interactions.get(name);
  }

  /** Finds the new id of an earlier request of the interaction. */
  findRequest(name: string): string | undefined {
    return this.requests.get(name);
  }

  agent(name: string): string {
    return this.idIn(this.agents, name, 'agent');
  }

  approval(name: string): string {
    return this.idIn(this.requests, name, 'approval');
  }

  input(name: string): string {
    return this.idIn(this.requests, name, 'input');
  }

  intervention(name: string): string {
    return this.idIn(this.requests, name, 'intervention');
  }

  note(name: string): string {
    return this.idIn(this.requests, name, 'note');
  }

  file(name: string): string {
    return this.idIn(this.files, name, 'file');
  }

  task(name: string): string {
    return this.idIn(this.tasks, name, 'task');
  }

  private idIn(known: Map<string, string>, name: string, prefix: IdPrefix): string {
    const id = known.get(name) ?? this.ids.make(prefix);
    known.set(name, id);
    return id;
  }
}
