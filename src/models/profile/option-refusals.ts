import type { Change, OptionName } from './adaptation.js';
import { change, UNSUPPORTED, type RefusedRequest, type Rule } from './refusal-rule.js';

type Body = RefusedRequest['body'];

const LIMITS = ['max_completion_tokens', 'max_tokens'] as const;
const SAMPLING: ReadonlySet<string> = new Set(['temperature', 'top_p']);
const OPTIONS: readonly OptionName[] = [
  ...(['stream_options', 'reasoning_effort', 'tool_choice'] as const),
  ...(['temperature', 'top_p'] as const),
  ...(['thinking', 'output_config', 'cache_control'] as const),
];
/** How the options are named in refusals. */
const NAMES: readonly (readonly [string, RegExp])[] = [
  ...[...OPTIONS, ...LIMITS].map((name) => [name, spelled(name)] as const),
  ['response_format', /response.?format|json_schema|json_object/i],
];
/** Words for an option that is not named. */
const ABOUT: readonly (readonly [string, RegExp])[] = [
  ['reasoning_effort', /thinking|\breasoning\b/i],
  ['output_config', /\beffort\b/i],
];

/** `reasoning_effort` may be `reasoningEffort`, or two words. */
function spelled(name: string): RegExp {
  // regex: the names of our own options, with at most one character between their words
  return new RegExp(name.replaceAll('_', '[_ -]?'), 'i');
}

/** The option that a refusal names first: some list all that would have been taken. */
export const options: Rule = (text, { body }, known) => {
  const named = NAMES.filter(([name]) => isSent(name, body))
    .map(([name, words]) => ({ name, at: text.search(words) }))
    .filter(({ at }) => at !== -1)
    .toSorted((one, other) => one.at - other.at);
  const about = ABOUT.filter(([name, words]) => isSent(name, body) && words.test(text));
  const changes = [
    ...named.map(({ name }) => changeOf(name, text, body)),
    ...about.map(([name]) => (UNREADY.test(text) ? leavingOut(name as OptionName) : undefined)),
  ];
  return changes.find((found) => found && found.apply(known) !== known);
};

function isSent(name: string, body: Body): boolean {
  return name === 'cache_control' || body[name] !== undefined;
}

// regex: words in a row, of a text of at most 4,000 characters
const UNREADY = new RegExp(`${UNSUPPORTED.source}|invalid reasoning`, 'i');
/** Words for a value that a server does not take. */
const OTHER_VALUE =
  /(?:must|should|may only) be|do(?:es)? not match|did not match|invalid|no endpoints found|expected|both/i;
/** Words for an option that can't be beside another. */
const BESIDE = /thinking|reasoning|both/i;

function changeOf(name: string, text: string, body: Body): Change | undefined {
  const limit = LIMITS.find((option) => option === name);
  if (limit) return UNSUPPORTED.test(text) ? renamed(limit) : lowered(limit, text, body);
  if (!UNSUPPORTED.test(text) && !OTHER_VALUE.test(text)) return undefined;
  if (name === 'response_format') return reworded(body);
  const left = leavingOut(name as OptionName);
  const isOfTurn = SAMPLING.has(name) && (BESIDE.test(text) || !UNSUPPORTED.test(text));
  return isOfTurn ? { ...left, once: true } : left;
}

export function leavingOut(name: OptionName): Change {
  return {
    id: `drop_option:${name}`,
    description: `the option ${name} is left out`,
    apply: (known) =>
      known.dropped.has(name) ? known : { ...known, dropped: new Set([...known.dropped, name]) },
  };
}

type Limit = (typeof LIMITS)[number];

function renamed(sent: Limit): Change {
  const limit_option = LIMITS.find((name) => name !== sent)!;
  return {
    id: `limit_option:${limit_option}`,
    description: `${sent} is sent as ${limit_option}`,
    apply: (known) => (known.limit_option === sent ? { ...known, limit_option } : known),
  };
}

const TOO_HIGH = /too (?:large|high|big)|at most|maximum|less than|range|exceed|greater|up to/i;
const MIN_LIMIT = 16;

/** The highest limit that the refusal of a higher one names. */
function lowered(sent: Limit, text: string, body: Body): Change | undefined {
  if (!TOO_HIGH.test(text)) return undefined;
  const numbers = text.match(/\d{2,9}/g)?.map(Number) ?? [];
  const max_limit = Math.max(...numbers.filter((number) => number < Number(body[sent])));
  if (max_limit < MIN_LIMIT) return undefined;
  return {
    id: `max_limit:${max_limit}`,
    description: `at most ${max_limit} tokens are asked for`,
    apply: (known) => (max_limit < known.max_limit ? { ...known, max_limit } : known),
  };
}

function reworded({ response_format }: Body): Change {
  const isSchema = (response_format as { readonly type?: unknown }).type === 'json_schema';
  const answer_format = isSchema ? 'json_object' : 'prompt';
  const description = 'the schema of the answer is asked for in words';
  return change(`answer_format:${answer_format}`, description, { answer_format });
}
