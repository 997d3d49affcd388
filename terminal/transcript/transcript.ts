import { addUsage, NO_USAGE } from '../../client/index.js';
import type { ChatStreamEvent, DeltaEvent, RecordEvent, RecordOf } from '../../client/index.js';
import { narrow } from '../render/blocks.js';
import { span } from '../render/span.js';
import type { Line } from '../render/span.js';
import { SGR } from '../render/theme.js';
import type { View } from '../render/theme.js';
import { drawingOf, mark } from './draw-record.js';
import { groupOf } from './group-of.js';
import { RunningCalls } from './running-calls.js';
import { TextBlock } from './text-block.js';
import { drawResult } from './tool-call.js';

type Body = TextBlock | ((view: View, follows: boolean) => Line[]);

/** Entry to print, in the order in which things began. */
interface Entry {
  readonly agent_id: string;
  readonly body: Body;
  /** Entries of a group stand together; a blank line comes between groups. */
  readonly group: string;
  /** Entries about the same call follow each other without its name. */
  readonly call?: string | undefined;
  /** Id of the request that it shows. */
  readonly request?: string | undefined;
}

interface WaitingRequest {
  readonly entry: Entry;
  /** True until the requests before it are settled, or put off. */
  isHeld: boolean;
  /** Number of lines that were printed up to its end. */
  end: number;
}

interface Agent {
  readonly name: string;
  readonly depth: number;
}

const MOST_RESULTS = 200;

/**
 * Events of a chat as lines of a terminal: each is given out once, when it is final. Texts that are
 * written at the same time come one after the other.
 */
export class Transcript {
  readonly running = new RunningCalls();
  /** The newest results, oldest first. */
  readonly results: { readonly number: number; readonly record: RecordOf<'TOOL_RESULT'> }[] = [];
  /** Ids of requests that are not printed yet: something before them has to be. */
  readonly unprinted = new Set<string>();
  /** In the order of the log. */
  private readonly requests = new Map<string, WaitingRequest>();
  private readonly entries: Entry[] = [];
  private readonly blocks = new Map<string, TextBlock>();
  private readonly agents = new Map<string, Agent>();
  private readonly mine = new Set<string>();
  /** Calls whose result says no more than what a person has said, which stands there. */
  private readonly told = new Set<string>();
  /** Actions that approvals have shown, by call. */
  private readonly shown = new Map<string, string>();
  /** The calls that ask questions, by request. */
  private readonly asking = new Map<string, string>();
  private usage = NO_USAGE;
  private started_at: string | undefined;
  private printed: Entry | undefined;
  private labelled: string | undefined;
  private count = 0;
  /** Number of lines that were printed. */
  private lineCount = 0;

  /**
   * @param oneAtATime a request is printed when those before it are settled, so that the one that
   *   a person decides is the last that stands there
   */
  constructor(private readonly oneAtATime = false) {}

  /** Settled from here, and so not reported as settled by others. */
  settledHere(requestId: string): void {
    this.mine.add(requestId);
  }

  notSettledHere(requestId: string): void {
    this.mine.delete(requestId);
  }

  /** True until the verdict on a request that was settled from here has come. */
  get awaitsVerdict(): boolean {
    return Array.from(this.requests.keys()).some((id) => this.mine.has(id));
  }

  take(event: ChatStreamEvent): void {
    if ('offset' in event) this.takeDelta(event);
    else if ('seq' in event) this.takeRecord(event);
    else if ('code' in event) this.voidAll(); // the stream has lost its place
  }

  /** Lines that have become final. */
  takeLines(view: View): Line[] {
    const lines: Line[] = [];
    for (let entry = this.entries[0]; entry; entry = this.entries[0]) {
      const drawn = this.drawSafely(entry, view);
      lines.push(...drawn);
      this.lineCount += drawn.length;
      if (entry.request !== undefined) this.printedRequest(entry.request);
      if (entry.body instanceof TextBlock && !entry.body.isDone) break;
      this.entries.shift();
    }
    return lines;
  }

  /** Lines that others have printed between those of the chat. */
  countOthers(lines: number): void {
    this.lineCount += lines;
  }

  /** The number of lines between a request and the footer. */
  linesBelow(request: string): number {
    return this.lineCount - (this.requests.get(request)?.end ?? this.lineCount);
  }

  /** Prints a request once more, at the end. */
  showAgain(request: string): void {
    const entry = this.requests.get(request)?.entry;
    if (entry) this.printRequest(request, entry);
  }

  /** Prints the next request, though one before it is not settled. */
  showNext(): void {
    const next = Array.from(this.requests).find(([, { isHeld }]) => isHeld);
    if (!next) return;
    const [id, request] = next;
    request.isHeld = false;
    this.printRequest(id, request.entry);
  }

  private printRequest(id: string, entry: Entry): void {
    this.unprinted.add(id);
    this.entries.push(entry);
  }

  private printedRequest(id: string): void {
    this.unprinted.delete(id);
    const request = this.requests.get(id);
    if (request) request.end = this.lineCount;
  }

  /** The text that is being written: its last line. */
  liveLine(): Line {
    const [entry] = this.entries;
    if (!(entry?.body instanceof TextBlock)) return [];
    const tail = entry.body.tail;
    return tail.length === 0 ? [] : [span('  '.repeat(this.depthOf(entry))), ...tail];
  }

  /** True while a long text is drawn, over several paints. */
  get hasMore(): boolean {
    const [entry] = this.entries;
    return entry?.body instanceof TextBlock && entry.body.hasMore;
  }

  /** A server of another version may send other shapes. */
  private drawSafely(entry: Entry, view: View): Line[] {
    try {
      return this.draw(entry, view);
    } catch (error) {
      if (entry.body instanceof TextBlock) throw error;
      return mark('!', 'Here is something that this terminal can not show.', SGR.yellow, view);
    }
  }

  private draw(entry: Entry, view: View): Line[] {
    const { body } = entry;
    const depth = this.depthOf(entry);
    const inner = narrow(view, depth * 2);
    const follows = entry.call !== undefined && this.printed?.call === entry.call;
    const lines = body instanceof TextBlock ? body.take(inner) : body(inner, follows);
    if (lines.length === 0) return [];
    const head = this.headOf(entry);
    this.printed = entry;
    const lead = span('  '.repeat(depth));
    return [...head, ...lines.map((line) => (line.length === 0 ? line : [lead, ...line]))];
  }

  /** A blank line where a group begins, and the name of another agent. */
  private headOf(entry: Entry): Line[] {
    if (this.printed === entry) return [];
    const isNew = this.printed?.group !== entry.group || this.printed.agent_id !== entry.agent_id;
    const gap: Line[] = this.printed && isNew ? [[]] : [];
    const agent = this.agents.get(entry.agent_id);
    const isChild = agent !== undefined && agent.depth > 0;
    const needsName = isChild && entry.group !== 'agent' && this.labelled !== entry.agent_id;
    this.labelled = entry.agent_id;
    if (!needsName) return gap;
    return [...gap, [span('  '.repeat(agent.depth - 1)), span(`  ${agent.name}`, SGR.agent)]];
  }

  private depthOf({ agent_id, group }: Entry): number {
    const depth = this.agents.get(agent_id)?.depth ?? 0;
    return group === 'agent' ? Math.max(depth - 1, 0) : depth;
  }

  private takeDelta(event: DeltaEvent): void {
    const { type, block_id, agent_id, interaction_id } = event;
    if (type === 'TOOL_INPUT_DELTA' || type === 'TOOL_OUTPUT_DELTA') {
      if (type === 'TOOL_INPUT_DELTA') this.settleTextsOf(agent_id);
      this.running.takeDelta(event);
      return;
    }
    const tone = type === 'THINKING_DELTA' ? 'thinking' : 'text';
    this.blockOf({ interaction_id, block_id, agent_id, tone }).write(event.delta);
  }

  private takeRecord(record: RecordEvent): void {
    const { interaction_id, agent_id } = record;
    this.running.take(record);
    if (record.type === 'INTERACTION_STARTED') this.begin(record);
    if (record.type === 'AGENT_STARTED') this.beginAgent(record);
    if (record.type === 'TURN_COMPLETED') this.usage = addUsage(this.usage, record.usage);
    if (record.type === 'RESUMED' || record.type === 'INTERACTION_COMPLETE') this.voidAll();
    if (record.type === 'INTERACTION_COMPLETE') this.endRequests();
    if (record.type === 'NOTICE')
      for (const id of record.void ?? []) this.voidOne(interaction_id, id);
    if (record.type === 'THINKING' || record.type === 'MESSAGE' || record.type === 'ANSWER') {
      const tone = record.type === 'THINKING' ? 'thinking' : 'text';
      const { block_id } = record;
      this.blockOf({ interaction_id, block_id, agent_id, tone }).finish(record.content);
      this.blocks.delete(keyOf(interaction_id, block_id));
      if (record.type === 'ANSWER') this.addRecord(record);
    } else if (record.type === 'TOOL_RESULT') this.addResult(record);
    else this.addRecord(record);
  }

  private addRecord(record: RecordEvent): void {
    if (record.type === 'APPROVAL_REQUIRED') this.shown.set(record.tool_call_id, record.action);
    if (record.type === 'REJECTED') this.told.add(record.tool_call_id);
    if (record.type === 'INPUT_REQUIRED' && record.tool_call_id)
      this.asking.set(record.request_id, record.tool_call_id);
    const asked = record.type === 'INPUT_RECEIVED' && this.asking.get(record.request_id);
    if (asked) this.told.add(asked);
    const draw = drawingOf(record, {
      nameOf: (id) => this.agents.get(id)?.name ?? 'agent',
      isMine: (id) => this.mine.has(id),
      usage: this.usage,
      started_at: this.started_at,
    });
    if (!draw) return;
    const call =
      record.type === 'TOOL_CALL'
        ? record.id
        : 'tool_call_id' in record
          ? record.tool_call_id
          : undefined;
    const entry = { agent_id: record.agent_id, body: draw, group: groupOf(record), call };
    const request = requestIn(record);
    if (record.type === 'APPROVAL_REQUIRED' || record.type === 'INPUT_REQUIRED')
      this.addRequest(request!, { ...entry, request });
    else if (request !== undefined) this.settle(request, entry);
    else this.entries.push(entry);
  }

  private addRequest(id: string, entry: Entry): void {
    const isHeld = this.oneAtATime && Array.from(this.requests.values()).some((it) => !it.isHeld);
    this.requests.set(id, { entry, isHeld, end: 0 });
    if (isHeld) this.unprinted.add(id);
    else this.printRequest(id, entry);
  }

  /** With the request right above the verdict, and the next one below. */
  private settle(id: string, verdict: Entry): void {
    const request = this.requests.get(id);
    if (request?.isHeld) this.printRequest(id, request.entry);
    this.requests.delete(id);
    this.entries.push(verdict);
    if (Array.from(this.requests.values()).every(({ isHeld }) => isHeld)) this.showNext();
  }

  private addResult(record: RecordOf<'TOOL_RESULT'>): void {
    const number = ++this.count;
    this.results.push({ number, record });
    if (this.results.length > MOST_RESULTS) this.results.shift();
    const action = this.shown.get(record.id) ?? '';
    this.shown.delete(record.id);
    if (this.told.delete(record.id)) return;
    this.entries.push({
      agent_id: record.agent_id,
      body: (view, follows) => drawResult({ record, number, follows, action }, view),
      group: 'tool',
      call: record.id,
    });
  }

  private begin({ at, agent_id, agent }: RecordOf<'INTERACTION_STARTED'>): void {
    this.started_at = at;
    this.usage = NO_USAGE;
    this.agents.clear();
    this.agents.set(agent_id, { name: agent, depth: 0 });
  }

  private beginAgent({ agent_id, parent_agent_id, agent_type }: RecordOf<'AGENT_STARTED'>): void {
    const depth = (this.agents.get(parent_agent_id)?.depth ?? 0) + 1;
    this.agents.set(agent_id, { name: agent_type, depth });
  }

  private endRequests(): void {
    for (const [id, { entry, isHeld }] of this.requests) if (isHeld) this.printRequest(id, entry);
    this.requests.clear();
  }

  private blockOf(of: {
    readonly interaction_id: string;
    readonly block_id: string;
    readonly agent_id: string;
    readonly tone: TextBlock['tone'];
  }): TextBlock {
    const key = keyOf(of.interaction_id, of.block_id);
    const known = this.blocks.get(key);
    if (known && !known.isSettled) return known;
    if (!known) this.settleTextsOf(of.agent_id);
    const block = known?.rest() ?? new TextBlock(of.tone);
    this.blocks.set(key, block);
    this.entries.push({ agent_id: of.agent_id, body: block, group: of.block_id });
    return block;
  }

  /** A model writes one text after the other, but their records come together. */
  private settleTextsOf(agentId: string): void {
    for (const { agent_id, body } of this.entries)
      if (agent_id === agentId && body instanceof TextBlock) body.settle();
  }

  private voidOne(interactionId: string, blockId: string): void {
    const key = keyOf(interactionId, blockId);
    this.blocks.get(key)?.void();
    this.blocks.delete(key);
  }

  private voidAll(): void {
    for (const block of this.blocks.values()) block.void();
    this.blocks.clear();
  }
}

/** The request that a record makes or settles. */
function requestIn(record: RecordEvent): string | undefined {
  switch (record.type) {
    case 'APPROVAL_REQUIRED':
    case 'APPROVED':
    case 'REJECTED':
      return record.approval_id;
    case 'INPUT_REQUIRED':
    case 'INPUT_RECEIVED':
      return record.request_id;
    default:
      return undefined;
  }
}

function keyOf(interactionId: string, blockId: string): string {
  return `${interactionId}/${blockId}`;
}
