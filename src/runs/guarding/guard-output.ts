import type { GuardedAgent, OutputPart } from '../../guardrails/guardrail.js';
import type { Guardrails } from '../../guardrails/guardrails.js';
import { Tripwire } from '../../guardrails/tripwire.js';
import { redactionNotice } from '../../guardrails/redaction/redaction.js';
import type { RedactedCounts } from '../../protocol/redacted.js';
import type { Entry } from '../../event-log/append/run-log.js';
import type { AgentIdentity } from '../../agents/agent-context.js';
import type { GuardedOutput, GuardedText } from '../../guardrails/guarded-output.js';
import type { EventError } from '../../protocol/events.js';
import { AppError } from '../../kernel/app-error.js';
import { mapTexts } from '../../kernel/json/json.js';
import { cutText } from '../../kernel/text/cut-text.js';
import { toErrorText } from '../../tools/core/to-text.js';

/** The run whose texts are guarded. */
export interface GuardedRun {
  readonly services: { readonly guardrails: Guardrails };
  /** Ends it, regardless of its agents. */
  fail(error: unknown): void;
}

/** The agent as guardrails see it. */
export function guardedAgent({
  id: agent_id,
  type: agent_type,
  chat_id,
  interaction_id,
}: Omit<AgentIdentity, 'parent_id' | 'chat_uid' | 'metadata'>): GuardedAgent {
  return { chat_id, interaction_id, agent_id, agent_type };
}

/** Remarks of the guardrails, as entries for readers. */
export function remarkEntries(agent_id: string, remarks: readonly string[]): Entry[] {
  return remarks.map((message) => ({
    agent_id,
    key: null,
    body: { type: 'NOTICE', code: 'guardrail', message },
  }));
}

/** The notice of what was redacted in a person's text before it was saved. */
export function redactedEntries(
  agent_id: string,
  subject: string,
  redacted: RedactedCounts | null | undefined,
): Entry[] {
  return redacted ? [{ agent_id, key: null, body: redactionNotice(subject, redacted) }] : [];
}

/** Ends the run, regardless of how the agent's code handles the returned error. */
export function trip(run: GuardedRun, message: string): Tripwire {
  const tripwire = new Tripwire(message);
  run.fail(tripwire);
  return tripwire;
}

/** A text as readers see it, and the remarks for them. */
interface GuardedEntry {
  readonly text: string;
  readonly remarks: readonly Entry[];
}

/**
 * A text by an agent's own code as readers see it, with the remarks for them.
 *
 * @throws Tripwire, which ends the run
 */
export function guardText(run: GuardedRun, agent: AgentIdentity, text: string): GuardedEntry {
  try {
    const output = run.services.guardrails.open(guardedAgent(agent));
    const whole = output.begin('text');
    const shown = whole.push(text) + whole.end();
    return { text: shown, remarks: remarkEntries(agent.id, output.remarks()) };
  } catch (error) {
    throw error instanceof Tripwire ? trip(run, error.message) : error;
  }
}

/** Does the same as `guardText`, for a text of any length, such as a model's. */
export async function guardLongText(
  run: GuardedRun,
  agent: AgentIdentity,
  text: string,
  part: OutputPart = 'text',
): Promise<GuardedEntry> {
  try {
    const output = run.services.guardrails.open(guardedAgent(agent));
    const shown = await output.begin(part).whole(text);
    return { text: shown, remarks: remarkEntries(agent.id, output.remarks()) };
  } catch (error) {
    throw error instanceof Tripwire ? trip(run, error.message) : error;
  }
}

/** JSON by an agent's own code: as `guardText`, for each text in it. */
export function guardJson(
  run: GuardedRun,
  agent: AgentIdentity,
  json: unknown,
): { readonly value: unknown; readonly remarks: readonly Entry[] } {
  const remarks: Entry[] = [];
  const guarded = (text: string): string => {
    const read = guardText(run, agent, text);
    remarks.push(...read.remarks);
    return read.text;
  };
  return { value: mapTexts(json, guarded), remarks };
}

/** Characters after a cut that the guardrails read, to know a secret across it. */
const READ_ON = 20_000;

/** The output of one call, or its description, after the guardrails. */
export class GuardedResult {
  /** Reason to end the run with this result. */
  tripwire: string | undefined;
  private preview: GuardedText | undefined;
  private cuts: GuardedOutput | undefined;
  private output: GuardedOutput | undefined;

  constructor(
    private readonly run: GuardedRun,
    private readonly about: GuardedAgent,
    private readonly part: OutputPart = 'tool_output',
  ) {}

  /** The next piece of the output that is shown while the tool runs. */
  show(text: string): string {
    return this.guarded(
      () => {
        this.preview ??= this.open().begin(this.part);
        return this.preview.push(text);
      },
      (tripwire) => {
        this.run.fail(tripwire); // the run must not go on with this output
        return '';
      },
    );
  }

  /**
   * The beginning of a text that becomes a part of the result. What the guardrails have not decided
   * at the end of what they read may be a part of a secret, and is left out.
   */
  cut(text: string, length: number): string {
    return this.guarded(
      () => {
        this.cuts ??= this.open();
        const begun = this.cuts.begin(this.part);
        const shown = begun.push(text.slice(0, length + READ_ON));
        return cutText(text.length > length + READ_ON ? shown : shown + begun.end(), length);
      },
      (tripwire) => tripwire.message,
    );
  }

  /** The complete result, or all that may be shown of it. */
  async read(text: string): Promise<string> {
    if (this.tripwire !== undefined) return this.tripwire;
    try {
      this.output = this.open();
      return await this.output.begin(this.part).whole(text);
    } catch (error) {
      if (!(error instanceof Tripwire)) throw error;
      return (this.tripwire = error.message);
    }
  }

  /** Does the same as `read`, without a break: for a text of bounded length. */
  readAtOnce(text: string): string {
    return this.guarded(
      () => {
        this.output = this.open();
        const whole = this.output.begin(this.part);
        return whole.push(text) + whole.end();
      },
      (tripwire) => (this.tripwire = tripwire.message),
    );
  }

  /** Notices for readers, logged before the result. */
  remarks(): Entry[] {
    const remarks = [this.cuts, this.output].flatMap((output) => output?.remarks() ?? []);
    return remarkEntries(this.about.agent_id, [...new Set(remarks)]);
  }

  private open(): GuardedOutput {
    return this.run.services.guardrails.open(this.about);
  }

  private guarded(work: () => string, onTrip: (tripwire: Tripwire) => string): string {
    if (this.tripwire !== undefined) return onTrip(new Tripwire(this.tripwire));
    try {
      return work();
    } catch (error) {
      if (!(error instanceof Tripwire)) throw error;
      this.tripwire = error.message;
      return onTrip(error);
    }
  }
}

/**
 * An agent's error as shown to people and models. If a guardrail trips on it, the tripwire is the
 * error.
 */
export function guardFailure(run: GuardedRun, about: GuardedAgent, cause: unknown): EventError {
  const guarded = new GuardedResult(run, about);
  const said = toErrorText(cause).slice(0, MAX_MESSAGE + READ_ON);
  const text = guarded.readAtOnce(said).slice(0, MAX_MESSAGE).toWellFormed();
  if (guarded.tripwire !== undefined) {
    const { code, message } = new Tripwire(guarded.tripwire);
    return { code, message };
  }
  if (cause instanceof AppError) return { code: cause.code, message: text };
  return { code: 'agent_error', message: `The agent failed: ${text}` };
}

/** Maximum length of an agent's error in the log, in characters. */
const MAX_MESSAGE = 10_000;
