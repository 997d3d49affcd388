import type { Sliced } from '../kernel/async/sliced.js';

/** The agent that reads the input or writes the output. */
export interface GuardedAgent {
  readonly chat_id: string;
  readonly interaction_id: string;
  readonly agent_id: string;
  /** The kind of agent. */
  readonly agent_type: string;
}

/**
 * `message`: starts the interaction; `note`: sent to an agent while it works; `answer`: the answer
 * to a question of the agent.
 */
export type InputKind = 'message' | 'note' | 'answer';

export interface InputAbout extends GuardedAgent {
  readonly kind: InputKind;
  /** Aborts when the verdict is no longer needed. */
  readonly signal: AbortSignal;
}

export type OutputAbout = GuardedAgent;

/** `tool_call`: the name of the tool that a model calls, or the id that it gives to the call. */
export type OutputPart = 'thinking' | 'text' | 'tool_call' | 'tool_input' | 'tool_output';

/** `reason` is shown to all readers of the interaction. */
export type OutputVerdict =
  { readonly verdict: 'pass' } | { readonly verdict: 'tripwire'; readonly reason: string };

/** `replace`: the model reads `text` instead. */
export type InputVerdict =
  OutputVerdict | { readonly verdict: 'replace'; readonly text: string; readonly reason: string };

/**
 * Filters one text before its readers see it. The text comes in chunks that may be split anywhere,
 * also within a character.
 */
export interface OutputFilter {
  /**
   * Returns the text that may be shown now; the rest is held back, and has to be bounded. Called
   * for every chunk, so it has to be fast.
   * @throws a `string` or an `Error` with the reason, to trip
   */
  push(text: string): string;
  /**
   * End of the text: returns the part of the rest that may be shown. Not called if the text was cut
   * off.
   */
  end(): string;
  /** `push` and `end` for a filter that may take long for one text. */
  pushSliced?(text: string): Sliced<string>;
  endSliced?(): Sliced<string>;
  /** A remark for readers on the work of the filter, after the end of the text. */
  readonly remark?: string | undefined;
}

/** Opens the filter of one text of a turn or call; undefined: the text is shown as it is. */
export type OpenFilter = (part: OutputPart) => OutputFilter | undefined;

/**
 * Port: checks the input and output of agents, and may change them or end the run. Its verdict on
 * an input is journaled, so that it is asked once. A guardrail trips if it throws, takes longer
 * than `GUARDRAIL_TIMEOUT_MS`, or returns an invalid verdict.
 */
export abstract class Guardrail {
  /** For people: `secrets`. */
  abstract readonly name: string;
  /** False: it is configured to do nothing. */
  readonly enabled?: boolean;
  /** Checks text of a person before any part of the agent or its model reads it. */
  checkInput?(text: string, about: InputAbout): Promise<InputVerdict> | InputVerdict;
  /** Opens the filters for the texts of one model turn or of one tool call. */
  openOutput?(about: OutputAbout): OpenFilter;
  /**
   * Checks the whole text of a model turn, after readers have seen it and before its tool calls or
   * any other effect.
   */
  checkOutput?(
    text: string,
    about: OutputAbout & { readonly signal: AbortSignal },
  ): Promise<OutputVerdict> | OutputVerdict;
}
