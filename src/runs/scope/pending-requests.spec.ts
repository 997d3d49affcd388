import { PendingRequests } from './pending-requests.js';

describe(PendingRequests.name, () => {
  it('lets nobody wait whose run was stopped while it asked', async () => {
    const desk = new PendingRequests(() => {});
    desk.expect({ id: 'input_1', kind: 'input', key: 'main/1' });
    const stopped = AbortSignal.abort(new Error('stopped'));
    await expect(desk.wait('input_1', 'input', stopped)).rejects.toThrow('stopped');
    expect(desk.size).toBe(0);
  });
});
