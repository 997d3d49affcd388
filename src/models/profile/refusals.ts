import type { Fault } from '../http/vendor.js';
import type { ModelTool } from '../model-provider.js';
import { toolKey } from '../schema/tool-form.js';
import type { Adaptation, Change, DemandedField, OptionName } from './adaptation.js';

/** A request that an endpoint refused. */
export interface RefusedRequest {
  readonly body: Readonly<Record<string, unknown>>;
  /** The declarations of its tools, in their order. */
  readonly tools: readonly ModelTool[];
  /** The names that the tools have in it, in the same order. */
  readonly tool_names: readonly string[];
  readonly fault: Fault;
}

type Rule = (text: string, refused: RefusedRequest, known: Adaptation) => Change | undefined;

/** The change after which an endpoint may take the request; undefined if none is known. */
export function changeFor(refused: RefusedRequest, known: Adaptation): Change | undefined {
  const { code = '', detail, param = '' } = refused.fault;
  const text = `${param} ${code} ${detail}`.slice(0, MAX_TEXT);
  for (const rule of RULES) {
    const found = rule(text, refused, known);
    if (found && found.apply(known) !== known) return found;
  }
  return undefined;
}

/** Errors may repeat the request. */
const MAX_TEXT = 4_000;
const UNSUPPORTED =
  /not (?:be )?(?:supported|permitted|allowed|available|compatible)|unsupported|unknown|unrecogni[sz]ed|unexpected|extra.(?:inputs?|fields?|forbidden)|forbidden|unavailable|incompatible|does ?n[o']t support|invalid (?:parameter|argument|field)|can ?not be used|cannot find field/i;
const MISSING = /missing|required|must (?:be|have|contain|include)|has to be|need/i;

const ALTERNATE =
  /(?:roles?|messages?) must alternate|alternat\w{1,10} (?:between )?user|after role '?tool|expected last role|last message (?:must|should|cannot)|must end with (?:a )?user/i;

const roles: Rule = (text) => {
  if (ALTERNATE.test(text))
    return change('the messages of the user and of the model take turns', {
      alternate: true,
      bridge: true,
    });
  const isSystem = /system (?:role|messages?|prompt|instruction)|role:? ['"]?system/i.test(text);
  if (isSystem && UNSUPPORTED.test(text))
    return change('instructions are sent as a message of the user', { system_role: 'user' });
  return undefined;
};

const kept: Rule = (text, { body }) => {
  if (/thought_?signature/i.test(text)) return demanding('thought_signature');
  const isRefused = UNSUPPORTED.test(text);
  if (/reasoning_content/i.test(text) && MISSING.test(text) && !isRefused)
    return demanding('reasoning_content');
  if (isRefused && keptFieldsIn(body).some((name) => text.includes(name)))
    return change('thoughts are not sent back', { returns_kept: false, demanded: new Set() });
  if (/signature/i.test(text) && /thinking|thought|reasoning/i.test(text)) {
    const told = 'the turn goes on without the thoughts of earlier ones';
    return { ...change(told, { returns_kept: false }), once: true };
  }
  return undefined;
};

const callIds: Rule = (text) =>
  /tool.?call.?id/i.test(text) && /length of 9|9 characters|a-z, ?A-Z, ?0-9/i.test(text)
    ? change('ids of calls are sent as nine letters and digits', { call_ids: 'short' })
    : undefined;

function keptFieldsIn({ messages }: Readonly<Record<string, unknown>>): readonly string[] {
  const fields = listOf(messages).flatMap((message) => Object.keys(Object(message)));
  return [...new Set(fields)].filter((name) => /^(?:reasoning|extra_content|thinking)/.test(name));
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as unknown[]) : [];
}

function demanding(field: DemandedField): Change {
  return {
    told: `messages of the model that lack ${field} get a placeholder`,
    apply: (known) =>
      known.demanded.has(field) && known.returns_kept
        ? known
        : { ...known, returns_kept: true, demanded: new Set([...known.demanded, field]) },
  };
}

const BOUND = /(?:max(?:imum)?|at most|up to|limit|exceeds?)[^\d]{0,40}(\d{1,4})/i;

const toolCount: Rule = (text, { tools }) => {
  const isCount =
    /\b(?:tools|functions|function.declarations)\b/i.test(text) &&
    /too (?:long|many)|at most|maximum|exceed|up to|array_above_max_length|max_length/i.test(text);
  if (!isCount) return undefined;
  const bound = Number(BOUND.exec(text)?.[1]);
  const isBound = bound > 0 && bound < tools.length;
  const max_tools = isBound ? bound : Math.floor(tools.length / 2);
  if (max_tools < 1) return undefined;
  return {
    told: `at most ${max_tools} tools are sent`,
    apply: (known) => (max_tools < known.max_tools ? { ...known, max_tools } : known),
  };
};

const LIMITS = ['max_completion_tokens', 'max_tokens'] as const;

const limitOption: Rule = (text, { body }) => {
  const sent = LIMITS.find((name) => body[name] !== undefined);
  if (!sent || !text.includes(sent) || !UNSUPPORTED.test(text)) return undefined;
  const other = LIMITS.find((name) => name !== sent)!;
  return {
    told: `${sent} is sent as ${other}`,
    apply: (known) => (known.limit_option === sent ? { ...known, limit_option: other } : known),
  };
};

const answerFormat: Rule = (text, { body }) => {
  const asked = body.response_format;
  if (asked === undefined || !/response_format|json_schema|json_object/i.test(text))
    return undefined;
  if (!UNSUPPORTED.test(text) && !/invalid/i.test(text)) return undefined;
  const isSchema = (asked as { readonly type?: unknown }).type === 'json_schema';
  const answer_format = isSchema ? 'json_object' : 'prompt';
  return change('the schema of the answer is asked for in words', { answer_format });
};

const OPTIONS: readonly OptionName[] = [
  ...(['stream_options', 'reasoning_effort', 'tool_choice'] as const),
  ...(['thinking', 'output_config', 'cache_control'] as const),
];

const option: Rule = (text, { body }) => {
  const json = OPTIONS.find((name) => text.includes(name) && isSent(name, body));
  if (!json || !UNSUPPORTED.test(text)) return undefined;
  return {
    told: `the option ${json} is left out`,
    apply: (known) =>
      known.dropped.has(json) ? known : { ...known, dropped: new Set([...known.dropped, json]) },
  };
};

function isSent(name: OptionName, body: Readonly<Record<string, unknown>>): boolean {
  return name === 'cache_control' || body[name] !== undefined;
}

const dialect: Rule = (text) =>
  /function_declarations|Unknown name/.test(text)
    ? change('schemas of tools are sent in a simpler form', { narrow_schemas: true })
    : undefined;

/** Keys are those of at most so many tools. */
const MAX_KEYS = 512;
const PLACE = /\b(?:tools|functions|function_declarations)(?:\.|\[)(\d{1,4})/g;
const NAMED = /\b(?:function|tool)s?:? ['"`]([a-zA-Z0-9_-]{1,64})['"`]/;

const tool: Rule = (text, { tools, tool_names, body }, known) => {
  const at = toolIn(text, tool_names);
  const found = at === undefined ? undefined : tools[at];
  if (!found) return undefined;
  const key = toolKey(found);
  if (!known.narrow_schemas && !known.narrow_tools.has(key))
    return {
      told: `the schema of the tool ${found.name} is sent in a simpler form`,
      apply: (state) => ({ ...state, narrow_tools: withKey(state.narrow_tools, key) }),
    };
  if (isForced(body, tool_names[at!]!)) return undefined;
  return {
    told: `the tool ${found.name} is left out`,
    apply: (state) =>
      state.refused_tools.has(key)
        ? state
        : { ...state, refused_tools: withKey(state.refused_tools, key) },
  };
};

/** The index of the tool that a refusal names. Some vendors nest the list in an outer one. */
function toolIn(text: string, names: readonly string[]): number | undefined {
  const place = [...text.matchAll(PLACE)].at(-1)?.[1];
  const name = NAMED.exec(text)?.[1];
  const named = name === undefined ? -1 : names.indexOf(name);
  if (named !== -1) return named;
  return place === undefined ? undefined : Number(place);
}

function isForced({ tool_choice }: Readonly<Record<string, unknown>>, name: string): boolean {
  return typeof tool_choice === 'object' && JSON.stringify(tool_choice).includes(`"${name}"`);
}

function withKey(keys: ReadonlySet<string>, key: string): ReadonlySet<string> {
  return new Set([...keys, key].slice(-MAX_KEYS));
}

function change(told: string, fields: Partial<Adaptation>): Change {
  return {
    told,
    apply: (known) => (hasAll(known, fields) ? known : { ...known, ...fields }),
  };
}

function hasAll(known: Adaptation, fields: Partial<Adaptation>): boolean {
  return Object.entries(fields).every(([name, value]) => {
    const before = known[name as keyof Adaptation];
    return value instanceof Set ? (before as typeof value).size === value.size : before === value;
  });
}

const RULES: readonly Rule[] = [
  ...[dialect, callIds, tool, roles, kept, toolCount, limitOption, answerFormat, option],
];
