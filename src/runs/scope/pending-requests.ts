import type { NewRequest, RequestRow, Settlement } from '../../persistence/rows/request-rows.js';
import type { ActiveStatus } from '../../protocol/interaction.js';
import type { RunActivity } from './health/run-activity.js';
import type { RequestKind } from '../../protocol/wire/request.js';

/** The requests of one run to people and clients, with their settlements. */
export class PendingRequests {
  /** Unsettled requests, as far as this run knows. */
  private readonly open = new Map<string, { readonly kind: RequestKind; readonly key?: string }>();
  private readonly settled = new Map<string, Settlement>();
  private readonly waiting = new Map<string, (settlement: Settlement) => void>();

  constructor(private readonly activity: RunActivity) {}

  /** The interaction's status while these are open. */
  get status(): ActiveStatus {
    const kinds = [...this.open.values()].map(({ kind }) => kind);
    if (kinds.includes('approval')) return 'WAITING_APPROVAL';
    return kinds.length > 0 ? 'WAITING_INPUT' : 'RUNNING';
  }

  add({ id, kind, key }: Pick<NewRequest, 'id' | 'kind' | 'key'>): void {
    this.open.set(id, { kind, key });
  }

  /** Keys of the open questions that were asked inside a tool call. */
  openQuestions(callKey: string): readonly string[] {
    const questions = [...this.open.values()].filter(({ kind }) => kind === 'input');
    const keys = questions.map(({ key = '' }) => key);
    return keys.filter((key) => key.slice(0, key.lastIndexOf('/')) === callKey);
  }

  /**
   * Resolves when the request is settled, in this run or an earlier one. Rejects once `signal`
   * aborts.
   */
  wait(id: string, kind: RequestKind, signal: AbortSignal): Promise<Settlement> {
    const known = this.settled.get(id);
    if (known) return Promise.resolve(known);
    if (signal.aborted) return Promise.reject(signal.reason as Error);
    if (!this.open.has(id)) this.open.set(id, { kind });
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        this.waiting.delete(id);
        signal.removeEventListener('abort', abort);
        endWait();
      };
      const abort = (): void => {
        leave();
        reject(signal.reason as Error);
      };
      signal.addEventListener('abort', abort);
      this.waiting.set(id, (settlement) => {
        leave();
        resolve(settlement);
      });
      const endWait = this.activity.ask();
    });
  }

  /** Settlement of the request, as far as this run knows. */
  settlementOf(id: string): Settlement | undefined {
    return this.settled.get(id);
  }

  /** Takes in a row of the store. The first settlement of a request counts (I5). */
  resolve(row: RequestRow): void {
    const { id, settlement } = row;
    if (this.settled.has(id)) return;
    if (!settlement) return this.add(row);
    this.open.delete(id);
    this.settled.set(id, settlement);
    this.waiting.get(id)?.(settlement);
  }
}
