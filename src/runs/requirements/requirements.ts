import { isRecordOf } from '../../persistence/rows/log-record.js';
import type { LogRecord } from '../../persistence/rows/log-record.js';
import type { Requirement } from './find-missing.js';

/** The requirements that steps of one run wait for, and what its log says of them. */
export class Requirements {
  /** True until the code of an agent runs: the log is not replayed yet. */
  isBeforeAgents = true;
  /** Resolves when an attempt to park the run is over. */
  parking: Promise<unknown> = Promise.resolve();
  private readonly waits = new Set<{ readonly requirement: Requirement }>();
  /** Requirements that are missing according to the log. */
  private readonly missing = new Set<string>();
  /** Names of the models that have answered. */
  private readonly served = new Set<string>();

  /** Folds the committed part of the log. */
  apply(record: LogRecord): void {
    if (isRecordOf(record, 'TURN_COMPLETED') && !record.body.error)
      this.served.add(record.body.model);
    const { body, hidden } = record;
    if (body.type === 'NOTICE' && hidden && 'requirement' in hidden)
      this.note(hidden.requirement, hidden.state);
  }

  /** Returns false if that is known. */
  note(requirement: string, state: 'missing' | 'met'): boolean {
    if (state === 'met') return this.missing.delete(requirement);
    const isNew = !this.missing.has(requirement);
    this.missing.add(requirement);
    return isNew;
  }

  /** True if the last run could not begin its agents. */
  get lacksAgents(): boolean {
    return [...this.missing].some((requirement) => requirement.startsWith('agent:'));
  }

  /** The one to wait for while the run is parked, if there are several. */
  get awaited(): Requirement | undefined {
    const [first] = this.waits;
    return first?.requirement;
  }

  /** A step waits until the returned function is called. */
  wait(requirement: Requirement): () => void {
    const wait = { requirement };
    this.waits.add(wait);
    return () => void this.waits.delete(wait);
  }

  /** True if one of these models, separated by commas, has answered in this interaction. */
  hasServed(models: string): boolean {
    return models.split(',').some((name) => this.served.has(name.trim()));
  }
}
