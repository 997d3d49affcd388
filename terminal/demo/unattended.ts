import type { Client, StreamEvent } from '../../client/index.js';
import { span } from '../render/span.js';
import { SGR } from '../render/theme.js';
import { LiveTranscript } from '../screen/live-transcript.js';
import type { Terminal } from '../terminal.js';
import { AFTER_RULE, BEFORE_RULE, CHAT, RULE } from './script.js';
import type { Step } from './script.js';

/** The whole script, with its own decisions. @throws Error if an answer fails */
export async function runUnattended(
  client: Client,
  { out, environment }: Terminal,
  signal: AbortSignal,
): Promise<void> {
  const view = new LiveTranscript(out, environment);
  const tell = async (step: Step): Promise<void> => new Telling(client, step, view).run(signal);
  try {
    for (const step of BEFORE_RULE) await tell(step);
    await client.permissions.add(RULE);
    view.say([]);
    view.say([span(`  A rule was added: ${RULE.description}.`, SGR.dim)]);
    for (const step of AFTER_RULE) await tell(step);
    const { interactions } = await client.chats.get(CHAT);
    view.say([]);
    view.say([span(`  The chat holds ${interactions.length} interactions.`, SGR.dim)]);
  } finally {
    view.end();
  }
}

/** Sends a message, and shows its answer to the end. */
class Telling {
  private fragments = 0;
  private status: string | undefined;

  constructor(
    private readonly client: Client,
    private readonly step: Step,
    private readonly view: LiveTranscript,
  ) {}

  async run(signal: AbortSignal): Promise<void> {
    const { client, step, view } = this;
    const stream = client.start(CHAT, { user_message: step.text }, { signal });
    if (await this.read(stream)) {
      const { cursor, interaction_id } = stream;
      view.say([span(`  connection cut; back with the cursor ${cursor}`, SGR.yellow)]);
      await this.read(client.follow(CHAT, interaction_id!, { cursor, signal }));
    }
    if (this.status === 'FAILED') throw new Error('An answer failed.');
  }

  /** True if the connection was cut. */
  private async read(events: AsyncIterable<StreamEvent>): Promise<boolean> {
    for await (const event of events) {
      this.view.take(event);
      if (event.type === 'INTERACTION_COMPLETE') this.status = event.status;
      if (event.type === 'TEXT_DELTA' && ++this.fragments === this.step.cutAfter) return true;
      await this.decide(event);
    }
    return false;
  }

  private async decide(event: StreamEvent): Promise<void> {
    const { client, step, view } = this;
    const { interaction_id } = event;
    if (event.type === 'APPROVAL_REQUIRED') {
      const { approval_id } = event;
      view.transcript.settledHere(approval_id);
      const decision = { approval_id, ...(step.decision ?? { approved: true }) };
      await client.requests.approve(CHAT, interaction_id, decision);
    }
    if (event.type === 'INPUT_REQUIRED') {
      const { request_id } = event;
      view.transcript.settledHere(request_id);
      const answer = step.answer ?? null;
      await client.requests.respond(CHAT, interaction_id, { request_id, answer });
    }
  }
}
