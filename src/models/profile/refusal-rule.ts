import type { Fault } from '../errors/vendor.js';
import type { ModelTool } from '../model-provider.js';
import type { Adaptation, Change } from './adaptation.js';

/** A request that an endpoint refused. */
export interface RefusedRequest {
  readonly body: Readonly<Record<string, unknown>>;
  /** The declarations of its tools, in their order. */
  readonly tools: readonly ModelTool[];
  /** The names that the tools have in it, in the same order. */
  readonly tool_names: readonly string[];
  readonly fault: Fault;
}

/** Finds in the text of a refusal what has to change. */
export type Rule = (text: string, refused: RefusedRequest, known: Adaptation) => Change | undefined;

/** Words for something that a server does not know, or does not have. */
export const UNSUPPORTED =
  /not (?:be )?(?:supported|permitted|allowed|available|compatible|enabled|recogni[sz]ed|valid|a valid)|unsupported|unknown|unrecogni[sz]ed|unexpected|extra.(?:inputs?|fields?|forbidden)|additional propert|forbidden|unavailable|incompatible|do(?:es)?(?: not|n't) support|invalid (?:parameter|argument|field)|can ?not be used|cannot find field/i;

export function change(id: string, description: string, fields: Partial<Adaptation>): Change {
  return {
    id,
    description,
    apply: (known) => (hasAll(known, fields) ? known : { ...known, ...fields }),
  };
}

function hasAll(known: Adaptation, fields: Partial<Adaptation>): boolean {
  return Object.entries(fields).every(([name, value]) => {
    const before = known[name as keyof Adaptation];
    return value instanceof Set ? (before as typeof value).size === value.size : before === value;
  });
}
