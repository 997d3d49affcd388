import type { InteractionRow } from '../../persistence/rows/interaction-row.js';
import type { LogRecord } from '../../persistence/rows/log-record.js';
import type { RequestRow, Settlement } from '../../persistence/rows/request-rows.js';
import type { RecordBody } from '../../protocol/events.js';
import type { RequestLine } from './line-schemas.js';
import type { RequestKind } from '../../protocol/wire/request.js';

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

/** The requests of one interaction; the question is taken from the record that asked it. */
export class ImportedRequests {
  private readonly asked = new Map<string, Asked>();
  private readonly keys = new Set<string>();
  private readonly rows = new Map<string, RequestRow>();

  constructor(private readonly of: Pick<InteractionRow, 'chat_id' | 'chat_uid' | 'tenant_id'>) {}

  /** Call with the new ids. */
  note(record: LogRecord): void {
    const { body, key, interaction_id, agent_id } = record;
    const id = requestIdOf(body);
    if (id === undefined || key === null || this.keys.has(key) || this.asked.has(id)) return;
    const { type, event, expires_at } = partsOf(body as Asking);
    const kind = KINDS[type];
    this.keys.add(key);
    const { chat_id, chat_uid, tenant_id } = this.of;
    const asked = { id, interaction_id, key, kind, agent_id, expires_at, event };
    this.asked.set(id, { ...asked, chat_id, chat_uid, tenant_id });
  }

  /** Returns the fault of the line, if it has one; `id` is the new one. */
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

  /** Requests that are still open are closed by the end. */
  end(completed_at: string): RequestRow[] {
    return [...this.rows.values()].map((row) =>
      row.status === 'closed' ? { ...row, settled_at: completed_at } : row,
    );
  }
}

/** The request that a record opens, if it opens one. */
export function requestIdOf(body: RecordBody): string | undefined {
  if (body.type === 'APPROVAL_REQUIRED') return body.approval_id;
  if (body.type === 'INPUT_REQUIRED' || body.type === 'TOOL_RESULT_REQUIRED')
    return body.request_id;
  return undefined;
}

function partsOf({ type, expires_at, ...rest }: Asking & { expires_at?: string | null }) {
  const {
    approval_id: _approval,
    request_id: _request,
    ...event
  } = rest as Record<string, unknown>;
  return { type, event, expires_at: expires_at ?? null };
}
