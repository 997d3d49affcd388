import type { RequestRow, Settlement } from '../../persistence/rows/request-rows.js';
import { PendingRequests } from './pending-requests.js';
import { RunActivity } from './health/run-activity.js';

const ASKED: RequestRow = {
  id: 'input_1',
  key: 'main/1',
  kind: 'input',
  status: 'pending',
  agent_id: 'agent_root',
  interaction_id: 'int_1',
  chat_id: 'chat_1',
  chat_uid: 'chat',
  tenant_id: 'default',
  created_at: '2026-01-01T00:00:00.000Z',
  expires_at: null,
  settled_at: null,
  event: {},
  settlement: null,
};

function answered(answer: string): RequestRow {
  const settlement: Settlement = { kind: 'input', answer, by: { kind: 'user', user_id: 'ann' } };
  return { ...ASKED, status: 'settled', settlement, settled_at: ASKED.created_at };
}

describe(PendingRequests.name, () => {
  it('keeps the first settlement, whatever is read of the request later (I5)', async () => {
    const requests = new PendingRequests(new RunActivity());
    requests.resolve(ASKED);
    expect(requests.status).toBe('WAITING_INPUT');
    requests.resolve(answered('first'));
    requests.resolve(answered('second'));
    requests.resolve(ASKED); // read before it was settled, by somebody who took longer
    expect(requests.status).toBe('RUNNING');
    expect(requests.settlementOf(ASKED.id)).toMatchObject({ answer: 'first' });
    const { signal } = new AbortController();
    expect(await requests.wait(ASKED.id, 'input', signal)).toMatchObject({ answer: 'first' });
  });

  it('does not wait if the run was stopped while it asked', async () => {
    const activity = new RunActivity();
    const end = activity.begin();
    const requests = new PendingRequests(activity);
    requests.add({ id: 'input_1', kind: 'input', key: 'main/1' });
    const stopped = AbortSignal.abort(new Error('stopped'));
    await expect(requests.wait('input_1', 'input', stopped)).rejects.toThrow('stopped');
    expect(activity.current).toBe('working');
    end();
  });
});
