import type { AgentIdentity } from '../../agents/agent-context.js';
import { AppError } from '../../kernel/app-error.js';
import { guardText } from '../guarding/guard-output.js';
import type { CompletingRecord } from '../journal/completes.js';
import type { AgentScope } from '../scope/agent-scope.js';
import type { Effect } from './effect.js';

/** Maximum length of a note, in characters. */
const MAX_NOTE = 16_384;

interface TellInput {
  readonly key: string;
  readonly agent: AgentIdentity;
  /** Id of the agent that reads it. */
  readonly to: string;
  readonly text: string;
}

/** A note for the agent's parent or for one of its children. */
export class TellEffect implements Effect<void> {
  readonly label = 'a note to an agent';

  /** @throws AppError `note_too_long` */
  constructor(
    private readonly scope: AgentScope,
    private readonly input: TellInput,
  ) {
    if (input.text.length <= MAX_NOTE) return;
    const { length } = input.text;
    const message = `The note has ${length} characters, more than ${MAX_NOTE}. Send less, or in parts.`;
    throw new AppError('unprocessable', 'note_too_long', message);
  }

  get key(): string {
    return this.input.key;
  }

  matches({ body }: CompletingRecord): boolean {
    return body.type === 'AGENT_TOLD' && body.to_agent_id === this.input.to;
  }

  async run(): Promise<void> {
    const { scope } = this;
    const { key, agent, to: to_agent_id } = this.input;
    const { text, remarks } = guardText(scope.run, agent, this.input.text);
    const note_id = scope.run.services.ids.make('note');
    const body = { type: 'AGENT_TOLD', note_id, to_agent_id, text } as const;
    await scope.append([...remarks, { agent_id: agent.id, key, body }]);
  }

  outcome(): void {}
}

/** @throws AppError `no_parent` */
export function parentOf({ parent_id }: AgentIdentity): string {
  if (parent_id !== null) return parent_id;
  const message = 'This agent has no parent: it answers the user. Tell it to a child, or answer.';
  throw new AppError('unprocessable', 'no_parent', message);
}
