import { PAGES } from '../../clients/langgraph-stream.js';
import type { PageName, Snapshot, ThreadController } from '../../clients/langgraph-stream.js';
import { eventually } from '../../support/eventually.js';
import { Gate } from '../../support/gate.js';
import { script } from '../../support/model/scripted-answers.js';
import { makeToolAsk } from '../../support/tools/make-tool-ask.js';
import type { Servers } from '../servers.js';
import { withPeople } from '../with-people.js';

const CALCULATION = { name: 'calculator', arguments: { expression: '6*7' } };
const QUESTION = { name: 'ask_human', arguments: { question: 'Which?' } };
const child = (prompt: string) => ({ name: 'agent', arguments: { prompt } });
const NAMES = Object.keys(PAGES) as PageName[];

const say = (content: string, id?: string) => ({
  messages: [{ type: 'human', content, ...(id && { id }) }],
});
const shown = ({ rootStore }: ThreadController): Snapshot => rootStore.getSnapshot();
const textsIn = (page: ThreadController): string[] => shown(page).messages.map(({ text }) => text);

/** Once it is so: pages draw a tick later. */
async function shows(page: ThreadController, texts: readonly string[]): Promise<void> {
  const isSo = (): boolean => JSON.stringify(textsIn(page)) === JSON.stringify(texts);
  await eventually(isSo).catch(() => {});
  expect(textsIn(page)).toEqual(texts);
}

/** With what the hook `useStream` of `@langchain/react` is over. */
export function describeLangGraphProtocol(servers: Servers): void {
  describe.each(NAMES)('A page of LangGraph with %s', (name) => {
    withPeople(servers, { DISCONNECT_GRACE_MS: '100' }, (server, person) => {
      const pages: ThreadController[] = [];
      const open = async (what: string | null) => {
        const threadId = what && `${what}-${NAMES.indexOf(name)}`;
        const page = PAGES[name]({ url: server.api.url, threadId });
        pages.push(page);
        await page.hydrationPromise;
        return page;
      };
      const settled = (page: ThreadController) => eventually(() => !shown(page).isLoading);
      afterEach(async () => {
        for (const page of pages.splice(0)) await page.dispose();
      });

      it('shows several turns, with the ids that it gave its messages', async () => {
        const page = await open(null);
        const turn = { thinking: 'Hm.', text: 'I calculate.', calls: [CALCULATION] };
        await page.submit(say(script(turn), 'm1'));
        expect(shown(page).error).toBeUndefined();
        await shows(page, [script(turn), 'I calculate.', '42', 'Done.']);
        expect(shown(page).messages[0]!.id).toBe('m1');
        expect(shown(page).toolCalls).toMatchObject([{ name: 'calculator' }]);
        server.fake.reply({ text: ['One ', 'two.'] });
        await page.submit(say('Again', 'm2'));
        await shows(page, [script(turn), 'I calculate.', '42', 'Done.', 'Again', 'One two.']);
        await settled(page);
        expect(shown(page).error).toBeUndefined();
      });

      it('shows the same when it is loaded again, and goes on', async () => {
        const page = await open('loaded');
        await page.submit(say('Hi', 'm1'));
        await shows(page, ['Hi', 'Done.']);
        const again = await open('loaded');
        await shows(again, ['Hi', 'Done.']);
        expect(shown(again).messages.map(({ id }) => id)).toEqual(
          shown(page).messages.map(({ id }) => id),
        );
        await again.submit(say('More', 'm2'));
        await shows(again, ['Hi', 'Done.', 'More', 'Done.']);
        await settled(again);
      });

      it('joins an answer in its middle', async () => {
        const page = await open('joined');
        const gate = new Gate();
        server.fake.reply({ text: ['Half ', gate, 'and half.'] });
        const sent = page.submit(say('Hi', 'm1'));
        await eventually(() => textsIn(page).includes('Half '));
        const again = await open('joined');
        await eventually(() => textsIn(again).includes('Half '));
        expect(shown(again).isLoading).toBe(true);
        gate.open();
        await sent;
        await settled(again);
        for (const each of [page, again]) await shows(each, ['Hi', 'Half and half.']);
      });

      it('decides calls, with other arguments, and answers questions', async () => {
        const page = await open('decides');
        await makeToolAsk(server.api, `decides-${NAMES.indexOf(name)}`, 'calculator');
        const asked = script({ calls: [CALCULATION, CALCULATION] }, { calls: [QUESTION] });
        await page.submit(say(asked, 'm1'));
        await eventually(() => shown(page).interrupts.length === 1);
        const edited = { name: 'calculator', args: { expression: '6*8' } };
        await page.respond({
          decisions: [
            { type: 'edit', editedAction: edited },
            { type: 'reject', message: 'Once.' },
          ],
        });
        await eventually(() => {
          const [interrupt] = shown(page).interrupts;
          return (interrupt?.value as { type?: string } | undefined)?.type === 'question';
        });
        await page.respond('green');
        await eventually(() => textsIn(page).at(-1) === 'Done.');
        await settled(page);
        expect([shown(page).error, shown(page).interrupts]).toEqual([undefined, []]);
        const results = shown(page).messages.filter(({ type }) => type === 'tool');
        expect(results.map(({ text }) => text).toSorted()).toEqual([
          ...['48', expect.stringContaining('Once.'), 'green'],
        ]);
      });

      it('has what waits when it is loaded, and sees what was decided elsewhere', async () => {
        const first = await open('elsewhere');
        const chat_id = `elsewhere-${NAMES.indexOf(name)}`;
        await makeToolAsk(server.api, chat_id, 'calculator');
        await first.submit(say(script({ calls: [CALCULATION] }), 'm1'));
        const page = await open('elsewhere');
        await eventually(() => shown(page).interrupts.length === 1);
        const [request] = (await server.api.get(`/requests?chat_id=${chat_id}`)).body.items;
        await person.approve({ chat_id, id: request.interaction_id }, request.id);
        await eventually(() => textsIn(page).at(-1) === 'Done.');
        await settled(page);
        expect(textsIn(page).slice(-2)).toEqual(['42', 'Done.']);
      });

      it('stops what runs', async () => {
        const page = await open('stopped');
        const gate = new Gate();
        server.fake.reply({ text: ['Half ', gate] });
        const sent = page.submit(say('Hi', 'm1'));
        await eventually(() => textsIn(page).includes('Half '));
        await page.stop();
        await sent;
        gate.open();
        const chat = `/chats/stopped-${NAMES.indexOf(name)}`;
        const ended = async () => (await server.api.get(chat)).body.status === 'CANCELLED';
        await eventually(ended);
        await page.submit(say('Another', 'm2'));
        await shows(page, ['Hi', 'Half ', 'Another', 'Done.']);
      });

      it('edits a message and tries an answer again, from its checkpoint', async () => {
        const page = await open('forked');
        server.fake.reply({ text: 'First.' });
        await page.submit(say('One', 'm1'));
        await shows(page, ['One', 'First.']);
        const parentOf = (at: number) =>
          page.messageMetadataStore.getSnapshot().get(shown(page).messages[at]!.id)
            ?.parentCheckpointId;
        await eventually(() => parentOf(1) !== undefined);
        server.fake.reply({ text: 'Second.' });
        await page.submit(null, { forkFrom: parentOf(1) });
        await shows(page, ['One', 'Second.']);
        await page.submit(say('Other', 'm2'), { forkFrom: parentOf(0) });
        await shows(page, ['Other', 'Done.']);
      });

      it('drops the text of a turn that is tried again', async () => {
        const page = await open('retried');
        server.fake.reply({ text: ['Half ', { cut: true }] });
        server.fake.reply({ text: 'Whole.' });
        await page.submit(say('Hi', 'm1'));
        await shows(page, ['Hi', 'Whole.']);
      });

      it('keeps children in namespaces of their own, and says why a run failed', async () => {
        const page = await open('children');
        const asked = script({ calls: [child(script({ text: 'I dig.' }))] });
        await page.submit(say(asked, 'm1'));
        await shows(page, [asked, '', 'I dig.', 'Done.']);
        const id = `children-${NAMES.indexOf(name)}`;
        const events = await eventsOf(server.api.url, id);
        const ofChild = events.filter(({ params }) => params.namespace.length > 0);
        const cause = { type: 'toolCall', tool_call_id: expect.any(String) };
        expect(ofChild.map(({ params }) => params.data)).toMatchObject([
          { event: 'started', graph_name: 'react', cause },
          { event: 'message-start', role: 'ai' },
          { event: 'content-block-start' },
          { event: 'content-block-delta' },
          { event: 'content-block-finish', content: { type: 'text', text: 'I dig.' } },
          { event: 'message-finish' },
          { event: 'completed' },
        ]);
        const [{ params }] = ofChild as [ThreadEvent];
        const { tool_call_id } = params.data['cause'] as { tool_call_id: string };
        expect(params.namespace).toEqual([`tools:${tool_call_id}`]);
        server.fake.reply({ status: 400 });
        await page.submit(say('Hi', 'm2'));
        expect(shown(page).error?.message).toMatch(/^model_refused: /);
        await settled(page);
      });
    });
  });
}

interface ThreadEvent {
  readonly params: {
    readonly namespace: readonly string[];
    readonly data: Readonly<Record<string, unknown>>;
  };
}

/** Of the last run, which has ended. */
async function eventsOf(url: string, thread_id: string): Promise<ThreadEvent[]> {
  const leaving = new AbortController();
  const response = await fetch(`${url}/langgraph/threads/${thread_id}/stream/events`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ channels: ['lifecycle', 'messages'] }),
    signal: leaving.signal,
  });
  let text = '';
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    if (/id: synth:[^\n]*completed/.test(text) && text.endsWith('\n\n')) break;
  }
  leaving.abort();
  const data = [...text.matchAll(/^data: (.+)$/gm)].map(([, json]) => json!);
  return data.map((json) => JSON.parse(json) as ThreadEvent);
}
