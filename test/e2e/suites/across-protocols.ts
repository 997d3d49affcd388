import { readFile } from 'node:fs/promises';
import { EventReader } from '../../support/client/event-reader.js';
import { eventually } from '../../support/eventually.js';
import { script } from '../../support/model/scripted-answers.js';
import { makeToolAsk } from '../../support/tools/make-tool-ask.js';
import { PROTOCOLS } from '../protocols/all-protocols.js';
import { NATIVE } from '../protocols/native.js';
import type { InteractionRef, Protocol, ProtocolClient } from '../protocols/protocol-client.js';
import type { Servers, ServerUnderTest } from '../servers.js';
import { withPeople } from '../with-people.js';
import type { Interaction } from '../../../src/protocol/wire/interaction.js';

const CALCULATION = { name: 'calculator', arguments: { expression: '6*7' } };
/** Of an interaction, whichever client has begun it, and whichever has decided. */
const RECORDS = [
  ...['INTERACTION_STARTED', 'TOOL_CALL', 'TURN_COMPLETED', 'APPROVAL_REQUIRED', 'APPROVED'],
  ...['TOOL_STARTED', 'TOOL_RESULT', 'ANSWER', 'TURN_COMPLETED', 'INTERACTION_COMPLETE'],
];

interface Row {
  readonly chat: string;
  readonly beginner: Protocol;
  readonly decider: Protocol;
  /** Sends the next message: in the table, each after each beginner and each decider. */
  readonly next: Protocol;
}

const TABLE: readonly Row[] = PROTOCOLS.flatMap((beginner, a) =>
  PROTOCOLS.map((decider, b) => {
    const next = PROTOCOLS[(a + b) % PROTOCOLS.length]!;
    return { chat: `across-${a}-${b}`, beginner, decider, next };
  }),
);

/** A client of one protocol begins, one of another decides, and one of a third goes on. */
export function describeAcrossProtocols(servers: Servers): void {
  describe('A chat of several protocols', () => {
    withPeople(servers, { PARK_AFTER_MS: '0' }, (server) => {
      const open: ProtocolClient[] = [];
      const connect = (protocol: Protocol): ProtocolClient => {
        const client = protocol.connect(server.api);
        open.push(client);
        return client;
      };
      afterEach(async () => {
        for (const client of open.splice(0)) await client.close?.();
      });

      it.each(TABLE.filter(isPossible).map((row) => [nameOf(row), row] as const))(
        '%s',
        async (_, row) => {
          const { chat, next } = row;
          const { first, sent, of } = await begin(server, row, connect);
          await (row.beginner === row.decider ? first : connect(row.decider)).approve!(of);
          expect(['Done.', undefined]).toContain(await sent);
          const reader = await server.api.follow(of, undefined, new EventReader());
          expect([reader.types, reader.faults]).toEqual([RECORDS, []]);
          expect(reader.find('TOOL_RESULT')).toMatchObject({ tool_output: '42', is_error: false });

          const asked = server.fake.requests.length;
          const message = script({ text: 'And on.' });
          expect(await connect(next).send(chat, message)).toBe('And on.');
          const { messages } = server.fake.requests[asked]!.body as { messages: Said[] };
          expect(messages.slice(-5).map(({ role, content }) => content ?? role)).toEqual([
            ...[asking(), 'assistant', '42', 'Done.', message],
          ]);
          const { interactions } = (await server.api.get(`/chats/${chat}`)).body as Chat;
          expect(interactions).toMatchObject([
            { id: of.id, status: 'COMPLETED' },
            { status: 'COMPLETED', parent_id: of.id, user_message: message },
          ]);
        },
      );

      it.each(TABLE.filter((row) => !isPossible(row)).map((row) => [nameOf(row), row] as const))(
        '%s: it can’t, and changes nothing',
        async (_, row) => {
          const { sent, of } = await begin(server, row, connect);
          await expect(connect(row.decider).send(row.chat, 'Yes')).rejects.toThrow(/busy|active/i);
          await connect(NATIVE).approve!(of);
          expect(['Done.', undefined]).toContain(await sent);
        },
      );

      it('is decided by all protocols but those of which the documentation says why', async () => {
        const text = await readFile(new URL('../../../docs/protocols.md', import.meta.url), 'utf8');
        const reasons = PROTOCOLS.flatMap(({ cannotDecide }) => cannotDecide ?? []);
        expect(reasons).toHaveLength(2);
        for (const reason of reasons) expect(text.replaceAll(/\s+/g, ' ')).toContain(reason);
      });
    });
  });
}

interface Said {
  readonly role: string;
  readonly content: string | null;
}

interface Chat {
  readonly interactions: readonly Interaction[];
}

interface Waiting {
  readonly first: ProtocolClient;
  /** Its answer: some requests stay open until there is one. */
  readonly sent: Promise<string | undefined>;
  readonly of: InteractionRef;
}

function asking(): string {
  return script({ calls: [CALCULATION] });
}

/** Until the API shows that the interaction waits. */
async function begin(
  { api }: ServerUnderTest,
  { chat, beginner }: Row,
  connect: (protocol: Protocol) => ProtocolClient,
): Promise<Waiting> {
  await makeToolAsk(api, chat, 'calculator');
  const first = connect(beginner);
  const sent = first.send(chat, asking());
  sent.catch(() => {}); // it is awaited later
  let waiting: readonly { readonly interaction_id: string }[] = [];
  await eventually(async () => {
    waiting = (await api.get(`/requests?status=pending&chat_id=${chat}`)).body.items;
    return waiting.length > 0;
  });
  return { first, sent, of: { chat_id: chat, id: waiting[0]!.interaction_id } };
}

function isPossible({ beginner, decider }: Row): boolean {
  return (
    decider.cannotDecide === undefined || (beginner === decider && decider.decidesOwn === true)
  );
}

function nameOf({ beginner, decider, next }: Row): string {
  return `${beginner.name} begins, ${decider.name} decides, ${next.name} goes on`;
}
