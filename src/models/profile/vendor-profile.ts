/** The properties of a vendor's API that are known before it is asked. */
export interface VendorProfile {
  readonly vendor: string;
  readonly limit_option: 'max_tokens' | 'max_completion_tokens';
  readonly max_tools: number;
  /** `narrow`: it takes a small part of JSON Schema. */
  readonly schemas: 'usual' | 'narrow';
  readonly answer_format: 'json_schema' | 'json_object';
  /** True if it refuses a message of the user right after results of tools. */
  readonly bridge: boolean;
  /** `short`: ids of calls have nine letters and digits. */
  readonly call_ids: 'any' | 'short';
  /** False if it refuses its own thoughts in the messages that come back. */
  readonly returns_kept: boolean;
}

/** Most servers: what they refuse is learned from their answers. */
const COMPATIBLE: VendorProfile = {
  vendor: 'compatible',
  limit_option: 'max_tokens',
  max_tools: Infinity,
  schemas: 'usual',
  answer_format: 'json_schema',
  bridge: false,
  call_ids: 'any',
  returns_kept: true,
};

const MAX_TOOLS = 128;

/** By the end of the host's name. */
const PROFILES: readonly (readonly [readonly string[], Partial<VendorProfile>])[] = [
  [
    ['api.openai.com', '.openai.azure.com', '.cognitiveservices.azure.com'],
    { vendor: 'openai', limit_option: 'max_completion_tokens', max_tools: MAX_TOOLS },
  ],
  [['.services.ai.azure.com'], { vendor: 'azure', max_tools: MAX_TOOLS }],
  [['api.groq.com'], { vendor: 'groq', max_tools: MAX_TOOLS, returns_kept: false }],
  [
    ['api.deepseek.com'],
    { vendor: 'deepseek', max_tools: MAX_TOOLS, answer_format: 'json_object' },
  ],
  [['api.moonshot.ai', 'api.moonshot.cn'], { vendor: 'kimi', max_tools: MAX_TOOLS }],
  [['generativelanguage.googleapis.com'], { vendor: 'gemini', schemas: 'narrow' }],
  [['aiplatform.googleapis.com'], { vendor: 'gemini', schemas: 'narrow' }],
  [['api.mistral.ai'], { vendor: 'mistral', bridge: true, call_ids: 'short' }],
];

/** The profile of the vendor at a base URL. */
export function profileOf(baseUrl: string): VendorProfile {
  const { hostname } = new URL(baseUrl);
  const isAt = (end: string): boolean => hostname === end || hostname.endsWith(dotted(end));
  const found = PROFILES.find(([ends]) => ends.some(isAt));
  return { ...COMPATIBLE, ...found?.[1] };
}

function dotted(end: string): string {
  return end.startsWith('.') ? end : `.${end}`;
}
