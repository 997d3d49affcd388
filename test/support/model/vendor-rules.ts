import type { ChatBody } from './fake-model.js';

/** What one vendor demands of a request, in its words and in its form. */
export interface VendorRules {
  /** Fields of a message of the model besides OpenAI's. */
  readonly fields: readonly string[];
  /** Why the vendor refuses a request; undefined if it takes it. */
  violationOf(body: ChatBody): string | undefined;
  /** The body of its refusals. */
  refusal(message: string): object;
}

const inObject = (message: string): object => ({
  error: { message, type: 'invalid_request_error', param: null, code: null },
});

const toolsOf = ({ tools = [] }: ChatBody): readonly ChatBody[] =>
  tools.map((tool: ChatBody) => tool.function ?? tool);
const assistants = ({ messages }: ChatBody): readonly ChatBody[] =>
  messages.filter(({ role }: ChatBody) => role === 'assistant');
const hasImage = ({ messages }: ChatBody): boolean =>
  messages.some(({ content }: ChatBody) => JSON.stringify(content ?? '').includes('"image_url"'));
const callersIn = (body: ChatBody): readonly ChatBody[] =>
  assistants(body).filter(({ tool_calls }) => tool_calls);

/** Each message of the model has to have its thoughts back. */
const deepseek: VendorRules = {
  fields: ['reasoning_content'],
  violationOf: (body) => {
    if (body.response_format?.type === 'json_schema')
      return 'This response_format type is unavailable now';
    if (hasImage(body))
      return 'Failed to deserialize the JSON body into the target type: messages[0]: unknown variant `image_url`, expected `text`';
    return assistants(body).every(({ reasoning_content: thoughts }) => thoughts)
      ? undefined
      : 'The reasoning_content in the thinking mode must be passed back to the API.';
  },
  refusal: inObject,
};

const kimi: VendorRules = {
  fields: ['reasoning_content'],
  violationOf: (body) => {
    const at = callersIn(body).findIndex(({ reasoning_content: thoughts }) => !thoughts);
    return at === -1
      ? undefined
      : `thinking is enabled but reasoning_content is missing in assistant tool call message at index ${at}`;
  },
  refusal: inObject,
};

/** The keywords that it knows, and the signature that the first call of a message must have. */
const gemini: VendorRules = {
  fields: [],
  violationOf: (body) => {
    for (const [at, { parameters }] of toolsOf(body).entries()) {
      const text = JSON.stringify(parameters ?? {});
      const odd = /"(\$schema|\$ref|\$defs|const|oneOf|allOf|patternProperties)":/.exec(text);
      if (odd)
        return `Invalid JSON payload received. Unknown name "${odd[1]}" at 'tools[0].function_declarations[${at}].parameters': Cannot find field.`;
    }
    const unsigned = callersIn(body).find(
      ({ tool_calls }) => !tool_calls[0].extra_content?.google?.thought_signature,
    );
    return (
      unsigned &&
      `Function call is missing a thought_signature in functionCall parts. Function call \`default_api:${unsigned.tool_calls[0].function.name}\`, position 2.`
    );
  },
  refusal: (message) => [{ error: { code: 400, message, status: 'INVALID_ARGUMENT' } }],
};

const mistral: VendorRules = {
  fields: [],
  violationOf: ({ messages, ...options }) => {
    const option = ['max_completion_tokens', 'reasoning_effort'].find(
      (name) => options[name] !== undefined,
    );
    if (option)
      return JSON.stringify([
        {
          type: 'extra_forbidden',
          loc: ['body', option],
          msg: 'Extra inputs are not permitted',
        },
      ]);
    const at = messages.findIndex(
      ({ role }: ChatBody, n: number) => role === 'user' && messages[n - 1]?.role === 'tool',
    );
    if (at !== -1) return "Unexpected role 'user' after role 'tool'";
    const calls = callersIn({ messages }).flatMap(({ tool_calls }) => tool_calls);
    const odd = calls.find(({ id }: ChatBody) => !/^[a-zA-Z0-9]{9}$/.test(id));
    return odd && `Tool call id was ${odd.id} but must be a-z, A-Z, 0-9, with a length of 9.`;
  },
  refusal: (detail) => ({
    object: 'error',
    message: { detail },
    type: 'invalid_request_message_order',
  }),
};

/** A template of vLLM or llama.cpp that knows no other order than user, assistant. */
const template: VendorRules = {
  fields: ['reasoning', 'reasoning_content'],
  violationOf: ({ messages }) => {
    const roles = messages.map(({ role }: ChatBody) => role);
    if (roles.lastIndexOf('system') > 0) return 'System message must be at the beginning.';
    const said = roles.filter((role: string) => role !== 'system' && role !== 'tool');
    const isOrdered = said.every(
      (role: string, n: number) => role === (n % 2 ? 'assistant' : 'user'),
    );
    return isOrdered
      ? undefined
      : 'Conversation roles must alternate user/assistant/user/assistant/...';
  },
  refusal: (message) => ({ object: 'error', message, type: 'BadRequestError', code: 400 }),
};

/** A template without instructions. */
const gemma: VendorRules = {
  ...template,
  violationOf: (body) =>
    body.messages.some(({ role }: ChatBody) => role === 'system')
      ? 'System role not supported'
      : template.violationOf(body),
};

const MAX_TOOLS = 128;
const COMBINATORS = ['oneOf', 'anyOf', 'allOf', 'enum', 'not'];

const openai: VendorRules = {
  fields: [],
  violationOf: (body) => {
    const tools = toolsOf(body);
    if (tools.length > MAX_TOOLS)
      return `Invalid 'tools': array too long. Expected an array with maximum length ${MAX_TOOLS}, but got an array with length ${tools.length} instead.`;
    if (body.max_tokens !== undefined)
      return "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.";
    for (const { name, parameters } of tools) {
      if (COMBINATORS.some((keyword) => keyword in parameters))
        return `Invalid schema for function '${name}': schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level.`;
      if (JSON.stringify(parameters).includes('"uniqueItems"'))
        return `Invalid schema for function '${name}': In context=(), 'uniqueItems' is not permitted.`;
      if (JSON.stringify(parameters).includes('never taken'))
        return `Invalid schema for function '${name}': it is not taken in any form.`;
    }
    return undefined;
  },
  refusal: inObject,
};

/** A server that takes everything that OpenAI's own API takes, as Ollama or LM Studio. */
const local: VendorRules = {
  fields: ['reasoning_content', 'reasoning'],
  violationOf: () => undefined,
  refusal: inObject,
};

/** A gateway to many vendors, which has a list of thoughts besides. */
const openrouter: VendorRules = { ...local, fields: [...local.fields, 'reasoning_details'] };

/** It refuses its own thoughts in what comes back. */
const groq: VendorRules = {
  fields: ['reasoning'],
  violationOf: (body) => {
    const at = body.messages.findIndex((message: ChatBody) => message.reasoning !== undefined);
    return at === -1
      ? undefined
      : `'messages.${at}' : for 'role:assistant' the following must be satisfied[('messages.${at}' : property 'reasoning' is unsupported)]`;
  },
  refusal: inObject,
};

export const VENDORS = {
  ...{ deepseek, kimi, gemini, mistral, template, gemma, openai, local, openrouter, groq },
};

export type VendorName = keyof typeof VENDORS;

const PROPERTY = /^[a-zA-Z0-9_.-]{1,64}$/;

/** What Anthropic refuses in the schemas of tools. */
export function violationOfSchemas(body: ChatBody): string | undefined {
  for (const [at, { input_schema: schema }] of (body.tools ?? []).entries()) {
    const place = `tools.${at}.custom.input_schema`;
    if (['oneOf', 'anyOf', 'allOf'].some((keyword) => keyword in schema))
      return `${place}: input_schema does not support oneOf, allOf, or anyOf at the top level`;
    if (Object.keys(schema.properties ?? {}).some((name) => !PROPERTY.test(name)))
      return `${place}.properties: Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$'`;
    if (JSON.stringify(schema).includes('never taken'))
      return `${place}: JSON schema is invalid. It must match JSON Schema draft 2020-12`;
  }
  return undefined;
}
