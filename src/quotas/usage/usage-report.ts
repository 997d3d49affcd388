import { Injectable } from '@nestjs/common';
import { inTenant, oneTenant, tenantFor } from '../../access/operator.js';
import type { Principal } from '../../auth/principal.js';
import { AppError } from '../../kernel/app-error.js';
import { Clock } from '../../kernel/clock.js';
import { USAGE_DAYS_KEPT, UsageStore } from '../usage-store.js';
import type { UsageKey, UsageSum } from '../usage-store.js';
import type { Report, ReportedSum } from './reported-sum.js';

const DAY_MS = 86_400_000;
const DEFAULT_DAYS = 30;
const FIELDS = { day: 'day', model: 'model', user: 'user_id' } as const;

export interface ReportQuery {
  readonly by: UsageKey;
  readonly limit: number;
  /** The first and the last day, in UTC: `2026-01-15`; 30 days up to today unless given. */
  readonly since?: string;
  readonly until?: string;
  /** The caller's unless given; `*`: each. */
  readonly tenant_id?: string;
}

/** The usage of tenants, for their operators. */
@Injectable()
export class UsageReport {
  constructor(
    private readonly store: UsageStore,
    private readonly clock: Clock,
  ) {}

  /** @throws AppError `foreign_tenant` (403), `invalid_query` (400) */
  async sums(caller: Principal, query: ReportQuery): Promise<Report> {
    const tenant = tenantFor(caller, query.tenant_id);
    const { by, limit } = query;
    const days = this.daysOf(query);
    const wanted = { tenant_id: oneTenant(tenant), by, ...days, limit: limit + 1 };
    const found = await inTenant(caller, tenant, () => this.store.sumUsage(wanted));
    const items = found.slice(0, limit).map((sum) => view(sum, by));
    return { ...days, items, has_more: found.length > limit };
  }

  private daysOf({ since, until = dayOf(this.clock.now().getTime()) }: ReportQuery) {
    const last = timeOf('until', until);
    const first =
      since === undefined
        ? Math.max(last - (DEFAULT_DAYS - 1) * DAY_MS, FIRST_DAY)
        : timeOf('since', since);
    if (first > last) throw invalid('since', 'must not be after until');
    if (last - first >= USAGE_DAYS_KEPT * DAY_MS)
      throw invalid('since', `must be at most ${USAGE_DAYS_KEPT} days up to until`);
    return { since: dayOf(first), until };
  }
}

function view({ key, ...sum }: UsageSum, by: UsageKey): ReportedSum {
  return { ...sum, [FIELDS[by]]: key };
}

function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

/** Days before the year 1 have no such text. */
const FIRST_DAY = Date.parse('0001-01-01');

/** `Date` takes 31 February for 3 March. */
function timeOf(field: 'since' | 'until', day: string): number {
  const time = Date.parse(day);
  if (Number.isNaN(time) || time < FIRST_DAY || dayOf(time) !== day)
    throw invalid(field, 'must be a day, such as 2026-01-15');
  return time;
}

function invalid(field: 'since' | 'until', message: string): AppError {
  const errors = [{ field, message }];
  return new AppError('invalid', 'invalid_query', `${field} ${message}.`, { errors });
}
