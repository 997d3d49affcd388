/** Whose words they are, or who reads them. */
export interface GuardedAgent {
  readonly chat_id: string;
  readonly interaction_id: string;
  readonly agent_id: string;
  /** The kind of agent. */
  readonly agent_type: string;
}

/** `message`: what the interaction begins with; `note`: told to an agent while it works; `answer`: to a question that it asked. */
export type InputKind = 'message' | 'note' | 'answer';

export interface InputAbout extends GuardedAgent {
  readonly kind: InputKind;
  /** Aborts when nobody waits for the verdict any more. */
  readonly signal: AbortSignal;
}

export type OutputAbout = GuardedAgent;

export type OutputPart = 'thinking' | 'text' | 'tool_input' | 'tool_output';

/** `reason` is shown to whoever reads the interaction. */
export type OutputVerdict =
  { readonly verdict: 'pass' } | { readonly verdict: 'tripwire'; readonly reason: string };

/** `replace`: the model reads `text` instead. */
export type InputVerdict =
  OutputVerdict | { readonly verdict: 'replace'; readonly text: string; readonly reason: string };

/** Stands between what is written and who reads it, for one text. Text comes in pieces that are cut anywhere, also within a character. */
export interface OutputFilter {
  /**
   * What may be shown now; the rest is held back, and has to be bounded. Fast, as it is called for every piece.
   * @throws what trips: a `string` or an `Error` that says why
   */
  push(text: string): string;
  /** The text is over: what of the rest may be shown. Not called where it was cut off. */
  end(): string;
  /** What readers are told of what it did, once the text is over. */
  readonly remark?: string | undefined;
}

/** The filter of one text of a turn or call; undefined: it may be shown as it is. */
export type OpenFilter = (part: OutputPart) => OutputFilter | undefined;

/**
 * Port: looks at what goes into agents and what comes out of them, and may change it or end the run. What it says of an input is in the
 * journal, so that it is asked once. One that throws, takes longer than `GUARDRAIL_TIMEOUT_MS`, or answers anything else than it may trips.
 */
export abstract class Guardrail {
  /** For people: `secrets`. */
  abstract readonly name: string;
  /** False: it is configured to do nothing. */
  readonly enabled?: boolean;
  /** Of what a person has written, before anything of the agent or its model reads it. */
  checkInput?(text: string, about: InputAbout): Promise<InputVerdict> | InputVerdict;
  /** For one model turn, or for what one tool call puts out: opens the filters of its texts. */
  openOutput?(about: OutputAbout): OpenFilter;
  /** Of the whole text of a model turn, after readers have seen it and before anything is done with it. */
  checkOutput?(
    text: string,
    about: OutputAbout & { readonly signal: AbortSignal },
  ): Promise<OutputVerdict> | OutputVerdict;
}
