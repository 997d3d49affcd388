import type {
  NewRequest,
  RequestKind,
  RequestRow,
  Settlement,
} from '../../persistence/rows/request-rows.js';
import type { ActiveStatus } from '../../protocol/interaction.js';

/** The requests of one run that wait for a person or a client, and what they came to. */
export class PendingRequests {
  /** Asked and not settled, as far as this run knows. */
  private readonly open = new Map<string, RequestKind>();
  private readonly keys = new Map<string, string>();
  private readonly settled = new Map<string, Settlement>();
  private readonly waiting = new Map<string, (settlement: Settlement) => void>();

  constructor(private readonly onChange: () => void) {}

  /** How many steps wait. */
  get size(): number {
    return this.waiting.size;
  }

  /** What the interaction's status is while these are open. */
  get status(): ActiveStatus {
    const kinds = [...this.open.values()];
    if (kinds.includes('approval')) return 'WAITING_APPROVAL';
    return kinds.length > 0 ? 'WAITING_INPUT' : 'RUNNING';
  }

  expect({ id, kind, key }: Pick<NewRequest, 'id' | 'kind' | 'key'>): void {
    this.open.set(id, kind);
    this.keys.set(id, key);
  }

  /** Keys of the questions that were asked inside a call and are open. */
  openQuestions(callKey: string): readonly string[] {
    const questions = [...this.open].filter(([, kind]) => kind === 'input');
    const keys = questions.map(([id]) => this.keys.get(id) ?? '');
    return keys.filter((key) => key.slice(0, key.lastIndexOf('/')) === callKey);
  }

  /** Rejects when `signal` aborts, or has. */
  wait(id: string, kind: RequestKind, signal: AbortSignal): Promise<Settlement> {
    const known = this.settled.get(id);
    if (known) return Promise.resolve(known);
    if (signal.aborted) return Promise.reject(signal.reason as Error);
    this.open.set(id, kind);
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        this.waiting.delete(id);
        signal.removeEventListener('abort', abort);
        this.onChange();
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
      this.onChange();
    });
  }

  /** What it came to, if this run knows. */
  settlementOf(id: string): Settlement | undefined {
    return this.settled.get(id);
  }

  /** What the store says; what is known to be settled is left alone. */
  take(rows: readonly RequestRow[]): void {
    for (const row of rows) {
      const { id, settlement } = row;
      if (this.settled.has(id)) continue;
      if (settlement) this.settle(id, settlement);
      else this.expect(row);
    }
  }

  private settle(id: string, settlement: Settlement): void {
    this.open.delete(id);
    this.settled.set(id, settlement);
    this.waiting.get(id)?.(settlement);
  }
}
