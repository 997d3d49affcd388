import type { LogRecord } from '../../persistence/rows/log-record.js';
import type { RequestKind, RequestRow, Settlement } from '../../persistence/rows/request-rows.js';
import type { RecordBody } from '../../protocol/events.js';
import type { RequestLine } from './line-fields.js';
import { requestIdOf } from './request-id-of.js';

type Asking = Extract<
  RecordBody,
  { type: 'APPROVAL_REQUIRED' | 'INPUT_REQUIRED' | 'TOOL_RESULT_REQUIRED' }
>;
type Asked = Omit<RequestRow, 'status' | 'settlement' | 'settled_at' | 'created_at'>;

const KINDS: Readonly<Record<Asking['type'], RequestKind>> = {
  APPROVAL_REQUIRED: 'approval',
  INPUT_REQUIRED: 'input',
  TOOL_RESULT_REQUIRED: 'tool',
};

/** The requests of one interaction: what they ask is what its records say. */
export class ImportedRequests {
  private readonly asked = new Map<string, Asked>();
  private readonly keys = new Set<string>();
  private readonly rows = new Map<string, RequestRow>();

  constructor(private readonly chat_id: string) {}

  /** With our ids. */
  note(record: LogRecord): void {
    const { body, key, interaction_id, agent_id } = record;
    const id = requestIdOf(body);
    if (id === undefined || key === null || this.keys.has(key) || this.asked.has(id)) return;
    const { type, event, expires_at } = partsOf(body as Asking);
    const kind = KINDS[type];
    this.keys.add(key);
    const { chat_id } = this;
    this.asked.set(id, { id, interaction_id, chat_id, key, kind, agent_id, expires_at, event });
  }

  /** Answers what is wrong, if anything; `id` is ours. */
  take(
    id: string | undefined,
    { status, created_at, settlement, settled_at }: RequestLine,
  ): string | undefined {
    const asked = id === undefined ? undefined : this.asked.get(id);
    if (!asked) return 'is a request that no record asked for';
    if (this.rows.has(asked.id)) return 'is a request that is here already';
    const settled = status === 'settled' ? { settlement, settled_at } : undefined;
    if (settled && (settlement?.kind !== asked.kind || settled_at === null))
      return 'is settled, but not by what settles such a request';
    const outcome = settled ?? { settlement: null, settled_at: null };
    const now = settled ? 'settled' : 'closed';
    this.rows.set(asked.id, { ...asked, created_at, status: now, ...outcome });
    return undefined;
  }

  settlementOf(id: string): Settlement | undefined {
    return this.rows.get(id)?.settlement ?? undefined;
  }

  /** What was open was closed by the end. */
  end(completed_at: string): RequestRow[] {
    return [...this.rows.values()].map((row) =>
      row.status === 'closed' ? { ...row, settled_at: completed_at } : row,
    );
  }
}

function partsOf({ type, expires_at, ...rest }: Asking & { expires_at?: string | null }) {
  const {
    approval_id: _approval,
    request_id: _request,
    ...event
  } = rest as Record<string, unknown>;
  return { type, event, expires_at: expires_at ?? null };
}
