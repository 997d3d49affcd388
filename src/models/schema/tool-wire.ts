import { createHash } from 'node:crypto';
import { isObjectText } from '../../kernel/json/bounded-json.js';
import type { AssistantMessage, Message, ToolCall } from '../../protocol/message.js';
import type { ModelEvent, ModelRequest, ModelTool } from '../model-provider.js';
import { renameFields } from './json-text.js';
import { narrowForm, toolKey, usualForm } from './tool-form.js';

const NAME = /^[a-zA-Z0-9_-]{1,64}$/;
/** Some vendors take no name that begins with a digit or a hyphen. */
const NARROW_NAME = /^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/;
const MAX_NAME = 64;
/** A character that is in no name of a tool that is sent. */
const AROUND_NAME = /[^a-zA-Z0-9_-]/;
const NAMESPACE = /^(?:functions|default_api|tools?)[.:]/;
/** Begins the marks of a template: `read<|channel|>json`. */
const MARK = '<|';
/** The number of the call: `read:0`. */
const NUMBER = /:\d{1,4}$/;

/** Which tools a model gets, and in which form. */
export interface ToolLimits {
  readonly max_tools: number;
  /** All schemas have to be narrow. */
  readonly narrow_schemas: boolean;
  /** Keys of tools whose schemas have to be narrow. */
  readonly narrow_tools: ReadonlySet<string>;
  /** Keys of tools that the vendor does not take. */
  readonly refused_tools: ReadonlySet<string>;
}

type Names = ReadonlyMap<string, string>;

interface SentTool {
  readonly original: string;
  readonly sent: string;
  /** Names of properties: those of the vendor by the original ones, and the other way round. */
  readonly outward: Names;
  readonly inward: Names;
}

/**
 * The tools of one request in the form that its vendor takes, and the way back: calls of the model
 * get the names of the original declarations before anything else sees them.
 */
export class ToolWire {
  /** The request as it is sent. */
  readonly request: ModelRequest;
  /** The tools of `request.tools` as declared, in the same order. */
  readonly offered: readonly ModelTool[];
  readonly left_out: readonly ModelTool[];
  private readonly byName = new Map<string, SentTool>();
  private readonly bySentName = new Map<string, SentTool>();
  /** The tools of calls whose arguments are held back until they are whole. */
  private readonly held = new Map<number, SentTool>();

  constructor(request: ModelRequest, limits: ToolLimits) {
    const { tools = [] } = request;
    const taken = tools.filter((tool) => !limits.refused_tools.has(keyIn(tool, limits)));
    this.offered = firstTools(taken, request, limits.max_tools);
    this.left_out = tools.filter((tool) => !this.offered.includes(tool));
    const sent = this.offered.map((tool) => this.send(tool, limits));
    const isSame = sent.every((tool, at) => tool === tools[at]) && sent.length === tools.length;
    const { tool_choice } = request;
    this.request = {
      ...request,
      messages: request.messages.map((message) => this.outward(message)),
      ...(request.tools && { tools: isSame ? request.tools : sent }),
      ...(typeof tool_choice === 'object' && {
        tool_choice: { name: this.nameOf(tool_choice.name) },
      }),
    };
  }

  /** The events of the model with the original names. */
  inward(event: ModelEvent): readonly ModelEvent[] {
    switch (event.type) {
      case 'tool_call_started':
        return [this.start(event)];
      case 'tool_call_args_delta':
        return this.held.has(event.index) ? [] : [event];
      case 'tool_call_ready':
        return this.finish(event);
      case 'response_completed':
        return [{ ...event, message: this.received(event.message) }];
      default:
        return [event];
    }
  }

  private send(tool: ModelTool, limits: ToolLimits): ModelTool {
    const isNarrow = limits.narrow_schemas || limits.narrow_tools.has(keyIn(tool, limits));
    const { description, input_schema, originals } = (isNarrow ? narrowForm : usualForm)(tool);
    const pattern = limits.narrow_schemas ? NARROW_NAME : NAME;
    const sent = pattern.test(tool.name) ? tool.name : this.freeName(tool.name);
    const outward = new Map([...originals].map(([name, original]) => [original, name]));
    const entry = { original: tool.name, sent, outward, inward: originals };
    this.byName.set(tool.name, entry);
    this.bySentName.set(sent, entry);
    const isSame =
      sent === tool.name && description === tool.description && input_schema === tool.input_schema;
    return isSame ? tool : { name: sent, description, input_schema };
  }

  private freeName(name: string): string {
    const hash = createHash('sha256').update(name).digest('hex').slice(0, 8);
    const clean = name.replaceAll(/[^a-zA-Z0-9_-]/g, '_').slice(0, MAX_NAME - hash.length - 2);
    return `_${clean}_${hash}`;
  }

  /** A tool that was called earlier may not be offered any more. */
  private nameOf(name: string): string {
    const known = this.byName.get(name)?.sent;
    return known ?? (NAME.test(name) ? name : this.freeName(name));
  }

  /** The tool of a call. Templates leave white space, a namespace or marks around its name. */
  private sentAs(name: string): SentTool | undefined {
    const known = this.bySentName.get(name);
    if (known || !AROUND_NAME.test(name)) return known;
    const [unmarked = ''] = name.split(MARK, 1);
    const bare = unmarked.trim().replace(NAMESPACE, '').replace(NUMBER, '');
    return this.bySentName.get(bare);
  }

  private outward(message: Message): Message {
    if (message.role !== 'assistant' || !message.tool_calls) return message;
    return { ...message, tool_calls: message.tool_calls.map((call) => this.outwardCall(call)) };
  }

  private outwardCall(call: ToolCall): ToolCall {
    const { name, arguments: json } = call.function;
    const sent = this.nameOf(name);
    const fields = this.byName.get(name)?.outward;
    const text = fields?.size && isObjectText(json) ? renameFields(json, fields) : json;
    if (sent === name && text === json) return call;
    return { ...call, function: { name: sent, arguments: text } };
  }

  private start(event: Extract<ModelEvent, { type: 'tool_call_started' }>): ModelEvent {
    const tool = this.sentAs(event.name);
    if (tool?.inward.size) this.held.set(event.index, tool);
    return tool ? { ...event, name: tool.original } : event;
  }

  private finish(event: Extract<ModelEvent, { type: 'tool_call_ready' }>): readonly ModelEvent[] {
    const name = this.sentAs(event.name)?.original ?? event.name;
    const tool = this.held.get(event.index);
    if (!tool) return [{ ...event, name }];
    const json = withFields(event.arguments, tool.inward);
    const { index } = event;
    const delta: ModelEvent = { type: 'tool_call_args_delta', index, delta: json };
    return [delta, { ...event, name, arguments: json }];
  }

  private received(message: AssistantMessage): AssistantMessage {
    if (!message.tool_calls) return message;
    const tool_calls = message.tool_calls.map((call) => {
      const tool = this.sentAs(call.function.name);
      if (!tool) return call;
      const json = withFields(call.function.arguments, tool.inward);
      return { ...call, function: { name: tool.original, arguments: json } };
    });
    return { ...message, tool_calls };
  }
}

/** A tool is known as its vendor refused it only if any was refused: a key costs a digest. */
function keyIn(tool: ModelTool, { narrow_tools, refused_tools }: ToolLimits): string {
  return narrow_tools.size + refused_tools.size > 0 ? toolKey(tool) : '';
}

function withFields(json: string, names: Names): string {
  return names.size > 0 && isObjectText(json) ? renameFields(json, names) : json;
}

/**
 * Chooses as many tools as a vendor takes: the one that has to be called, those that the request
 * prefers if there is room for all, those that were called last, then the first ones. They stay in
 * their order.
 */
function firstTools(
  tools: readonly ModelTool[],
  { tool_choice, preferred_tools = [], messages }: ModelRequest,
  max: number,
): readonly ModelTool[] {
  if (tools.length <= max) return tools;
  const forced = typeof tool_choice === 'object' ? [tool_choice.name] : [];
  const called = messages
    .flatMap((message) => (message.role === 'assistant' ? (message.tool_calls ?? []) : []))
    .map((call) => call.function.name)
    .reverse();
  const names = tools.map(({ name }) => name);
  const offered = new Set(names);
  const preferred = preferred_tools.length < max ? preferred_tools : [];
  const order = new Set([...forced, ...preferred, ...called, ...names]);
  const chosen = new Set([...order].filter((name) => offered.has(name)).slice(0, max));
  return tools.filter(({ name }) => chosen.has(name));
}
