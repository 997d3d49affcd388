import type { Client } from '../../client/index.js';
import { connect } from '../connection/connect.js';
import { EXIT } from '../exit-codes.js';
import { sanitizeLine } from '../render/sanitize.js';
import { ruleText } from '../repl/requests/rule-text.js';
import type { Terminal } from '../terminal.js';
import { parseObject } from '../transcript/tool-call.js';
import type { CommandLine } from './options.js';
import { findRequest } from './pending-requests.js';
import type { PendingRequest } from './pending-requests.js';
import { UsageError } from './usage-error.js';

const SCOPES = ['session', 'agent', 'global'] as const;
type Line = Omit<CommandLine, 'name'>;

/** `parley approve` and `parley reject`. */
export function decide(approved: boolean, line: Line, terminal: Terminal): Promise<number> {
  const { input, remember, reason } = line.values;
  const modified_input = input === undefined ? undefined : parseObject(input);
  if (input !== undefined && !modified_input)
    throw new UsageError('--input takes a JSON object, such as \'{"command":"npm test"}\'.');
  const scope = SCOPES.find((it) => it === remember);
  if (remember !== undefined && scope === undefined)
    throw new UsageError(`--remember takes one of: ${SCOPES.join(', ')}.`);
  return withRequest(line, terminal, async (client, request) => {
    if (request.kind !== 'approval')
      throw new UsageError(`${request.id} is no approval. Answer a question with: parley answer`);
    const { rule } = await client.requests.approve(request.chat_id, request.interaction_id, {
      approval_id: request.id,
      approved,
      ...(modified_input && { modified_input }),
      ...(scope && { remember: scope }),
      ...(reason !== undefined && { reason }),
    });
    const name = sanitizeLine(request.tool_name ?? '');
    terminal.out.write(`${approved ? 'Approved' : 'Rejected'}: ${name}\n`);
    if (rule) terminal.out.write(`Remembered: ${ruleText(rule)}\n`);
  });
}

/** `parley answer`: without a text it declines. */
export function answer(line: Line, terminal: Terminal): Promise<number> {
  return withRequest(line, terminal, async (client, request) => {
    if (request.kind !== 'input')
      throw new UsageError(`${request.id} is no question. Use: parley approve, parley reject`);
    const text = line.positionals[1] ?? null;
    const body = { request_id: request.id, answer: text };
    await client.requests.respond(request.chat_id, request.interaction_id, body);
    terminal.out.write(text === null ? 'Declined.\n' : 'Answered.\n');
  });
}

async function withRequest(
  { values, positionals }: Line,
  { environment, err }: Terminal,
  act: (client: Client, request: PendingRequest) => Promise<void>,
): Promise<number> {
  const { url, key } = values;
  const say = (text: string): void => err.write(`${text}\n`);
  const connected = await connect({ url, key, workspace: undefined }, environment, say);
  try {
    await act(connected.client, await findRequest(connected.client, positionals[0] ?? ''));
    return EXIT.completed;
  } finally {
    await connected.close();
  }
}
