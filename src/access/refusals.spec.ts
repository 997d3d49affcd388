import { FakeClock } from '../../test/support/fake-clock.js';
import type { AuditSubject, AuditTrail } from '../audit/audit-trail.js';
import type { Principal } from '../auth/principal.js';
import { Refusals } from './refusals.js';

const ANN: Principal = { tenant_id: 'default', user_id: 'ann', scopes: new Set(['chat']) };
const BOB: Principal = { ...ANN, user_id: 'bob' };
const KEYS = { code: 'missing_scope', route: 'GET /keys', scope: 'admin' } as const;
const CANCEL = { code: 'missing_scope', operation: 'cancelAll', scope: 'operate' } as const;

describe(Refusals.name, () => {
  it('notes a refusal of a user and a route or an operation once a minute', async () => {
    const noted: (readonly [user: string, detail: AuditSubject['detail']])[] = [];
    const audit = {
      note: async ({ user_id }: Principal, _: string, { detail }: AuditSubject) =>
        void noted.push([user_id, detail]),
    } as unknown as AuditTrail;
    const clock = new FakeClock();
    const refusals = new Refusals(audit, clock);
    for (const refusal of [KEYS, CANCEL, KEYS, CANCEL]) await refusals.note(ANN, refusal);
    await refusals.note(BOB, KEYS);
    expect(noted.splice(0)).toEqual([
      ['ann', KEYS],
      ['ann', CANCEL],
      ['bob', KEYS],
    ]);
    clock.pass(59_999);
    await refusals.note(ANN, KEYS);
    expect(noted).toEqual([]);
    clock.pass(1);
    await refusals.note(ANN, KEYS);
    expect(noted).toEqual([['ann', KEYS]]);
  });
});
