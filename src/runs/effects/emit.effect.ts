import type { AgentIdentity } from '../../agents/agent-context.js';
import type { Entry } from '../../event-log/append/run-log.js';
import { AppError } from '../../kernel/app-error.js';
import { guardJson } from '../guarding/guard-output.js';
import type { CompletingRecord } from '../journal/completes.js';
import type { AgentScope } from '../scope/agent-scope.js';
import type { Effect } from './effect.js';

/** Limits on what agents send to readers: a name, and bytes of JSON. */
const MAX_NAME = 64;
const MAX_DATA = 16 * 1024;
const MAX_METADATA = 4 * 1024;
const MAX_METADATA_CALLS = 256;

export type EmittedBody = Entry<'CUSTOM'>['body'] | Entry<'METADATA_SET'>['body'];

interface Emitted {
  readonly key: string;
  readonly body: EmittedBody;
}

/** An event of the agent's own, or a key of the interaction's metadata. */
export class EmitEffect implements Effect<void> {
  readonly key: string;
  readonly label: string;

  constructor(
    private readonly scope: AgentScope,
    private readonly agent: AgentIdentity,
    private readonly input: Emitted,
  ) {
    this.key = input.key;
    this.label = `the ${labelOf(input.body)}`;
  }

  matches({ body }: CompletingRecord): boolean {
    const wanted = this.input.body;
    if (body.type === 'CUSTOM') return wanted.type === 'CUSTOM' && body.name === wanted.name;
    if (body.type !== 'METADATA_SET') return false;
    return wanted.type === 'METADATA_SET' && body.key === wanted.key;
  }

  async run(): Promise<void> {
    const { key, body } = this.input;
    const field = body.type === 'CUSTOM' ? 'data' : 'value';
    const json = body.type === 'CUSTOM' ? body.data : body.value;
    const { value, remarks } = guardJson(this.scope.run, this.agent, json);
    const entry = { agent_id: this.agent.id, key, body: { ...body, [field]: value } };
    await this.scope.append([...remarks, entry]);
  }

  outcome(): void {}
}

/** @throws AppError `invalid_event` */
export function customBody(name: string, data: unknown): Entry<'CUSTOM'>['body'] {
  return { type: 'CUSTOM', name: checkName(name), data: toJson(`data of ${name}`, data, MAX_DATA) };
}

/**
 * @param calls of this agent or tool, with this one
 * @throws AppError `invalid_event`
 */
export function metadataBody(
  key: string,
  value: unknown,
  calls: number,
): Entry<'METADATA_SET'>['body'] {
  if (calls > MAX_METADATA_CALLS)
    throw invalid(`an agent, or a call of a tool, may set metadata ${MAX_METADATA_CALLS} times`);
  const json = toJson(`metadata ${key}`, value, MAX_METADATA);
  return { type: 'METADATA_SET', key: checkName(key), value: json };
}

function labelOf(body: EmittedBody): string {
  return body.type === 'CUSTOM' ? `event ${body.name}` : `metadata ${body.key}`;
}

function checkName(name: string): string {
  if (typeof name === 'string' && name !== '' && name.length <= MAX_NAME) return name;
  throw invalid(`a name of 1 to ${MAX_NAME} characters is needed`);
}

/** A copy, as it will be read from the log. */
function toJson(what: string, value: unknown, most: number): unknown {
  const text = serialized(what, value);
  const bytes = Buffer.byteLength(text);
  if (bytes <= most) return JSON.parse(text);
  throw invalid(`the ${what} has ${bytes} bytes of JSON, more than ${most}`);
}

function serialized(what: string, value: unknown): string {
  let text: string | undefined;
  try {
    text = JSON.stringify(value ?? null);
  } catch (error) {
    throw invalid(`the ${what} is not JSON (${String(error)})`);
  }
  if (text === undefined) throw invalid(`the ${what} is not JSON (a ${typeof value})`);
  return text;
}

function invalid(fault: string): AppError {
  return new AppError('unprocessable', 'invalid_event', `Not sent: ${fault}.`);
}
