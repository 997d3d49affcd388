import { saidIn } from '../errors/said.js';
import { AdaptationMemory, TurnAdaptation } from './adaptation.js';
import type { Adaptation } from './adaptation.js';
import { changeFor } from './refusals.js';
import { profileOf } from './vendor-profile.js';

const FIRST = profileOf('http://localhost/v1');
const TOOL = { name: 'clock', description: '', input_schema: { type: 'object' } };
/** All that a request may have. */
const BODY = {
  messages: [
    { role: 'system', content: 'a' },
    { role: 'user', content: 'b' },
  ],
  tools: [TOOL, { ...TOOL, name: 'sun' }],
  stream_options: { include_usage: true },
  tool_choice: 'required',
  reasoning_effort: 'low',
  ...{ temperature: 0.2, top_p: 0.5 },
  response_format: { type: 'json_schema' },
};

/** What an endpoint's answer to a request changes. */
function changed(answer: unknown, body: object = { ...BODY, max_tokens: 50 }): Partial<Adaptation> {
  const detail = saidIn(answer) ?? '';
  const fault = { status: 400, code: undefined, detail };
  const tools = [TOOL, { ...TOOL, name: 'sun' }];
  const names = tools.map(({ name }) => name);
  const change = changeFor({ body: { ...body }, tools, tool_names: names, fault }, FIRST);
  const after = Object.entries(change?.apply(FIRST) ?? {});
  return Object.fromEntries(
    after.filter(([name, value]) => value !== FIRST[name as keyof Adaptation]),
  );
}

const pydantic = (option: string) => ({
  detail: [
    { type: 'extra_forbidden', loc: ['body', option], msg: 'Extra inputs are not permitted' },
  ],
});

/** How servers say that they don't know an option. */
const UNKNOWN: readonly (readonly [string, (option: string) => unknown])[] = [
  ['OpenAI', (option) => ({ error: { message: `Unknown parameter: '${option}'.` } })],
  [
    'Azure',
    (option) => ({ error: { message: `Unrecognized request argument supplied: ${option}` } }),
  ],
  ['FastAPI', pydantic],
  ['Mistral', (option) => ({ object: 'error', message: pydantic(option) })],
  [
    'vLLM',
    (option) => ({
      object: 'error',
      message: `[{'type': 'extra_forbidden', 'loc': ('body', '${option}'), 'msg': 'Extra inputs are not permitted', 'input': 50}]`,
    }),
  ],
  [
    'Fireworks',
    (option) => ({
      error: { message: `Extra inputs are not permitted, field: '${option}', value: 50` },
    }),
  ],
  ['Groq', (option) => ({ error: { message: `property '${option}' is unsupported` } })],
  [
    'LiteLLM',
    (option) => ({
      error: {
        message: `litellm.UnsupportedParamsError: x does not support parameters: ['${option}'], for model=m.`,
      },
    }),
  ],
  [
    'Bedrock',
    (option) => ({
      message: `Malformed input request: #: extraneous key [${option}] is not permitted, please reformat your input and try again.`,
    }),
  ],
  [
    'Volcengine',
    (option) => ({
      error: {
        code: 'InvalidParameter',
        message: `The parameter \`${option}\` specified in the request are not valid: invalid parameter.`,
      },
    }),
  ],
  [
    'Cohere',
    (option) => ({ message: `invalid request: parameter '${option}' is not a valid field` }),
  ],
  ['Go', (option) => ({ error: `json: unknown field "${option}"` })],
  [
    'Java',
    (option) => ({
      message: `Unrecognized field "${option}" (class Request), not marked as ignorable`,
    }),
  ],
  ['Python', (option) => ({ detail: `create() got an unexpected keyword argument '${option}'` })],
  [
    'Rust',
    (option) => ({
      error: {
        message: `unknown field \`${option}\`, expected one of \`model\`, \`messages\`, \`max_tokens\`, \`temperature\`, \`tool_choice\``,
      },
    }),
  ],
  [
    'Ajv',
    (option) => ({
      errors: [
        {
          instancePath: '',
          keyword: 'additionalProperties',
          params: { additionalProperty: option },
          message: 'must NOT have additional properties',
        },
      ],
    }),
  ],
  [
    'a proxy',
    (option) => ({ error: { message: `The field ${option} is not recognized by this model` } }),
  ],
];

describe.each(UNKNOWN)('A refusal of %s', (_, words) => {
  it.each([...['stream_options', 'reasoning_effort', 'tool_choice', 'temperature', 'top_p']])(
    'of %s leaves it out',
    (name) => {
      expect(changed(words(name))).toEqual({ dropped: new Set([name]) });
    },
  );

  it('of the limit gives it the other name', () => {
    const body = { ...BODY, max_completion_tokens: 50 };
    expect(changed(words('max_tokens'))).toEqual({ limit_option: 'max_completion_tokens' });
    const other = { ...FIRST, limit_option: 'max_completion_tokens' } as const;
    const fault = { status: 422, code: undefined, detail: saidIn(words('max_completion_tokens'))! };
    const change = changeFor({ body, tools: [], tool_names: [], fault }, other);
    expect(change?.apply(other)).toMatchObject({ limit_option: 'max_tokens', dropped: new Set() });
  });

  it('of the form of an answer asks for another one', () => {
    expect(changed(words('response_format'))).toEqual({ answer_format: 'json_object' });
  });

  it('of both forms of an answer asks in words, as another change of the same turn', () => {
    const turn = new TurnAdaptation(new AdaptationMemory(FIRST), 'm');
    const fault = { status: 400, code: undefined, detail: saidIn(words('response_format'))! };
    for (const type of ['json_schema', 'json_object']) {
      const call = { body: { ...BODY, response_format: { type } }, tools: [], tool_names: [] };
      expect(turn.learn(changeFor({ ...call, fault }, turn.current)!)).toBe(true);
    }
    expect(turn.current.answer_format).toBe('prompt');
  });

  it('of what was not sent changes nothing', () => {
    expect(changed(words('temperature'), { messages: [] })).toEqual({});
    expect(changed(words('stream_options'), { messages: [] })).toEqual({});
  });
});

describe('A refusal of the value of an option', () => {
  it.each([
    ['reasoning_effort', '`reasoning_effort` must be one of `none` or `default`'],
    ['reasoning_effort', 'Model grok-4 does not support parameter reasoningEffort.'],
    ['reasoning_effort', 'Argument not supported on this model: reasoningEffort'],
    [
      'reasoning_effort',
      "Unsupported value: 'reasoning_effort' does not support 'low' with this model.",
    ],
    ['reasoning_effort', 'invalid reasoning value: "low" (must be "high" or "none")'],
    ['reasoning_effort', '"gemma3" does not support thinking'],
    ['reasoning_effort', 'Thinking is not enabled for models/gemini-2.0-flash'],
    [
      'reasoning_effort',
      'Unable to submit request because thinking is not supported by this model.',
    ],
    ['tool_choice', 'deepseek-reasoner does not support this tool_choice'],
    ['tool_choice', "tool_choice 'required' is incompatible with thinking enabled"],
    [
      'tool_choice',
      'The tool_choice parameter does not support being set to required or object in thinking mode',
    ],
    ['tool_choice', 'tool_choice = "required" is not supported!'],
    ['tool_choice', "No endpoints found that support the provided 'tool_choice' value."],
    [
      'tool_choice',
      'Failed to deserialize the JSON body into the target type: tool_choice: data did not match any variant of untagged enum ToolChoice',
    ],
    ['stream_options', 'Models of this kind do not support stream_options'],
    ['stream_options', 'stream_options: Input should be a valid dictionary'],
  ])('leaves out %s: %s', (name, message) => {
    expect(changed({ error: { message } })).toEqual({ dropped: new Set([name]) });
  });

  it.each([
    'This response_format type is unavailable now',
    'This model does not support response format `json_schema`. See supported models.',
    "response_format.type: Input should be 'text' or 'json_object'",
    "'response_format.type' must be 'json_object' or 'text'",
  ])('asks for another form of the answer: %s', (message) => {
    expect(changed({ error: { message } })).toEqual({ answer_format: 'json_object' });
  });
});

describe('A refusal in Anthropic’s form', () => {
  const body = { messages: [], max_tokens: 50, thinking: {}, output_config: {} };

  it.each([
    ['thinking', 'thinking: Extra inputs are not permitted'],
    [
      'thinking',
      "thinking.type: Input tag 'adaptive' found using 'type' does not match any of the expected tags: 'enabled', 'disabled'",
    ],
    ['thinking', 'adaptive thinking is not supported on this model'],
    [
      'thinking',
      'messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`. When `thinking` is enabled, a final `assistant` message must start with a thinking block.',
    ],
    ['output_config', 'output_config: Extra inputs are not permitted'],
    ['output_config', 'This model does not support the effort parameter.'],
    ['cache_control', 'system.0.cache_control: Extra inputs are not permitted'],
    ['cache_control', 'messages.0.content.0.text.cache_control: unexpected field'],
  ])('leaves out %s: %s', (name, message) => {
    const error = { type: 'error', error: { type: 'invalid_request_error', message } };
    expect(changed(error, body)).toEqual({ dropped: new Set([name]) });
  });

  it('of thinking that began without thoughts leaves it out of that turn only', () => {
    const detail = 'Expected `thinking` or `redacted_thinking`, but found `tool_use`.';
    const fault = { status: 400, code: undefined, detail };
    expect(changeFor({ body, tools: [], tool_names: [], fault }, FIRST)).toMatchObject({
      once: true,
    });
  });
});

describe('A refusal of a limit that is too high', () => {
  it.each([
    'max_tokens is too large: 50000. This model supports at most 16384 completion tokens, whereas you provided 50000.',
    'Invalid max_tokens value, the valid range of max_tokens is [1, 16384]',
    'max_tokens: 50000 > 16384, which is the maximum allowed number of output tokens for x-3-5-20241022',
    '`max_tokens` must be less than or equal to `16384`, the maximum value for `max_tokens`',
    'Range of max_tokens should be [1, 16384]',
  ])('lowers it: %s', (message) => {
    const body = { ...BODY, max_tokens: 50_000 };
    expect(changed({ error: { message } }, body)).toEqual({ max_limit: 16_384 });
  });

  it('that names no lower one changes nothing', () => {
    const message = 'max_tokens is too large';
    expect(changed({ error: { message } })).toEqual({});
  });
});

describe('A refusal of a role', () => {
  it.each([
    'After the optional system message, conversation roles must alternate user/assistant/user/assistant/...',
    'Jinja Exception: Conversation roles must alternate user/assistant/user/assistant/...',
    'messages: roles must alternate between "user" and "assistant", but found multiple "user" roles in a row',
    'After the (optional) system message(s), user or tool message(s) should alternate with assistant message(s).',
    'A conversation must alternate between user and assistant roles.',
    'A conversation must start with a user message. Try again with a conversation that starts with a user message.',
    'Please ensure that multiturn requests alternate between user and model.',
    'Please ensure that function call turn comes immediately after a user turn or after a function response turn.',
    'Expected last role User or Tool (or Assistant with prefix True) for serving but got assistant',
    "Unexpected role 'user' after role 'tool'",
    'Last message must have role `user`.',
    'No user query found in messages.',
    'Cannot have 2 or more assistant messages at the end of the list.',
  ])('makes them take turns: %s', (message) => {
    expect(changed({ error: { message } })).toEqual({ alternate: true, bridge: true });
  });

  it.each([
    'System role not supported',
    'Developer instruction is not enabled for models/gemma-3-27b-it',
    "Unsupported value: 'messages[0].role' does not support 'system' with this model.",
    "messages.0.role: Input should be 'user' or 'assistant'",
    'system messages are not supported by this model',
    "role 'system' is not allowed",
  ])('makes instructions a message of the user: %s', (message) => {
    expect(changed({ error: { message } })).toEqual({ system_role: 'user' });
  });
});

describe('A refusal of one tool', () => {
  it.each([
    "Invalid schema for function 'sun': In context=(), 'uniqueItems' is not permitted.",
    'tools.1.custom.input_schema: JSON schema is invalid.',
    'tools[1].function.parameters: unsupported',
    JSON.stringify([
      { type: 'value_error', loc: ['body', 'tools', 1, 'function', 'parameters'], msg: 'bad' },
    ]),
    "[{'type': 'value_error', 'loc': ('body', 'tools', 1, 'function'), 'msg': 'bad'}]",
  ])('sends its schema in another form: %s', (message) => {
    const { narrow_tools } = changed({ error: { message } });
    expect([...(narrow_tools ?? [])]).toEqual([expect.stringMatching(/^sun /)]);
  });
});

describe('A refusal of something else', () => {
  it.each([
    'Incorrect API key provided',
    'The model `x` does not exist',
    'Invalid value: messages[2].content',
    'messages.4: tool_use ids were found without tool_result blocks',
    'Your credit balance is too low',
    'Internal error',
    '',
  ])('changes nothing: %s', (message) => {
    expect(changed({ error: { message } })).toEqual({});
  });
});
