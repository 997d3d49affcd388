import { RequestDesk } from './pending-requests.js';

describe(RequestDesk.name, () => {
  it('lets nobody wait whose run was stopped while it asked', async () => {
    const desk = new RequestDesk(() => {});
    desk.expect({ id: 'input_1', kind: 'input', key: 'main/1' });
    const stopped = AbortSignal.abort(new Error('stopped'));
    await expect(desk.wait('input_1', 'input', stopped)).rejects.toThrow('stopped');
    expect(desk.size).toBe(0);
  });
});
