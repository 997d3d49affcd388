import { deepEqual, equal, ok } from 'node:assert/strict';
import { ToolOutput } from '../tools/core/tool-output.js';
import { defineTool } from '../tools/core/tool-registry.js';
import type { Tool, ToolContext } from '../tools/core/tool.js';
import { within } from './check.js';
import type { Check } from './check.js';
import { toolContext } from './tool-context.js';

/** Time for a tool to stop, in milliseconds; one that takes longer is reported as still running. */
const STOP_MS = 5_000;
/** Characters that a result may have: a tool that reads what is large has to stop in time. */
const MAX_TEXT = 1024 * 1024;
const MAX_DATA = 64 * 1024;

export interface ToolUnderTest {
  readonly make: () => Tool;
  /** Arguments of a call that goes well, as a model writes them. */
  readonly input: Readonly<Record<string, unknown>>;
  /** Arguments that the tool does not take. */
  readonly wrong: Readonly<Record<string, unknown>>;
  /** Members of its context that the tool uses, such as `resources`; the others do nothing. */
  readonly context?: Partial<ToolContext>;
}

/** The contract of a `Tool`, as far as the server relies on it. */
export function toolChecks({ make, input, wrong, context }: ToolUnderTest): Check[] {
  const call = (signal = new AbortController().signal) => {
    const tool = make();
    const run = async () =>
      tool.execute(tool.input.parse(input), toolContext({ ...context, signal }));
    return run();
  };
  return [
    {
      name: 'can be offered to a model: a name, a description and the JSON Schema of an object',
      run: async () => {
        const definition = defineTool(make());
        ok(definition.description.trim() !== '', 'the description is empty');
        deepEqual(JSON.parse(JSON.stringify(definition)), definition);
      },
    },
    {
      name: 'takes the right arguments, and refuses the wrong ones',
      run: async () => {
        make().input.parse(input);
        ok(!make().input.safeParse(wrong).success, '`wrong` was taken');
      },
    },
    {
      name: 'does not say that it only reads if it writes',
      run: async () => {
        const { category, read_only } = make().policy;
        ok(!read_only || category !== 'write', 'a tool that writes is not read_only');
      },
    },
    { name: 'answers a text of bounded length', run: async () => checkAnswer(await call()) },
    {
      name: 'stops soon when its signal aborts',
      run: async () => {
        const stop = new AbortController();
        const ended = call(stop.signal).catch(() => {});
        stop.abort();
        await within(STOP_MS, 'stopping', ended);
      },
    },
  ];
}

function checkAnswer(answer: unknown): void {
  const text = answer instanceof ToolOutput ? answer.text : answer;
  ok(typeof text === 'string', `it answered ${typeof text}, and not a string or a ToolOutput`);
  ok(text.length <= MAX_TEXT, `the text has more than ${MAX_TEXT} characters`);
  if (!(answer instanceof ToolOutput) || answer.data === undefined) return;
  const json = JSON.stringify(answer.data);
  ok(Buffer.byteLength(json) <= MAX_DATA, `data has more than ${MAX_DATA} bytes, and is left out`);
  equal(typeof answer.data, 'object');
}
