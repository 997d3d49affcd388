import { exactJson, parseExact } from '../../kernel/exact-json.js';
import { isObject } from '../../kernel/json.js';

/** The arguments of a call as an object. */
const OBJECT_ARGUMENTS = /"(?:arguments|input)"\s*:\s*\{/;

/**
 * An event of a server in which the arguments of calls are text with every digit, also where the
 * server has sent an object.
 * @param json the text of the event
 */
export function withArgumentTexts(event: unknown, json: string): unknown {
  return OBJECT_ARGUMENTS.test(json) ? textsIn(event, parseExact(json)) : event;
}

function textsIn(value: unknown, exact: unknown): unknown {
  if (Array.isArray(value) && Array.isArray(exact))
    return value.map((item, at) => textsIn(item, exact[at]));
  if (!isObject(value) || !isObject(exact)) return value;
  const field = value.type === 'tool_use' ? 'input' : 'arguments';
  const members = Object.entries(value).map(([name, member]) => [
    name,
    name === field && isObject(member) ? exactJson(exact[name]) : textsIn(member, exact[name]),
  ]);
  return Object.fromEntries(members);
}
