import { PendingRequests } from './pending-requests.js';
import { RunActivity } from './run-activity.js';

describe(PendingRequests.name, () => {
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
