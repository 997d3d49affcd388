import { isDeepStrictEqual } from 'node:util';

/** What the tools of `server/` leave behind, and whether they may be started again. */
const TOOLS = { deed: 'once', guarded: 'once', note: 'again' };
const UNKNOWN = /^The server stopped while this tool was running/;

/** What the tools did is what the log says, started at most once where that matters, with what was approved (I4, I5, I7). */
export function checkEffects(world, { chats, logs, effects }) {
  const faults = effects
    .filter(({ interaction, call }) => !findCall(logs.get(interaction), call))
    .map(
      ({ interaction, call }) => `${interaction}: an effect of ${call}, which the log doesn't have`,
    );
  for (const { interactions } of chats.values())
    for (const { id, user_message } of interactions) {
      const mode = world.planOf(user_message)?.mode;
      const own = effects.filter(({ interaction }) => interaction === id);
      faults.push(...checkInteraction(logs.get(id), own, mode).map((fault) => `${id}: ${fault}`));
    }
  return faults;
}

function checkInteraction(log, effects, mode) {
  return log
    .filter(({ type, tool_name }) => type === 'TOOL_CALL' && tool_name in TOOLS)
    .flatMap((call) => {
      const lines = effects.filter((effect) => effect.call === call.id);
      const story = new Story(call, { log, lines, mode });
      return story.faults().map((fault) => `the call ${call.id} of ${call.tool_name} ${fault}`);
    });
}

function findCall(log = [], call) {
  return log.find(({ type, id }) => type === 'TOOL_CALL' && id === call);
}

/** All that is known of one call. */
class Story {
  constructor(call, { log, lines, mode }) {
    const of = (type) => log.filter((record) => record.type === type);
    const own = (type) =>
      of(type).filter(({ id, tool_call_id }) => call.id === (tool_call_id ?? id));
    this.call = call;
    this.mode = mode;
    this.lines = lines;
    this.begins = lines.filter(({ phase }) => phase === 'begin');
    this.starts = own('TOOL_STARTED');
    this.result = own('TOOL_RESULT')[0];
    this.approval = own('APPROVED')[0];
    this.rejection = own('REJECTED')[0];
    this.losses = of('RESUMED');
    this.cancelled = of('CANCELLED')[0];
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
    const { result, begins, lines, starts, losses } = this;
    if (!result || this.#isDeferred) return [];
    const lostAfter = (seq) => losses.some((loss) => loss.seq > seq && loss.seq < result.seq);
    const wasLost = starts.length > 0 && lostAfter(starts[0].seq);
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
        result.is_error && begins.length > 0 && !wasLost && !this.cancelled,
        `failed: ${result.tool_output}`,
      ),
      ...when(
        !wasLost && begins.some(({ at }) => at > Date.parse(result.at)),
        'ran after its result',
      ),
    ];
  }

  #cancelling() {
    const { cancelled, lines, call } = this;
    if (!cancelled) return [];
    const isUnknown = cancelled.stopped.some(
      ({ id, state }) => id === call.id && state === 'unknown',
    );
    const late = lines.find(({ at }) => at > Date.parse(cancelled.at));
    return when(late && !isUnknown, `went on after it was cancelled: ${late?.phase}`);
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

  get #isDeferred() {
    return this.mode === 'defer' && this.call.tool_name === 'guarded';
  }
}

function when(holds, fault) {
  return holds ? [fault] : [];
}
