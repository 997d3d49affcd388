import type { Json } from './ag-ui-event.js';

/** Characters of a conversation as JSON; a longer one is not sent back. */
const MAX_LENGTH = 512 * 1024;

/** The messages that a client has sent, as far as they are not of the interaction itself. */
export class History {
  private readonly others: readonly Json[];
  /** By the ids of their calls. */
  private readonly results: ReadonlyMap<string, Json>;
  private long: boolean | undefined;

  constructor(messages: readonly Json[], interaction_id: string) {
    this.others = messages.filter(({ id }) => !isOf(id, interaction_id));
    this.results = new Map(
      this.others.flatMap((each) => (each['role'] === 'tool' ? [[callOf(each), each]] : [])),
    );
  }

  /** True if there is too much to send it back. */
  get isLong(): boolean {
    this.long ??= JSON.stringify(this.others).length > MAX_LENGTH;
    return this.long;
  }

  /** The message of the client with the result of a call. */
  resultOf(call: string): Json | undefined {
    return this.results.get(call);
  }

  /** Without those that results of the interaction stand for. */
  before(isOwnCall: (id: string) => boolean): readonly Json[] {
    return this.others.filter((each) => each['role'] !== 'tool' || !isOwnCall(callOf(each)));
  }
}

function isOf(id: unknown, interaction_id: string): boolean {
  return typeof id === 'string' && id.startsWith(`${interaction_id}.`) && !id.endsWith('.user');
}

function callOf({ toolCallId }: Json): string {
  return String(toolCallId);
}
