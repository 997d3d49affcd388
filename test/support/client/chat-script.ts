import fc from 'fast-check';
import type { ChatStreamEvent, DeltaEvent, RecordEvent, Task } from '../../../client/index.js';

export type Happening = RecordEvent | DeltaEvent;

/** One thing that an agent does, for which the script has the events. */
type Step =
  | { readonly kind: 'text'; readonly text: readonly string[] }
  | { readonly kind: 'thinking'; readonly text: readonly string[] }
  | { readonly kind: 'retried'; readonly text: readonly string[] }
  | { readonly kind: 'resumed'; readonly text: readonly string[] }
  | { readonly kind: 'tool'; readonly text: readonly string[]; readonly decision: Decision }
  | { readonly kind: 'question'; readonly answer: string | null }
  | { readonly kind: 'child'; readonly text: readonly string[] }
  | { readonly kind: 'task'; readonly nr: number; readonly isDeleted: boolean }
  | { readonly kind: 'retry'; readonly text: readonly string[] };
type Decision = 'none' | 'approved' | 'rejected';

interface Turn {
  readonly steps: readonly Step[];
  /** The message that it edits, counted from the first; undefined: it follows the last one. */
  readonly edits: number | undefined;
  readonly end: 'COMPLETED' | 'FAILED' | 'CANCELLED';
  /** Written when it ends. */
  readonly left: readonly string[];
}

const piece = fc.constantFrom(
  'a',
  'Über ',
  '😀',
  ' \n',
  '“quoted” ',
  '\u2028',
  'data: x\n\n',
  'end.',
);
const text = fc.array(piece, { minLength: 1, maxLength: 6 });
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constantFrom('text', 'thinking', 'retried', 'resumed', 'child'), text }),
  fc.record({
    kind: fc.constant('tool'),
    text,
    decision: fc.constantFrom('none', 'approved', 'rejected'),
  }),
  fc.record({ kind: fc.constant('question'), answer: fc.constantFrom('red', null) }),
  fc.record({ kind: fc.constant('task'), nr: fc.nat(2), isDeleted: fc.boolean() }),
  fc.record({ kind: fc.constant('retry'), text }),
) as fc.Arbitrary<Step>;
const turn: fc.Arbitrary<Turn> = fc.record({
  steps: fc.array(step, { maxLength: 5 }),
  edits: fc.option(fc.nat(3), { nil: undefined }),
  end: fc.constantFrom('COMPLETED', 'FAILED', 'CANCELLED'),
  left: fc.oneof(fc.constant([]), text),
});

/** All that happens in a chat, in its order: answers, calls, losses of the server, edits. */
export const chatScripts = fc
  .array(turn, { minLength: 1, maxLength: 4 })
  .map((turns) => new Writer().write(turns));
/** The same of one interaction, whose stream ends with it: it is not retried. */
export const interactionScripts = turn.map(({ steps, ...rest }) =>
  new Writer().write([{ ...rest, steps: steps.filter(({ kind }) => kind !== 'retry') }]),
);

type Fields = Readonly<Record<string, unknown>>;

/** Makes events as the server would. */
class Writer {
  private readonly happenings: Happening[] = [];
  private readonly tasks = new Map<number, Task>();
  private interaction = '';
  private seq = 0;
  private count = 0;

  write(turns: readonly Turn[]): readonly Happening[] {
    const begun: { id: string; parent: string | null }[] = [];
    for (const each of turns) {
      const edited = each.edits === undefined ? undefined : begun[each.edits];
      const parent = edited ? edited.parent : (begun.at(-1)?.id ?? null);
      this.interaction = `int_${begun.length}`;
      this.seq = 0;
      begun.push({ id: this.interaction, parent });
      this.begin(parent, edited?.id);
      for (const one of each.steps) this.step(one);
      if (each.left.length > 0) this.deltas('TEXT_DELTA', each.left);
      this.record('INTERACTION_COMPLETE', { status: each.end });
    }
    return this.happenings;
  }

  private begin(parent_id: string | null, edited_from: string | undefined): void {
    const settings = { chat_id: 'chat', agent: 'react', model: 'demo/script', parent_id };
    const user_message = `Message ${this.interaction}`;
    this.record('INTERACTION_STARTED', { ...settings, user_message, edited_from });
  }

  private step(each: Step): void {
    switch (each.kind) {
      case 'text':
        this.block('TEXT_DELTA', each.text, (content) => this.record('ANSWER', content));
        return this.turnCompleted();
      case 'thinking':
        return this.block('THINKING_DELTA', each.text, (content) =>
          this.record('THINKING', content),
        );
      case 'retried': {
        const block = this.deltas('TEXT_DELTA', each.text);
        return this.record('NOTICE', { code: 'model_retry', message: 'Again.', void: [block] });
      }
      case 'resumed':
        this.deltas('TEXT_DELTA', each.text);
        return this.record('RESUMED', { attempt: 1, reason: 'The server stopped.' });
      case 'tool':
        return this.tool(each.text, each.decision);
      case 'question':
        return this.question(each.answer);
      case 'child':
        return this.child(each.text);
      case 'task':
        return this.task(each.nr, each.isDeleted);
      case 'retry':
        this.record('INTERACTION_COMPLETE', { status: 'FAILED' });
        return this.record('RESUMED', { attempt: 2, reason: 'It was retried.' });
    }
  }

  private tool(words: readonly string[], decision: Decision): void {
    const id = `call_${++this.count}`;
    const called = { id, tool_name: 'bash' };
    const input = { tool_name: 'bash', tool_input: words.join('') };
    const block_id = this.deltas('TOOL_INPUT_DELTA', words, { tool_call_id: id });
    this.record('TOOL_CALL', { ...called, block_id, tool_input: words.join('') });
    if (decision !== 'none') this.decide(id, input, decision);
    let output: string | undefined;
    if (decision !== 'rejected') {
      this.record('TOOL_STARTED', called);
      output = this.deltas('TOOL_OUTPUT_DELTA', words, { tool_call_id: id });
    }
    const result = { tool_output: words.join(''), is_error: false, duration_ms: 3 };
    this.record('TOOL_RESULT', { ...called, ...(output && { block_id: output }), ...result });
  }

  private decide(tool_call_id: string, input: Fields, decision: Decision): void {
    const approval_id = `approval_${this.count}`;
    const shown = { action: 'Run', category: 'execute', risk: 'low', reason: 'No rule.' };
    const asked = { ...input, ...shown, expires_at: null };
    this.record('APPROVAL_REQUIRED', { approval_id, tool_call_id, ...asked });
    const by = { kind: 'user', user_id: 'ann' };
    const type = decision === 'approved' ? 'APPROVED' : 'REJECTED';
    this.record(type, { approval_id, tool_call_id, by });
  }

  private question(answer: string | null): void {
    const request_id = `input_${++this.count}`;
    this.record('INPUT_REQUIRED', { request_id, question: 'Which?', expires_at: null });
    this.record('INPUT_RECEIVED', { request_id, answer, by: { kind: 'user', user_id: 'ann' } });
  }

  /** Its text is written while the root writes too. */
  private child(words: readonly string[]): void {
    const agent_id = `agent_${++this.count}`;
    const started = { parent_agent_id: 'agent', agent_type: 'coder', prompt: 'Help.' };
    this.record('AGENT_STARTED', { agent_id, ...started });
    const [own, childs] = [this.blockId(), this.blockId()];
    let offset = 0;
    for (const delta of words) {
      this.push({ type: 'THINKING_DELTA', block_id: own, offset, delta });
      this.push({ type: 'TEXT_DELTA', agent_id, block_id: childs, offset, delta });
      offset += delta.length;
    }
    this.record('MESSAGE', { agent_id, block_id: childs, content: words.join('') });
    this.record('AGENT_COMPLETED', { agent_id, status: 'completed', result: words.join('') });
    this.record('THINKING', { block_id: own, content: words.join('') });
  }

  private task(nr: number, isDeleted: boolean): void {
    const known = this.tasks.get(nr);
    const at = '2026-01-15T10:00:00.000Z';
    const task: Task = {
      ...{ id: `task_${nr}`, chat_id: 'chat', title: `Task ${nr}`, description: null },
      ...{ status: 'pending', version: (known?.version ?? 0) + 1, agent_id: 'agent' },
      ...{ created_at: at, updated_at: at },
    };
    this.tasks.set(nr, task);
    this.record('TASK_UPDATED', { task, ...(isDeleted && { deleted: true }) });
  }

  private turnCompleted(): void {
    const usage = { input_tokens: 3, output_tokens: 2 };
    const turned = { model: 'demo/script', finish_reason: 'stop', duration_ms: 1 };
    this.record('TURN_COMPLETED', { ...turned, usage });
  }

  private block(
    type: DeltaEvent['type'],
    words: readonly string[],
    close: (content: Fields) => void,
  ): void {
    const block_id = this.deltas(type, words);
    close({ block_id, content: words.join('') });
  }

  private deltas(type: DeltaEvent['type'], words: readonly string[], more: Fields = {}): string {
    const block_id = this.blockId();
    let offset = 0;
    for (const delta of words) {
      this.push({ type, block_id, offset, delta, ...more });
      offset += delta.length;
    }
    return block_id;
  }

  private blockId(): string {
    return `1b${(++this.count).toString(36)}`;
  }

  private record(type: RecordEvent['type'], fields: Fields): void {
    this.push({ type, seq: ++this.seq, at: '2026-01-15T10:00:00.000Z', ...fields });
  }

  private push(event: Fields): void {
    const origin = { interaction_id: this.interaction, agent_id: 'agent' };
    this.happenings.push({ ...origin, ...JSON.parse(JSON.stringify(event)) } as Happening);
  }
}

/** What the stream of a chat begins with, where so much has happened. */
export function chatStateAt(past: readonly Happening[]): ChatStreamEvent {
  const head_interaction_id = past.at(-1)?.interaction_id ?? null;
  const tasks = new Map<string, Task>();
  for (const event of past) {
    if (event.type !== 'TASK_UPDATED') continue;
    if (event.deleted) tasks.delete(event.task.id);
    else tasks.set(event.task.id, event.task);
  }
  const at = '2026-01-15T10:00:00.000Z';
  const chat = {
    ...{ id: 'chat', title: null, preview: null, agent: null, settings: {} },
    ...{ owner: 'ann', visibility: 'private' as const },
    ...{ status: null, head_interaction_id, active_interaction_id: null, metadata: {} },
    ...{ created_at: at, updated_at: at },
  };
  const lists = { queued: [], requests: [], requests_cursor: null, tasks_cursor: null };
  const ids = { head_interaction_id, active_interaction_id: null };
  return {
    type: 'CHAT_STATE',
    chat_id: 'chat',
    chat,
    ...ids,
    ...lists,
    tasks: [...tasks.values()],
  };
}
