import { connect } from '../connection/connect.js';
import { EXIT } from '../exit-codes.js';
import { sanitize, sanitizeLine } from '../render/sanitize.js';
import { span, wrap } from '../render/span.js';
import type { Line } from '../render/span.js';
import { SGR } from '../render/theme.js';
import type { Terminal } from '../terminal.js';
import { durationOf } from '../transcript/tool-call.js';
import type { CommandLine } from './options.js';
import { pendingRequests } from './pending-requests.js';
import type { PendingRequest } from './pending-requests.js';

/** `parley inbox`: what waits for a person, over all chats. */
export async function inbox(
  { values }: Omit<CommandLine, 'name'>,
  { environment, out, err }: Terminal,
): Promise<number> {
  const { url, key } = values;
  const say = (text: string): void => err.write(`${text}\n`);
  const connected = await connect({ url, key, workspace: undefined }, environment, say);
  try {
    const items = await pendingRequests(connected.client);
    if (values.json) for (const item of items) out.json(item);
    else if (items.length === 0) out.write('Nothing waits for you.\n');
    else for (const item of items) out.lines(draw(item, out.columns - 1));
    return EXIT.completed;
  } finally {
    await connected.close();
  }
}

function draw(item: PendingRequest, width: number): Line[] {
  const { id, kind, chat_id, created_at, tool_name = '', action = '', question = '' } = item;
  const age = durationOf(Date.now() - Date.parse(created_at));
  const about = `${sanitizeLine(chat_id)}, ${age} ago`;
  const [title, text] = kind === 'input' ? ['It asks', question] : [tool_name, action];
  const verb = kind === 'input' ? 'answer' : 'approve';
  const indent = { first: [span('  ')], rest: [span('  ')] };
  return [
    [span(sanitizeLine(title), SGR.ask), span(`  ${about}`, SGR.dim)],
    ...wrap([span(sanitize(text))], width, indent),
    [span(kind === 'tool' ? '  for a client' : `  parley ${verb} ${id}`, SGR.cyan)],
    [],
  ];
}
