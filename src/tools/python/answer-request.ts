import { z } from 'zod';
import { exactJson, parseExact } from '../../kernel/json/exact-json.js';
import { toErrorText } from '../core/to-text.js';
import type { ToolContext } from '../core/tool.js';

/** Maximum length of a tool's arguments, as JSON text. */
const MAX_ARGUMENTS = 1_000_000;

type Context = Pick<ToolContext, 'ask' | 'fork' | 'wait' | 'call_tool' | 'now'>;
/** The answer to the program; `error` is raised as an exception there. */
type Answer =
  { readonly text: string | null } | { readonly id: string; readonly type: string } | Fault;
interface Fault {
  readonly error: string;
}

/**
 * Executes a request of a program through the context of its call. Answers JSON with the time after
 * the request. Never rejects.
 */
export async function answerRequest(line: string, context: Context): Promise<string> {
  const answer = await answerOrFault(line, context);
  return JSON.stringify({ ...answer, now: await context.now() });
}

async function answerOrFault(line: string, context: Context): Promise<Answer> {
  try {
    const request = programRequest.safeParse(parseExact(line));
    if (!request.success) return { error: z.prettifyError(request.error) };
    return await carryOut(request.data, context);
  } catch (error) {
    return { error: toErrorText(error) };
  }
}

async function carryOut(request: ProgramRequest, context: Context): Promise<Answer> {
  switch (request.op) {
    case 'fork': {
      const { prompt, agent_type } = request;
      return context.fork(prompt, agent_type ? { agent_type } : {});
    }
    case 'wait':
      return { text: await context.wait(request.id) };
    case 'ask': {
      const { question, options } = request;
      return { text: await context.ask(question, options ? { options } : {}) };
    }
    case 'tool':
      return callTool(request, context);
  }
}

async function callTool(
  { name, arguments: args }: Extract<ProgramRequest, { op: 'tool' }>,
  { call_tool }: Context,
): Promise<Answer> {
  const json = exactJson(args);
  if (json.length > MAX_ARGUMENTS)
    return { error: `The arguments are longer than ${MAX_ARGUMENTS} characters of JSON.` };
  const { output, is_error } = await call_tool(name, json);
  return is_error ? { error: output } : { text: output };
}

const text = z.string().max(100_000);

/**
 * The requests that a program may send to the server. They are untrusted input: programs write them
 * themselves.
 */
const programRequest = z.discriminatedUnion('op', [
  z.object({
    op: z.literal('fork'),
    prompt: text.min(1),
    agent_type: z.string().min(1).max(64).nullish(),
  }),
  z.object({ op: z.literal('wait'), id: z.string() }),
  z.object({
    op: z.literal('ask'),
    question: z.string().min(1).max(10_000),
    options: z.array(z.string().min(1).max(500)).max(20).nullish(),
  }),
  z.object({
    op: z.literal('tool'),
    name: z.string().max(200),
    arguments: z.record(z.string(), z.unknown()),
  }),
]);

type ProgramRequest = z.output<typeof programRequest>;
