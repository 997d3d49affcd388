import { ParleyError } from '../../../client/index.js';
import type { RequestState } from '../../../client/index.js';
import { sanitize } from '../../render/sanitize.js';
import { SGR } from '../../render/theme.js';
import { draftOf } from '../../screen/editor.js';
import type { Key } from '../../screen/keys.js';
import { drawApproval, parseObject } from '../../transcript/tool-call.js';
import { answerOf, MESSAGE } from '../mode.js';
import type { Mode } from '../mode.js';
import type { Desk } from '../desk.js';
import { ruleText, subjectOf } from './rule-text.js';
import { commandIn, SLASH_COMMANDS } from '../input/slash-commands.js';

type Decision = Parameters<Desk['client']['requests']['approve']>[2];
type Verdict = Omit<Decision, 'approval_id'>;
type ModeOf<K extends Mode['kind']> = Extract<Mode, { readonly kind: K }>;
const SCOPES = { c: 'session', g: 'agent', w: 'global' } as const;
/** Keys by their words, for a terminal without keys. */
const WORDS: Readonly<Record<string, string>> = {
  ...{ approve: 'a', edit: 'e', reject: 'r', remember: 'm', view: 'v', next: 'n' },
  ...{ allow: 'a', deny: 'd' },
};

/** Keys that follow each other so quickly are typed, or are one that is held. */
const TYPING_MS = 300;

/** Approvals and answers of the person at the terminal. */
export class Decisions {
  private isBusy = false;
  /** Time of the last key, in milliseconds of `performance.now`. */
  private pressedAt = -Infinity;

  constructor(private readonly desk: Desk) {}

  /** True if the key decides something. Letters of a message that is being typed never do. */
  press(key: Key): boolean {
    const { mode, draft } = this.desk;
    const isTyping = performance.now() - this.pressedAt < TYPING_MS;
    this.pressedAt = performance.now();
    if (mode.kind === 'question' && key.name === 'ctrl-d' && draft.text === '') {
      this.start(() => this.answer(mode.request, null));
      return true;
    }
    if (draft.text !== '' || key.name === 'paste') return false;
    // Letters that were under way when the request came go on being text.
    if (mode.kind === 'approval' && (!this.desk.isRead || (key.name === 'a' && isTyping)))
      return false;
    if (mode.kind === 'approval') return this.pressApproval(mode.request, key);
    if (mode.kind === 'remember') return this.pressScope(mode, key);
    return false;
  }

  /** True if the line was about a request. */
  enter(mode: Mode, text: string): boolean {
    if (mode.kind === 'reason') {
      const reason = text.trim() === '' ? {} : { reason: text };
      this.startTyped(() => this.decide(mode.request, { approved: false, ...reason }));
      return true;
    }
    if (mode.kind === 'approval' || mode.kind === 'remember') return this.enterWord(mode, text);
    if (mode.kind !== 'question') return false;
    const { name = '' } = commandIn(text) ?? {};
    if (Object.hasOwn(SLASH_COMMANDS, name)) return false;
    if (text.trim() === '') return true;
    this.startTyped(() => this.answer(mode.request, answerOf(mode.request, text)));
    return true;
  }

  /** On a terminal without keys: the word for a decision, on a line of its own. */
  private enterWord(mode: ModeOf<'approval' | 'remember'>, text: string): boolean {
    const word = text.trim().toLowerCase();
    const letter = WORDS[word] ?? word;
    if (letter.length !== 1) return false;
    this.desk.draft = draftOf('');
    if (mode.kind === 'remember') return this.pressScope(mode, { name: letter });
    return this.pressApproval(mode.request, { name: letter });
  }

  private pressApproval(request: RequestState, { name }: Key): boolean {
    switch (name) {
      case 'a':
        this.start(() => this.decide(request, { approved: true }));
        return true;
      case 'e':
        this.start(() => this.edit(request));
        return true;
      case 'r':
        this.desk.setMode({ kind: 'reason', request });
        this.desk.setHint('Why? The model reads it. Enter rejects, Esc goes back');
        return true;
      case 'm':
        void this.startRemember(request, true);
        return true;
      case 'v':
        this.start(() => this.desk.inPager('approval.txt', drawApproval(request, this.desk.view)));
        return true;
      case 'n':
        this.desk.skip(request);
        return true;
      case ' ':
        this.desk.mode = MESSAGE;
        this.desk.draft = draftOf(' ');
        return true;
      default:
        return false;
    }
  }

  /** A scope is asked for once the rule is shown. */
  private async startRemember(request: RequestState, approved: boolean): Promise<void> {
    const { desk } = this;
    const mode = { kind: 'remember', request, approved, isShown: false } as const;
    desk.setMode(mode);
    let isShown = false;
    await desk.attempt(async () => (isShown = await this.showRule(mode)));
    if (desk.mode !== mode) return;
    desk.setMode(isShown ? { ...mode, isShown } : { kind: 'approval', request });
  }

  /** The rule that would be added, of each scope for the same calls. False: there is none. */
  private async showRule({ request, approved }: ModeOf<'remember'>): Promise<boolean> {
    const { client, session } = this.desk;
    const body = { approval_id: request.id, approved, remember: 'session' } as const;
    const { rule } = await client.requests.previewRule(session.id, request.interaction_id, body);
    const verb = approved
      ? 'Would approve it, and from now on allow'
      : 'Would reject it, and from now on deny';
    // Nothing of a rule is cut, as it would be in the footer.
    if (rule) this.desk.say(`${verb} ${subjectOf(rule)}`);
    else this.desk.say('No rule would decide calls like this one: decide it alone');
    return rule !== null;
  }

  private pressScope({ request, approved, isShown }: ModeOf<'remember'>, { name }: Key): boolean {
    const remember = SCOPES[name as keyof typeof SCOPES];
    if (isShown && remember) this.start(() => this.decide(request, { approved, remember }));
    else if (isShown && name === (approved ? 'd' : 'a'))
      void this.startRemember(request, !approved);
    return name.length === 1;
  }

  /** Runs one action at a time: a key that is pressed twice decides once. */
  private start(action: () => Promise<void>): void {
    if (this.isBusy) return;
    this.isBusy = true;
    void this.desk.attempt(action).finally(() => (this.isBusy = false));
  }

  /** With a text, which is in the input again if that fails. */
  private startTyped(action: () => Promise<void>): void {
    const { mode, draft } = this.desk;
    this.desk.draft = draftOf('');
    this.start(async () => {
      try {
        await action();
      } catch (error) {
        if (this.desk.draft.text === '') this.desk.setMode(mode, draft);
        throw error;
      }
    });
  }

  private async edit(request: RequestState): Promise<void> {
    const input = parseObject(request.tool_input ?? '{}');
    const before = input ? `${JSON.stringify(input, undefined, 2)}\n` : (request.tool_input ?? '');
    const text = await this.desk.inEditor('arguments.json', before);
    if (text === undefined) return;
    if (text === before) return this.desk.setHint('Nothing was changed; it still waits for you.');
    const modified_input = parseObject(text);
    if (!modified_input) throw new Error('That is no JSON object; the call still waits for you.');
    await this.decide(request, { approved: true, modified_input });
  }

  private async decide(request: RequestState, verdict: Verdict): Promise<void> {
    const { desk } = this;
    const body = { approval_id: request.id, ...verdict };
    const { id } = desk.session;
    const done = await this.settle(request, () =>
      desk.client.requests.approve(id, request.interaction_id, body),
    );
    if (desk.mode.kind !== 'message') desk.setMode(MESSAGE);
    if (!done || verdict.remember === undefined) return;
    if (done.rule) {
      desk.lastRule = done.rule.id;
      desk.say(`Remembered: ${ruleText(done.rule)}. /forget takes it back.`, SGR.green);
      return;
    }
    const decided = verdict.approved ? 'Approved' : 'Rejected';
    desk.say(`${decided}, but not remembered: ${sanitize(done.reason ?? '')}`, SGR.yellow);
  }

  private async answer(request: RequestState, answer: string | null): Promise<void> {
    const { desk } = this;
    const body = { request_id: request.id, answer };
    await this.settle(request, () =>
      desk.client.requests.respond(desk.session.id, request.interaction_id, body),
    );
    desk.setMode(MESSAGE);
  }

  /** Someone who was faster is told by the stream. */
  private async settle<T>({ id }: RequestState, send: () => Promise<T>): Promise<T | undefined> {
    const { transcript } = this.desk.session;
    transcript.settledHere(id);
    try {
      return await send();
    } catch (error) {
      transcript.notSettledHere(id);
      if (error instanceof ParleyError && error.code === 'already_processed') {
        this.desk.setHint('It was settled before.');
        return undefined;
      }
      throw error;
    }
  }
}
