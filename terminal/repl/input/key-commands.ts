import { setTimeout as delay } from 'node:timers/promises';
import { sanitize } from '../../render/sanitize.js';
import { span, wrap } from '../../render/span.js';
import { SGR } from '../../render/theme.js';
import { draftOf, edit, EMPTY_DRAFT, insert, moveLine } from '../../screen/editor.js';
import type { Key } from '../../screen/keys.js';
import { complete } from './completion.js';
import type { Names } from './completion.js';
import { Decisions } from '../requests/decisions.js';
import type { Desk } from '../desk.js';
import { editLast } from './edit-last.js';
import { MESSAGE } from '../mode.js';
import { SLASH_COMMANDS } from './slash-commands.js';
import { submit } from './submit.js';

/** A second Ctrl-C, or Esc, within this time means more than the first. */
const TWICE_MS = 2_000;
/** An Esc that follows this soon after one that went a step back was pressed once too often. */
const ONCE_MORE_MS = 400;
/** A cancelled answer ends within this time, or the terminal is left without its end. */
const MOST_LEAVE_MS = 5_000;
export const CANCELLING = 'Cancelling';

/** Effects of keys. */
export class KeyCommands {
  private readonly decisions: Decisions;
  private afterCtrlX = false;
  private lastInterrupt = 0;
  private lastEscape = 0;
  /** When Esc has gone from one mode to another. */
  private steppedAt = 0;
  /** Until the answer that a key has cancelled has ended. */
  private cancelling: Promise<boolean> | undefined;
  private isLeaving = false;
  /** Keys that have to wait for a completion. */
  private held: Key[] | undefined;
  /** Work of keys, one after the other. */
  private work: Promise<void> = Promise.resolve();

  constructor(private readonly desk: Desk) {
    this.decisions = new Decisions(desk);
  }

  press(key: Key): void {
    if (this.held && key.name !== 'ctrl-c') {
      this.held.push(key);
      return;
    }
    if (key.name !== 'escape') [this.lastEscape, this.steppedAt] = [0, 0];
    if (key.name === 'ctrl-c') this.interrupt();
    else if (this.afterCtrlX) this.pressAfterCtrlX(key);
    else if (key.name === 'ctrl-x') {
      this.afterCtrlX = true;
      this.desk.setHint('Ctrl-X: Enter queues the message');
    } else if (key.name === 'escape') this.escape();
    else if (!this.decisions.press(key)) this.type(key);
  }

  private type(key: Key): void {
    const { desk } = this;
    const { draft } = desk;
    switch (key.name) {
      case 'return':
        return this.enter(false);
      case 'tab':
        return this.startCompletion();
      case 'ctrl-b':
        if (desk.session.isBusy) return this.toBackground();
        break;
      case 'ctrl-d':
        if (draft.text === '') return desk.quit();
        desk.draft = edit(draft, { name: 'delete' }) ?? draft;
        return;
      case 'ctrl-g':
        return this.do(() => this.writeInEditor());
      case 'up':
      case 'ctrl-p':
        return this.recall(-1);
      case 'down':
      case 'ctrl-n':
        return this.recall(1);
      default:
    }
    desk.draft = edit(draft, key) ?? draft;
  }

  private do(action: () => unknown): void {
    this.work = this.work.then(async () => {
      if (!this.isLeaving) await this.desk.attempt(action);
    });
  }

  private recall(by: -1 | 1): void {
    const { draft, history } = this.desk;
    const moved = moveLine(draft, by);
    const text = moved ? undefined : history.step(by, draft.text);
    this.desk.draft = moved ?? (text === undefined ? draft : draftOf(text, draft.killed));
  }

  private pressAfterCtrlX(key: Key): void {
    this.afterCtrlX = false;
    if (key.name === 'return') this.enter(true);
    else if (key.name !== 'escape') this.type(key);
  }

  private enter(isQueued: boolean): void {
    const { desk } = this;
    const { mode, draft } = desk;
    if (draft.text.endsWith('\\') && draft.at === draft.text.length) {
      desk.draft = insert({ ...draft, text: draft.text.slice(0, -1), at: draft.at - 1 }, '\n');
      return;
    }
    if (this.decisions.enter(mode, draft.text)) return;
    if (draft.text.trim() === '') return;
    desk.draft = { ...EMPTY_DRAFT, killed: draft.killed };
    this.do(() => submit(desk, { mode, draft, isQueued }));
  }

  private interrupt(): void {
    const { desk } = this;
    const isSecond = Date.now() - this.lastInterrupt < TWICE_MS;
    this.afterCtrlX = false;
    if (this.goBack()) return;
    this.lastInterrupt = Date.now();
    if (isSecond) return this.leave();
    desk.setHint('Ctrl-C again leaves');
    if (desk.draft.text !== '') this.emptyDraft();
    else if (this.isWorking) {
      desk.setHint(`${CANCELLING}. Ctrl-C again leaves`);
      this.startCancel();
    }
  }

  private get isWorking(): boolean {
    return this.desk.sending !== undefined || this.desk.session.isBusy;
  }

  private startCancel(): void {
    this.cancelling ??= this.desk
      .attempt(() => this.cancel())
      .finally(() => (this.cancelling = undefined));
  }

  /** A message that is on its way may begin an answer: that is cancelled once it is known. */
  private async cancel(): Promise<void> {
    const { desk } = this;
    desk.sending?.abort(new Error('Not sent: it is in the input again.'));
    while (desk.sending) await desk.nextChange();
    await desk.session.cancel();
    while (desk.session.isBusy) await desk.nextChange();
  }

  /** A server that goes with the terminal is not to go on with a cancelled answer later. */
  private leave(): void {
    const { desk } = this;
    if (this.isLeaving) return desk.quit();
    if (this.isWorking) this.startCancel();
    if (!this.cancelling) return desk.quit();
    this.isLeaving = true;
    desk.setHint(`${CANCELLING}, then leaving. Ctrl-C again leaves at once`);
    void this.leaveAfter(this.cancelling);
  }

  private async leaveAfter(cancelling: Promise<boolean>): Promise<void> {
    const { desk } = this;
    const isOver = await Promise.race([cancelling, delay(MOST_LEAVE_MS, false)]);
    if (!isOver && this.isWorking) {
      const { id } = desk.session;
      const text = `The server has not confirmed the cancel: the answer may go on. To see it: parley chat --chat ${id}`;
      desk.say(text, SGR.yellow);
    }
    desk.quit();
  }

  private escape(): void {
    const { desk } = this;
    const { draft } = desk;
    this.afterCtrlX = false;
    if (Date.now() - this.steppedAt < ONCE_MORE_MS) return;
    const isSecond = Date.now() - this.lastEscape < TWICE_MS;
    this.lastEscape = Date.now();
    if (this.goBack() || this.emptyBeside()) {
      [this.steppedAt, this.lastEscape] = [Date.now(), 0];
      return;
    }
    if (isSecond && draft.text === '') {
      this.steppedAt = Date.now();
      return editLast(desk);
    }
    if (this.isWorking) {
      desk.setHint(`${CANCELLING}. Esc again edits the message`);
      this.startCancel();
    } else desk.setHint(draft.text === '' ? 'Esc again edits the last message' : '');
  }

  /** Leaves a line that is asked for, or the choice of a scope. True if there was one. */
  private goBack(): boolean {
    const { desk } = this;
    const { mode } = desk;
    if (mode.kind === 'reason' || mode.kind === 'remember')
      desk.setMode({ kind: 'approval', request: mode.request });
    else if (mode.kind === 'edit' || mode.kind === 'queued') desk.setMode(MESSAGE);
    else return false;
    return true;
  }

  /** Beside a request, what is typed goes before the answer does. True if there was something. */
  private emptyBeside(): boolean {
    const { draft, session } = this.desk;
    if (draft.text === '' || session.pending.length === 0) return false;
    this.emptyDraft();
    return true;
  }

  private emptyDraft(): void {
    const { desk } = this;
    desk.draft = { ...EMPTY_DRAFT, killed: desk.draft.text };
  }

  private toBackground(): void {
    const { desk } = this;
    const { id } = desk.session;
    desk.background.add(id);
    desk.startNew();
    desk.say(`${id} goes on in the background. /chats ${id} leads back to it.`);
  }

  private async writeInEditor(): Promise<void> {
    const text = await this.desk.inEditor('message.md', this.desk.draft.text);
    if (text !== undefined) this.desk.draft = draftOf(sanitize(text).replace(/\n$/, ''));
  }

  private startCompletion(): void {
    this.held = [];
    this.do(async () => {
      try {
        await this.complete();
      } finally {
        const keys = this.held ?? [];
        this.held = undefined;
        for (const key of keys) this.press(key);
      }
    });
  }

  private async complete(): Promise<void> {
    const { desk } = this;
    const { text, at } = desk.draft;
    const names = await this.names(text);
    const done = await complete(text.slice(0, at), names);
    desk.draft = { ...desk.draft, text: done.text + text.slice(at), at: done.text.length };
    if (done.choices.length > 0)
      desk.print(wrap([span(sanitize(done.choices.join('  ')), SGR.dim)], desk.view.width));
  }

  private async names(text: string): Promise<Names> {
    const names = { commands: Object.keys(SLASH_COMMANDS), agents: [], models: [] };
    if (text.startsWith('/agent')) {
      const { items } = await this.desk.client.agents.types();
      return { ...names, agents: items.map(({ name }) => name) };
    }
    return text.startsWith('/model') ? { ...names, models: await this.models() } : names;
  }

  /** Names that the server knows, and those used in this chat. */
  private async models(): Promise<string[]> {
    const { client, session } = this.desk;
    const { items } = await client.models.list();
    const used = Object.values(session.state?.interactions ?? {}).map((it) => it.started?.model);
    const models = [...items.map(({ model }) => model), ...used];
    return [...new Set(models)].filter((name) => name !== undefined);
  }
}
