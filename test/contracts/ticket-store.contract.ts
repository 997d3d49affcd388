import { randomBytes, randomUUID } from 'node:crypto';
import type { StreamTicket, TicketStore } from '../../src/auth/tickets/ticket-store.js';

const NOW = '2026-01-01T00:00:00.000Z';
const LATER = '2026-01-01T00:01:00.000Z';
const LIMIT = 100;

function ticket(more: Partial<StreamTicket> = {}): StreamTicket {
  return {
    hash: randomBytes(32).toString('hex'),
    path: '/chats/a/interactions/int_1/events',
    principal: { tenant_id: `t-${randomUUID()}`, user_id: 'ann', scopes: ['chat'], key_id: 'k' },
    expires_at: LATER,
    ...more,
  };
}

/** The behaviour of every `TicketStore`. */
export function ticketStoreContract(
  name: string,
  open: () => Promise<{ readonly tickets: TicketStore; close(): Promise<void> }>,
): void {
  describe(`${name} as a TicketStore`, () => {
    let tickets: TicketStore;
    let close: () => Promise<void>;
    beforeAll(async () => {
      const opened = await open();
      tickets = opened.tickets;
      close = () => opened.close();
    });
    afterAll(() => close());

    it('gives a ticket to one of several that ask at once', async () => {
      const added = ticket();
      expect(await tickets.add(added, NOW, LIMIT)).toBe(true);
      const taking = Array.from({ length: 6 }, () => tickets.take(added, NOW));
      expect((await Promise.all(taking)).filter(Boolean)).toEqual([added.principal]);
      expect(await tickets.take(added, NOW)).toBeUndefined();
    });

    it('gives none for another path, and keeps it for its own', async () => {
      const added = ticket();
      await tickets.add(added, NOW, LIMIT);
      expect(await tickets.take({ ...added, path: `${added.path}/` }, NOW)).toBeUndefined();
      expect(await tickets.take({ ...added, hash: 'none' }, NOW)).toBeUndefined();
      expect(await tickets.take(added, NOW)).toEqual(added.principal);
    });

    it('gives none that has expired', async () => {
      const added = ticket();
      await tickets.add(added, NOW, LIMIT);
      expect(await tickets.take(added, LATER)).toBeUndefined();
    });

    it('holds as many of a user as the limit says, without those that have expired', async () => {
      const { principal } = ticket();
      const adding = Array.from({ length: 6 }, () => tickets.add(ticket({ principal }), NOW, 3));
      expect((await Promise.all(adding)).filter(Boolean)).toHaveLength(3);
      expect(await tickets.add(ticket(), NOW, 3)).toBe(true);
      expect(
        await tickets.add(ticket({ principal, expires_at: '2027-01-01T00:00:00.000Z' }), LATER, 3),
      ).toBe(true);
    });
  });
}
