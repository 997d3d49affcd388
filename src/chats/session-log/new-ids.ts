import type { IdPrefix, Ids } from '../../kernel/ids.js';

/** What the things of a log are called here: each name of the log gets one new id, whatever it was, so that nothing of ours can be meant. */
export class NewIds {
  private readonly interactions = new Map<string, string>();
  private readonly tasks = new Map<string, string>();
  private agents = new Map<string, string>();
  private requests = new Map<string, string>();

  constructor(
    private readonly ids: Ids,
    readonly chat_id: string,
  ) {}

  /** Agents and requests are known in their interaction only. */
  beginInteraction(name: string): string {
    this.agents = new Map();
    this.requests = new Map();
    return this.idIn(this.interactions, name, 'int');
  }

  /** Of an interaction that has begun. */
  findInteraction(name: string): string | undefined {
    return this.interactions.get(name);
  }

  /** Of one that came before in the interaction. */
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

  task(name: string): string {
    return this.idIn(this.tasks, name, 'task');
  }

  private idIn(known: Map<string, string>, name: string, prefix: IdPrefix): string {
    const id = known.get(name) ?? this.ids.make(prefix);
    known.set(name, id);
    return id;
  }
}
