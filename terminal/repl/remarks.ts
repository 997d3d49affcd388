import { explain } from '../connection/connect.js';
import { sanitize } from '../render/sanitize.js';
import { SGR } from '../render/theme.js';
import { draftOf } from '../screen/editor.js';
import { adviceFor } from '../version.js';
import type { Desk } from './desk.js';

/** So many attempts to reach a server that does not answer take about seven seconds. */
const ATTEMPTS = 3;
/** Number of characters that are repeated of a text that was not sent. */
const SHOWN = 1_000;

export interface RemarksOptions {
  /** The person has typed nothing yet, now or earlier. */
  readonly isFirst: boolean;
  /** The server ends with the terminal. */
  readonly isOwn: boolean;
  /** The address of the server, if it was found on this machine: it may be another terminal's. */
  readonly found: string | undefined;
}

/** Remarks that the terminal makes by itself, after something has happened. */
export class Remarks {
  /** About the server's version, as it was told last. */
  private advice: string | undefined;
  private wasLost = false;
  private isStopTold = false;
  private isFirst: boolean;
  private readonly isOwn: boolean;
  private readonly found: string | undefined;

  constructor(
    private readonly desk: Desk,
    { isFirst, isOwn, found }: RemarksOptions,
  ) {
    this.isFirst = isFirst;
    this.isOwn = isOwn;
    this.found = found;
  }

  make(): void {
    const { session } = this.desk;
    if (session.lateNotes.length > 0) this.returnNotes();
    if (this.isFirst) this.introduceDemo();
    const isLost = session.connection?.state === 'reconnecting';
    // Another server may be there after a connection was lost.
    if (this.wasLost && !isLost) void this.checkServer();
    this.wasLost = isLost;
    if (isLost) this.tellOfStop();
    else this.isStopTold = false;
    const { failure } = session;
    if (failure === undefined) return;
    session.failure = undefined;
    this.desk.say(explain(failure), SGR.red);
  }

  /** How to go on, if there is something to go on with. */
  leave(): void {
    const { session, background, draft } = this.desk;
    if (draft.text !== '') this.desk.say(`Not sent: ${sanitize(draft.text.slice(0, SHOWN))}`);
    if (session.head === undefined && !session.isBusy) return;
    const goesOn = session.isBusy || background.size > 0;
    const where = this.isOwn ? ' at the next start' : '';
    const state = goesOn ? `What is unfinished goes on${where}. ` : '';
    this.desk.say(`${state}To go on with this chat: parley chat --chat ${session.id}`);
  }

  /** A server that is too old is told of once. */
  async checkServer(): Promise<void> {
    const { client } = this.desk;
    const { version } = await client.health.ready().catch(() => ({ version: undefined }));
    const advice = adviceFor(version);
    if (advice !== undefined && advice !== this.advice) this.desk.say(sanitize(advice), SGR.yellow);
    this.advice = advice;
  }

  /** The server of another terminal ends with it. */
  private tellOfStop(): void {
    const { connection, id } = this.desk.session;
    if (this.found === undefined || this.isStopTold) return;
    if (connection?.state !== 'reconnecting' || connection.attempt < ATTEMPTS) return;
    if (connection.error?.code !== 'unreachable') return;
    this.isStopTold = true;
    this.desk.say(
      `The server at ${this.found} has stopped. If another terminal had started it, it ended with that one. To go on with a server of your own: Ctrl-D, then parley chat --chat ${id}`,
      SGR.yellow,
    );
  }

  /** A note that came too late is a message that was not sent. */
  private returnNotes(): void {
    const { desk } = this;
    const text = desk.session.lateNotes
      .splice(0)
      .map((note) => note.text)
      .join('\n');
    const isFree = desk.draft.text === '';
    if (isFree) desk.draft = draftOf(text);
    const what = isFree ? 'it is in the input, and Enter sends it as a message.' : text;
    desk.say(`The answer ended before your note was read: ${sanitize(what)}`, SGR.yellow);
  }

  /** After the first answer, if the server's model is the demo. */
  private introduceDemo(): void {
    const { head, isBusy } = this.desk.session;
    if (isBusy || !head?.started) return;
    this.isFirst = false;
    const { model } = head.started;
    if (model.startsWith('demo/'))
      this.desk.say(
        `${sanitize(model)} is a script, no language model: hello lists what it knows.`,
      );
  }
}
