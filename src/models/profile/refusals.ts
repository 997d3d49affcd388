import { listOf } from '../../kernel/json/json.js';
import { toolKey } from '../schema/tool-form.js';
import type { Adaptation, Change, DemandedField } from './adaptation.js';
import { leavingOut, options } from './option-refusals.js';
import { change, UNSUPPORTED, type RefusedRequest, type Rule } from './refusal-rule.js';

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
const MISSING = /missing|required|must (?:be|have|contain|include)|has to be|need/i;

// regex: words in a row, of a text of at most 4,000 characters
const ALTERNATE = new RegExp(
  [
    '(?:must|should|to) alternate',
    'alternat\\w{1,10} (?:between|with|user)',
    "after role '?tool",
    'expected last role',
    'last message (?:must|should|cannot)',
    'must (?:start|end) with (?:a )?user',
    'immediately after a user turn',
    'no user query',
    'assistant messages at the end',
  ].join('|'),
  'i',
);
const SYSTEM =
  /system (?:role|messages?|prompt|instruction)|developer instruction|role'?:? (?:does not support )?['"]?system|messages(?:\.0|\[0\])\.role/i;

const roles: Rule = (text) => {
  if (ALTERNATE.test(text))
    return change('alternate_roles', 'the messages of the user and of the model take turns', {
      alternate: true,
      bridge: true,
    });
  if (SYSTEM.test(text) && (UNSUPPORTED.test(text) || /should be/i.test(text)))
    return change('system_as_user', 'instructions are sent as a message of the user', {
      system_role: 'user',
    });
  return undefined;
};

const kept: Rule = (text, { body }) => {
  if (/expected `thinking`/i.test(text)) return { ...leavingOut('thinking'), once: true };
  if (/thought_?signature/i.test(text)) return demanding('thought_signature');
  const isRefused = UNSUPPORTED.test(text);
  if (/reasoning_content/i.test(text) && MISSING.test(text) && !isRefused)
    return demanding('reasoning_content');
  if (isRefused && keptFieldsIn(body).some((name) => text.includes(name)))
    return change('drop_thoughts', 'thoughts are not sent back', {
      returns_kept: false,
      demanded: new Set(),
    });
  if (/signature/i.test(text) && /thinking|thought|reasoning/i.test(text)) {
    const description = 'the turn goes on without the thoughts of earlier ones';
    return { ...change('drop_earlier_thoughts', description, { returns_kept: false }), once: true };
  }
  return undefined;
};

const callIds: Rule = (text) =>
  /tool.?call.?id/i.test(text) && /length of 9|9 characters|a-z, ?A-Z, ?0-9/i.test(text)
    ? change('short_call_ids', 'ids of calls are sent as nine letters and digits', {
        call_ids: 'short',
      })
    : undefined;

function keptFieldsIn({ messages }: Readonly<Record<string, unknown>>): readonly string[] {
  const fields = listOf(messages).flatMap((message) => Object.keys(Object(message)));
  return [...new Set(fields)].filter((name) => /^(?:reasoning|extra_content|thinking)/.test(name));
}

function demanding(field: DemandedField): Change {
  return {
    id: `demand:${field}`,
    description: `messages of the model that lack ${field} get a placeholder`,
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
    id: `max_tools:${max_tools}`,
    description: `at most ${max_tools} tools are sent`,
    apply: (known) => (max_tools < known.max_tools ? { ...known, max_tools } : known),
  };
};

const dialect: Rule = (text) =>
  /function_declarations|Unknown name/.test(text)
    ? change('narrow_schemas', 'schemas of tools are sent in a simpler form', {
        narrow_schemas: true,
      })
    : undefined;

/** Keys are those of at most so many tools. */
const MAX_KEYS = 512;
const PLACE = /\b(?:tools|functions|function_declarations)(?:\.|\[|['"], ?)(\d{1,4})/g;
const NAMED = /\b(?:function|tool)s?:? ['"`]([a-zA-Z0-9_-]{1,64})['"`]/;

const tool: Rule = (text, { tools, tool_names, body }, known) => {
  const at = toolIn(text, tool_names);
  const found = at === undefined ? undefined : tools[at];
  if (!found) return undefined;
  const key = toolKey(found);
  if (!known.narrow_schemas && !known.narrow_tools.has(key))
    return {
      id: `narrow_tool:${found.name}`,
      description: `the schema of the tool ${found.name} is sent in a simpler form`,
      apply: (state) => ({ ...state, narrow_tools: withKey(state.narrow_tools, key) }),
    };
  if (isForced(body, tool_names[at!]!)) return undefined;
  return {
    id: `drop_tool:${found.name}`,
    description: `the tool ${found.name} is left out`,
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

const RULES: readonly Rule[] = [...[dialect, callIds, tool, roles, kept, toolCount, options]];
