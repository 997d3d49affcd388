import { isDeepStrictEqual } from 'node:util';
import { LEASE_MS } from '../times.mjs';

/** What the tools of `server/` leave behind, and whether they may be started again. */
const TOOLS = { deed: 'once', guarded: 'once', note: 'again' };
/** However busy the machine is. */
const ZOMBIE_MS = 4 * LEASE_MS;
/** How far a server's clock, which follows the database's, may be off on a busy machine. */
const CLOCK_MS = 250;
const UNKNOWN = /^The server stopped while this tool was running/;
const STOPPED = /^The server was stopped while this tool ran/;
const FAILED = /^The run failed before this tool call finished/;
const AGENT_STOPPED = /^The agent was stopped before this tool call finished/;

/**
 * What the tools did is what the log says, started at most once where that matters, with what was
 * approved (I4, I5, I7).
 */
export function checkEffects(world, { chats, logs, effects, stops, losses }) {
  const faults = effects
    .filter(({ interaction, call }) => !findCall(logs.get(interaction), call))
    .map(
      ({ interaction, call }) => `${interaction}: an effect of ${call}, which the log doesn't have`,
    );
  for (const { interactions } of chats.values())
    for (const { id, user_message } of interactions) {
      const mode = world.planOf(user_message)?.mode;
      const own = effects.filter(({ interaction }) => interaction === id);
      faults.push(
        ...checkInteraction(logs.get(id), { effects: own, mode, stops, losses }).map(
          (fault) => `${id}: ${fault}`,
        ),
      );
    }
  return faults;
}

function checkInteraction(log, { effects, mode, stops, losses }) {
  return log
    .filter(({ type, tool_name }) => type === 'TOOL_CALL' && tool_name in TOOLS)
    .flatMap((call) => {
      const lines = effects.filter((effect) => effect.call === call.id);
      const story = new Story(call, { log, lines, mode, stops, losses });
      return story.faults().map((fault) => `the call ${call.id} of ${call.tool_name} ${fault}`);
    });
}

function findCall(log = [], call) {
  return log.find(({ type, id }) => type === 'TOOL_CALL' && id === call);
}

/** All that is known of one call. */
class Story {
  constructor(call, { log, lines, mode, stops, losses }) {
    const of = (type) => log.filter((record) => record.type === type);
    const own = (type) =>
      of(type).filter(({ id, tool_call_id }) => call.id === (tool_call_id ?? id));
    this.call = call;
    this.mode = mode;
    this.lines = lines;
    this.begins = lines.filter(({ phase }) => phase === 'begin');
    this.starts = own('TOOL_STARTED');
    this.hasFailed = of('INTERACTION_COMPLETE').some(({ status }) => status === 'FAILED');
    this.result = own('TOOL_RESULT')[0];
    this.notes = of('NOTICE').filter((notice) => isNoteOf(notice, call));
    this.approval = own('APPROVED')[0];
    this.rejection = own('REJECTED')[0];
    this.resumed = of('RESUMED');
    this.losses = losses;
    this.cancelled = of('CANCELLED')[0];
    this.stops = stops;
    this.agentEnd = of('AGENT_COMPLETED').find(({ agent_id }) => agent_id === call.agent_id);
  }

  faults() {
    return [
      ...this.#starting(),
      ...this.#permission(),
      ...this.#input(),
      ...this.#ending(),
      ...this.#cancelling(),
    ];
  }

  #starting() {
    const { begins, starts, call } = this;
    const once = TOOLS[call.tool_name] === 'once';
    return [
      ...when(once && begins.length > 1, `was started ${begins.length} times`),
      ...when(once && starts.length > 1, `was recorded as started ${starts.length} times`),
      ...when(
        once && begins.length > 0 && starts.length === 0,
        'ran and was never recorded as started',
      ),
    ];
  }

  #permission() {
    const { begins, rejection, approval, call, mode } = this;
    if (begins.length === 0) return [];
    const guarded = call.tool_name === 'guarded';
    return [
      ...when(rejection, 'ran although it was rejected'),
      ...when(guarded && mode === 'deny', 'ran although nothing was allowed'),
      ...when(
        guarded && (mode === 'ask' || mode === 'defer') && !approval,
        'ran without an approval',
      ),
    ];
  }

  #input() {
    if (this.lines.length === 0) return [];
    const other = this.lines.find(({ input }) => !isDeepStrictEqual(input, this.#approvedInput()));
    return when(other, `ran with ${JSON.stringify(other?.input)}`);
  }

  #ending() {
    const { begins, lines } = this;
    const result = this.#outcome;
    if (!result) return this.#unsettled();
    const wasLost = this.#wasLostBefore(result);
    const wentWell = !result.is_error;
    const once = TOOLS[this.call.tool_name] === 'once';
    const isDone = lines.some(({ phase }) => phase === 'end');
    return [
      ...when(wentWell && !isDone, 'is said to be done and has no effect'),
      ...when(
        wentWell && result.tool_output !== `Left ${this.#approvedInput()?.token}.`,
        `says "${result.tool_output}"`,
      ),
      ...when(wentWell && once && wasLost, 'is said to be done by a run that was lost'),
      ...when(
        UNKNOWN.test(result.tool_output) && !wasLost,
        'is said to be unknown, and no run was lost',
      ),
      ...when(
        result.is_error && begins.length > 0 && !wasLost && !this.#mayBeStopped(result),
        `failed: ${result.tool_output}`,
      ),
      ...when(!wasLost && this.#lateBegin(result), 'ran after its result'),
    ];
  }

  #unsettled() {
    const { result, notes } = this;
    return when(result, `was put off, and settled ${notes.length} times`);
  }

  /** A run that doesn't know yet that it has lost its lease may do once more what does no harm. */
  #lateBegin(result) {
    const isHarmless = TOOLS[this.call.tool_name] === 'again';
    return this.begins.find(
      ({ at }) =>
        at > Date.parse(result.at) &&
        !(isHarmless && this.losses.some((loss) => loss.at < at && at < loss.at + ZOMBIE_MS)),
    );
  }

  /** By a cancel, by the end of its agent or of the whole run, or by a stop of its server. */
  #mayBeStopped({ tool_output, at }) {
    if (this.cancelled || this.#agentWasStopped) return true;
    if (FAILED.test(tool_output)) return this.hasFailed;
    if (AGENT_STOPPED.test(tool_output)) return this.agentEnd?.status === 'error';
    const ended = Date.parse(at);
    return (
      STOPPED.test(tool_output) &&
      this.stops.some(({ from, to }) => ended >= from - CLOCK_MS && ended <= to + CLOCK_MS)
    );
  }

  get #agentWasStopped() {
    return this.agentEnd?.status === 'cancelled';
  }

  #cancelling() {
    const { cancelled, lines, call } = this;
    if (this.#agentWasStopped && !this.#wasLostBefore(this.agentEnd)) {
      const late = lines.find(({ at }) => at > Date.parse(this.agentEnd.at));
      return when(late, `went on after its agent was stopped: ${late?.phase}`);
    }
    if (!cancelled) return [];
    const isUnknown = cancelled.stopped.some(
      ({ id, state }) => id === call.id && state === 'unknown',
    );
    const late = lines.find(({ at }) => at > Date.parse(cancelled.at));
    return when(late && !isUnknown, `went on after it was cancelled: ${late?.phase}`);
  }

  /** Whether a run was lost between its start and a record. */
  #wasLostBefore({ seq }) {
    const [start] = this.starts;
    return (
      start !== undefined && this.resumed.some((loss) => loss.seq > start.seq && loss.seq < seq)
    );
  }

  /** What it may run with; undefined when the model wrote nothing of use. */
  #approvedInput() {
    if (this.approval?.modified_input) return this.approval.modified_input;
    try {
      return JSON.parse(this.call.tool_input);
    } catch {
      return undefined;
    }
  }

  /** What came of it; of a call that its agent went on without, by the one note that says so. */
  get #outcome() {
    const { result, notes } = this;
    if (!result?.tool_output.startsWith('Waiting for approval')) return result;
    const [note] = notes;
    if (notes.length !== 1) return undefined;
    const tool_output = note.message.slice(note.message.indexOf('\n') + 1);
    return { ...note, tool_output, is_error: !tool_output.startsWith('Left ') };
  }
}

function isNoteOf({ code, message }, { id }) {
  return code === 'deferred_call_settled' && message.startsWith(`The call ${id} of `);
}

function when(holds, fault) {
  return holds ? [fault] : [];
}
