import type { AgentContext, GenerateOptions } from '../agents/agent-context.js';
import { NUMBER_TOOL, TEXT_TOOL, WORDS } from './probe-tools.js';
import { cutText } from '../kernel/text/cut-text.js';

/** The result of a probe. `no`: the model, or its endpoint, can't do it. */
export interface Finding {
  readonly state: 'ok' | 'no';
  readonly detail: string;
}

/** Question to a model: an interaction of its own. */
interface Probe {
  readonly prompt: string;
  readonly run: (ctx: AgentContext) => Promise<Finding>;
}

/** Quotes, a backslash, a line break, and characters beyond ASCII and beyond 16 bits. */
const ODD_TEXT = 'He said "no \\ yes"\nünïcode 😀 {"a": [1]}';
/** At least 1,000,000 tokens, whatever the tokenizer. */
const LONG_TEXT = (): string => 'é9 '.repeat(1_000_000);
/** A red square of 16 × 16 pixels. */
const RED_PNG =
  'iVBORw0KGgoAAAANSUhEUgAAABAAAAAQCAIAAACQkWg2AAAAFklEQVR42mP4z8BAEmIY1TCqYfhqAACQ+f8B8u7oVwAAAABJRU5ErkJggg==';
const COLOUR_SCHEMA = {
  type: 'object',
  properties: { colour: { type: 'string' }, is_warm: { type: 'boolean' } },
  required: ['colour', 'is_warm'],
  additionalProperties: false,
} as const;
const USE_TOOL = `Call the tool ${NUMBER_TOOL} for the number 2. Then answer with the word that it tells you, and nothing else.`;
const MAX_TURNS = 4;

/** In the order in which they are asked. */
export const PROBES = {
  text: {
    prompt: 'Answer with the single word PONG.',
    run: async (ctx) => {
      const { text } = await ctx.generate({ tools: [] });
      return text.trim() === '' ? no('The answer is empty.') : ok(`Answered ${quote(text)}.`);
    },
  },
  tool_call: {
    prompt: `Call the tool ${TEXT_TOOL} once, with exactly the text between the lines.\n---\n${ODD_TEXT}\n---`,
    run: async (ctx) => {
      const { text, tool_calls } = await ctx.generate({ tools: [TEXT_TOOL] });
      const [call] = tool_calls;
      if (!call) return no(`Called no tool, and answered ${quote(text)}.`);
      const given = call.function.arguments;
      return read(given, 'text') === ODD_TEXT
        ? ok('Quotes, a backslash, a line break and an emoji arrived unchanged.')
        : no(`The arguments arrived as ${quote(given)}.`);
    },
  },
  parallel_calls: {
    prompt: `Call the tool ${NUMBER_TOOL} for the numbers 1, 2 and 3: three calls at once, in one answer.`,
    run: async (ctx) => {
      const { tool_calls } = await ctx.generate({ tools: [NUMBER_TOOL] });
      const detail = `${tool_calls.length} of 3 calls came in one turn.`;
      return tool_calls.length === WORDS.length ? ok(detail) : no(detail);
    },
  },
  tool_results: { prompt: USE_TOOL, run: (ctx) => useTool(ctx) },
  reasoning: { prompt: USE_TOOL, run: (ctx) => useTool(ctx, { thinking: 'low' }) },
  images: {
    prompt: 'Which colour has this image? Answer with one word.',
    run: async (ctx) => {
      const images = [{ media_type: 'image/png', data: RED_PNG }] as const;
      const content = PROBES.images.prompt;
      const { text } = await ctx.generate({
        messages: [{ role: 'user', content, images }],
        tools: [],
      });
      return /\bred\b/i.test(text)
        ? ok('Sees that an image is red.')
        : no(`Says ${quote(text)} of a red image.`);
    },
  },
  structured_output: {
    prompt: 'Describe the colour red.',
    run: async (ctx) => {
      const { text } = await ctx.generate({ tools: [], schema: COLOUR_SCHEMA });
      const isColour = typeof read(text, 'colour') === 'string';
      return isColour && typeof read(text, 'is_warm') === 'boolean'
        ? ok('The answer has the form of the schema.')
        : no(`The answer does not have the form of the schema: ${quote(text)}.`);
    },
  },
  cancel: {
    prompt: 'Write the numbers from 1 to 3000 in words, one a line. Leave out none.',
    run: async (ctx) => {
      await ctx.generate({ tools: [] });
      return no('The answer ended before it could be cancelled.');
    },
  },
  too_long: {
    prompt: 'Too long?',
    run: async (ctx) => {
      const { usage } = await ctx.generate({
        messages: [{ role: 'user', content: LONG_TEXT() }],
        tools: [],
        max_output_tokens: 16,
      });
      const tokens = usage.input_tokens.toLocaleString('en');
      return no(`Took a text of 3,000,000 characters, and counts ${tokens} tokens.`);
    },
  },
} satisfies Record<string, Probe>;

export type ProbeName = keyof typeof PROBES;
export const PROBE_NAMES = Object.keys(PROBES) as readonly ProbeName[];

export function isProbeName(name: unknown): name is ProbeName {
  return typeof name === 'string' && Object.hasOwn(PROBES, name);
}

/** The model calls a tool, gets the result, and answers with what only the result tells. */
async function useTool(ctx: AgentContext, options: GenerateOptions = {}): Promise<Finding> {
  let calls = 0;
  for (let turns = 0; turns < MAX_TURNS; turns++) {
    const { text, tool_calls } = await ctx.generate({ ...options, tools: [NUMBER_TOOL] });
    if (tool_calls.length === 0) return judge(text, calls);
    calls += (await ctx.callTools(tool_calls)).length;
  }
  return no(`Still calls the tool after ${MAX_TURNS} turns.`);
}

function judge(text: string, calls: number): Finding {
  if (calls === 0) return no(`Called no tool, and answered ${quote(text)}.`);
  return text.includes(WORDS[1]!)
    ? ok('The answer has what only the result tells.')
    : no(`The answer does not have what the result tells: ${quote(text)}.`);
}

/** A property of a JSON object; undefined if the text is none. */
function read(json: string, property: string): unknown {
  try {
    return (JSON.parse(json) as Record<string, unknown> | null)?.[property];
  } catch {
    return undefined;
  }
}

function ok(detail: string): Finding {
  return { state: 'ok', detail };
}

function no(detail: string): Finding {
  return { state: 'no', detail };
}

function quote(text: string): string {
  return JSON.stringify(text.length > 100 ? `${cutText(text, 100)}…` : text);
}
