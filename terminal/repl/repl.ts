import type { RequestState } from '../../client/index.js';
import type { Speaker } from '../audio/speaker.js';
import { newChatId } from '../chat/chat-settings.js';
import type { ChatSettings } from '../chat/chat-settings.js';
import { explain } from '../connection/connect.js';
import type { Connected } from '../connection/connect.js';
import { EXIT } from '../exit-codes.js';
import { loadHighlighter } from '../render/highlight.js';
import { textOf } from '../render/span.js';
import type { Line } from '../render/span.js';
import { GLYPHS, SGR, withAsciiSigns } from '../render/theme.js';
import type { View } from '../render/theme.js';
import { EMPTY_DRAFT } from '../screen/editor.js';
import type { Draft } from '../screen/editor.js';
import { History } from '../screen/history.js';
import type { Key } from '../screen/keys.js';
import { MOST_FOOTER, Screen } from '../screen/screen.js';
import type { Terminal } from '../terminal.js';
import { mark } from '../transcript/draw-record.js';
import { drawApproval } from '../transcript/tool-call.js';
import { Background } from './background.js';
import type { Desk } from './desk.js';
import { drawFooter } from './footer/draw-footer.js';
import { openIn } from './input/external-program.js';
import { inputFor } from './input/input.js';
import type { Input } from './input/input.js';
import { CANCELLING, KeyCommands } from './input/key-commands.js';
import { MESSAGE } from './mode.js';
import type { Mode } from './mode.js';
import { Offers } from './requests/offers.js';
import { Remarks } from './remarks.js';
import { Session } from './session.js';
import { typeScript } from './type-script.js';

const SPIN_MS = 120;
/** A hint stays so long, unless a key takes it away; one about a reason stays with it. */
const HINT_MS = 5_000;

interface RunOptions {
  /** The chat exists: its last messages are shown. */
  readonly isOld?: boolean;
  /** Messages that are typed one after the other, before the terminal is left. */
  readonly script?: readonly string[];
  /** Speaks the answers. */
  readonly speaker?: Speaker | undefined;
}

/** The conversation on a terminal. */
export class Repl implements Desk {
  session!: Session;
  mode: Mode = MESSAGE;
  draft: Draft = EMPTY_DRAFT;
  readonly history: History;
  readonly client: Connected['client'];
  readonly url: string;
  readonly background: Background;
  /** The rule that was remembered last. */
  lastRule: string | undefined;
  private readonly keys = new KeyCommands(this);
  private readonly screen: Screen;
  private readonly input: Input;
  private readonly offers = new Offers(() => this.screen.change());
  /** Resolvers of promises that wait for the next change. */
  private readonly waiting: (() => void)[] = [];
  private remarks: Remarks | undefined;
  private hint = '';
  private hintAt = 0;
  sending: AbortController | undefined;
  showsTree = false;
  private isLent = false;
  /** Lines of the approval that is offered, as it is drawn at this width. */
  private offered = { id: '', width: 0, lines: 0 };
  /** The request that was printed again last. */
  private broughtToEnd = '';
  private speaker: Speaker | undefined;
  /** The interaction whose answer is spoken, or was the last. */
  private spoken: string | undefined;
  private leave: (code: number) => void = () => {};

  constructor(
    private readonly connected: Connected,
    private readonly terminal: Terminal,
  ) {
    this.client = connected.client;
    this.url = connected.url;
    this.history = new History(`${terminal.environment.stateFolder}/history`);
    this.background = new Background(connected.client, (text) => this.say(text));
    this.screen = new Screen(
      terminal.out,
      () => this.footer(),
      () => this.takeLines(),
      terminal.environment.isDumb || !terminal.out.isTerminal,
    );
    this.input = inputFor(terminal, (key) => this.press(key));
  }

  /** Until the person leaves. @returns the exit code */
  async run(
    settings: ChatSettings,
    { isOld = false, script, speaker }: RunOptions,
  ): Promise<number> {
    await this.history.load();
    const isFirst = this.history.isEmpty && script === undefined;
    const { found, running } = this.connected;
    this.remarks = new Remarks(this, { isFirst, isOwn: running !== undefined, found });
    const left = new Promise<number>((resolve) => (this.leave = resolve));
    void this.terminal.out.closed.then(() => this.leave(EXIT.completed));
    for (const end of ['end', 'close', 'error'])
      process.stdin.on(end, () => this.leave(EXIT.completed));
    for (const signal of ['SIGTERM', 'SIGHUP'] as const)
      process.once(signal, () => this.leave(signal === 'SIGTERM' ? 143 : 129));
    this.speaker = speaker;
    this.enter(settings);
    this.input.start();
    if (this.isDumb) this.say('A message, or /help, and Enter.');
    const timer = setInterval(() => this.spin(), SPIN_MS);
    // A server that does not answer does not keep the person here.
    if (isOld) await Promise.race([left, this.attempt(() => this.session.open())]);
    setTimeout(() => void loadHighlighter(), 0);
    void this.remarks.checkServer();
    running?.catch((error) => this.say(explain(error), SGR.red));
    if (script) void typeScript(this, script);
    const code = await left;
    if (script === undefined) this.remarks.leave();
    clearInterval(timer);
    this.input.stop();
    this.screen.pause();
    speaker?.stop();
    this.session.close();
    this.background.close();
    return code;
  }

  get view(): View {
    return { width: this.terminal.out.columns - 1 };
  }

  get isDumb(): boolean {
    return this.terminal.environment.isDumb;
  }

  get isRead(): boolean {
    return this.offers.isRead(this.mode);
  }

  print(lines: readonly Line[]): void {
    this.screen.print([...this.takeLines(), ...lines]);
    this.session.transcript.countOthers(lines.length);
  }

  /** A remark of the terminal's own. */
  say(text: string, sgr: string = SGR.dim): void {
    this.print(mark('', text, sgr, this.view));
  }

  setHint(text: string): void {
    [this.hint, this.hintAt] = [text, Date.now()];
    this.screen.change();
  }

  setMode(mode: Mode, draft: Draft = EMPTY_DRAFT): void {
    this.mode = mode;
    this.draft = draft;
    this.change();
  }

  /** Goes on to another chat. */
  async switchTo(chat_id: string): Promise<void> {
    this.leaveSession(chat_id);
    await this.session.open();
  }

  startNew(): void {
    this.leaveSession(newChatId());
  }

  skip(request: RequestState): void {
    this.session.transcript.showNext();
    this.mode = this.offers.skip(request, this.session.pending);
    this.change();
  }

  quit(code: number = EXIT.completed): void {
    this.leave(code);
  }

  /** Runs what a key has asked for; a failure is told, and nothing is lost. */
  async attempt(action: () => unknown): Promise<boolean> {
    try {
      await action();
      return true;
    } catch (error) {
      this.say(explain(error), SGR.red);
      return false;
    } finally {
      this.change();
    }
  }

  /** The text in the person's editor. */
  async inEditor(name: string, text: string): Promise<string | undefined> {
    return this.lendTo('editor', name, text);
  }

  async inPager(name: string, lines: readonly Line[]): Promise<void> {
    const { environment } = this.terminal;
    if (environment.isDumb) return this.print(lines);
    const text = `${lines.map(textOf).join('\n')}\n`;
    await this.lendTo('pager', name, environment.isUnicode ? text : withAsciiSigns(text));
  }

  /** Leaves the terminal to another program until that ends. */
  private async lendTo(
    program: 'editor' | 'pager',
    name: string,
    text: string,
  ): Promise<string | undefined> {
    this.input.stop();
    this.screen.pause();
    this.isLent = true;
    try {
      return await openIn(program, this.terminal.environment, { name, text });
    } catch (error) {
      this.say(explain(error), SGR.red);
      return undefined;
    } finally {
      this.isLent = false;
      this.offers.renew();
      this.input.start();
      this.screen.resume();
    }
  }

  /** The next chat has the same settings. */
  private leaveSession(chat_id: string): void {
    const { agent, model, isAuto } = this.session;
    this.session.close();
    this.enter({ chat_id, agent, model, isAuto });
  }

  private enter(settings: ChatSettings): void {
    this.session = new Session(this.client, settings, () => this.change());
    this.offers.clear();
    this.setMode(MESSAGE, this.draft);
  }

  nextChange(): Promise<void> {
    return new Promise((resolve) => this.waiting.push(resolve));
  }

  private change(): void {
    const { session } = this;
    const { transcript } = session;
    const { unprinted } = transcript;
    // The next thing printed belongs to the request that was offered, or is one printed again.
    const isClosed = transcript.awaitsVerdict || unprinted.has(this.broughtToEnd);
    const shown = isClosed ? [] : session.pending.filter(({ id }) => !unprinted.has(id));
    const before = this.mode;
    this.mode = this.offers.settle(before, shown, this.draft.text !== '');
    if ('request' in this.mode && requestOf(before) !== this.mode.request.id)
      this.bringToEnd(this.mode.request);
    const isWorking = session.isBusy || this.sending !== undefined;
    if (!isWorking && this.hint.startsWith(CANCELLING)) this.hint = '';
    this.remarks?.make();
    this.speak();
    for (const resolve of this.waiting.splice(0)) resolve();
    this.screen.change();
  }

  /** A request comes up as the last thing that is printed. */
  private bringToEnd({ id }: RequestState): void {
    const { transcript } = this.session;
    if (this.broughtToEnd === id || transcript.linesBelow(id) === 0) return;
    this.broughtToEnd = id;
    this.offers.renew();
    transcript.showAgain(id);
    this.mode = MESSAGE;
  }

  /** Each answer that this terminal sees begin is spoken; one that is cancelled falls silent. */
  private speak(): void {
    const { speaker, session } = this;
    const { head, id, isBusy } = session;
    if (!speaker || !head) return;
    if (head.status === 'CANCELLED') speaker.stop();
    if (!isBusy || head.id === this.spoken) return;
    this.spoken = head.id;
    void this.attempt(() => speaker.speak(id, head.id));
  }

  private spin(): void {
    const isOver = this.mode.kind !== 'reason' && Date.now() - this.hintAt > HINT_MS;
    if (this.hint !== '' && isOver) this.setHint('');
    const { isBusy, connection } = this.session;
    if (isBusy || this.sending || connection?.state === 'reconnecting') this.screen.change();
  }

  private takeLines(): Line[] {
    const { transcript } = this.session;
    const lines = transcript.takeLines(this.view);
    // A request that is printed now may be decided.
    if (lines.length > 0 || transcript.hasMore) setImmediate(() => this.change());
    return lines;
  }

  private footer() {
    const { session, mode, draft } = this;
    const { head, isBusy, connection } = session;
    const started = head?.started?.at;
    return drawFooter(
      {
        ...{ mode, draft, isBusy, connection, hint: this.hint, isRead: this.isRead },
        live: session.transcript.liveLine(),
        running: session.transcript.running,
        what: 'working',
        agents: this.showsTree && isBusy ? (head?.agents ?? []) : [],
        elapsed: started === undefined ? 0 : Date.now() - Date.parse(started),
        pending: session.pending.length,
        linesAbove: this.linesAbove(),
        queued: session.state?.queued.length ?? 0,
        notes: session.notes.length,
        background: this.background.size,
        about: this.about(),
      },
      this.view,
    );
  }

  private linesAbove(): number {
    const { mode, view } = this;
    if (mode.kind !== 'approval') return 0;
    const { id } = mode.request;
    if (this.offered.id !== id || this.offered.width !== view.width)
      this.offered = { id, width: view.width, lines: drawApproval(mode.request, view).length };
    const below = this.session.transcript.linesBelow(id);
    return Math.max(this.offered.lines + below + MOST_FOOTER - this.terminal.out.rows, 0);
  }

  private about(): string {
    if (this.sending) return 'sending';
    const { head, agent, model, id } = this.session;
    const names = [agent ?? head?.started?.agent, model ?? head?.started?.model, id];
    return `${names.filter((name) => name !== undefined).join(` ${GLYPHS.dot} `)} ${GLYPHS.dot} /help`;
  }

  private press(key: Key): void {
    if (this.isLent) return;
    this.hint = '';
    this.keys.press(key);
    this.change();
  }
}

function requestOf(mode: Mode): string | undefined {
  return 'request' in mode ? mode.request.id : undefined;
}
