import type { Scale } from './scale';
import type { AgentLine, Mark, Span, SpanKind, Timeline } from './spans';

/** Spans of an agent at the same time stand below each other, in at most so many lines. */
const MOST_LANES = 4;
/** In pixels. Shorter ones are still seen. */
const LEAST_WIDTH = 2;

/** Spans that are drawn as one, at least one. Places are in pixels. */
export interface Bar {
  readonly kind: SpanKind;
  readonly left: number;
  readonly width: number;
  readonly isBad: boolean;
  readonly isOpen: boolean;
  readonly seq: number;
}

export interface Row {
  readonly agent: AgentLine;
  readonly lanes: readonly (readonly Bar[])[];
  readonly marks: readonly (Mark & { readonly left: number })[];
}

export interface Drawing {
  readonly width: number;
  readonly scale: Scale;
  readonly end: number;
}

/** The rows of the agents: as many bars as there are pixels, however many spans there are. */
export function rowsOf(timeline: Timeline, drawing: Drawing): readonly Row[] {
  const spans = groupBy(timeline.spans);
  const marks = groupBy(timeline.marks);
  return timeline.agents.map((agent) => ({
    agent,
    lanes: lanesOf(spans.get(agent.id) ?? [], drawing),
    marks: placed(marks.get(agent.id) ?? [], drawing),
  }));
}

function lanesOf(spans: readonly Span[], { scale, width, end }: Drawing): Bar[][] {
  const lanes: { ends: number; readonly bars: Bar[] }[] = [];
  for (const { kind, from, to, isBad, seq } of spans) {
    const left = scale.x(from) * width;
    const right = scale.x(to ?? end) * width;
    const bar = {
      ...{ kind, left, isBad, seq, isOpen: to === null },
      width: Math.max(right - left, LEAST_WIDTH),
    };
    const free = lanes.find(({ ends }) => ends <= from);
    const lane = free ?? (lanes.length < MOST_LANES ? newLane(lanes) : lanes.at(-1)!);
    lane.ends = Math.max(lane.ends, to ?? end);
    push(lane.bars, bar);
  }
  return lanes.map(({ bars }) => bars);
}

function newLane(lanes: { ends: number; readonly bars: Bar[] }[]) {
  const lane = { ends: -Infinity, bars: [] };
  lanes.push(lane);
  return lane;
}

/** Bars that begin on the same pixel are one, of the kind of the longer. */
function push(bars: Bar[], bar: Bar): void {
  const last = bars.at(-1);
  if (!last || bar.left - last.left >= 1) {
    bars.push(bar);
    return;
  }
  const longer = bar.width > last.width ? bar : last;
  bars[bars.length - 1] = { ...longer, left: last.left, isBad: last.isBad || bar.isBad };
}

function placed(marks: readonly Mark[], { scale, width }: Drawing): Row['marks'] {
  const shown: (Mark & { readonly left: number })[] = [];
  for (const mark of marks) {
    const left = scale.x(mark.at) * width;
    const last = shown.at(-1);
    if (last && last.kind === mark.kind && left - last.left < LEAST_WIDTH) shown.pop();
    shown.push({ ...mark, left });
  }
  return shown;
}

function groupBy<T extends { readonly agent_id: string }>(items: readonly T[]): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(item.agent_id);
    if (group) group.push(item);
    else groups.set(item.agent_id, [item]);
  }
  return groups;
}
