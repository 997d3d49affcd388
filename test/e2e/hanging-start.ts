import { Servers } from './servers.js';

/** Run by `servers.slow-spec.ts` alone: a server whose store never opens. */
const servers = new Servers({ name: 'a store that hangs', open: () => new Promise(() => {}) });

servers.run({}, (server) => {
  it('does not run', () => {
    expect(server.api).toBeDefined();
  });
});

afterAll(() => servers.stop());
