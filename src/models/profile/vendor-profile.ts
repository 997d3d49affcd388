import type { Adaptation } from './adaptation.js';

const NO_TOOLS: ReadonlySet<string> = new Set();

/** Most servers: what they refuse is learned from their answers. */
const COMPATIBLE: Adaptation = {
  limit_option: 'max_tokens',
  max_limit: Infinity,
  max_tools: Infinity,
  narrow_schemas: false,
  narrow_tools: NO_TOOLS,
  refused_tools: NO_TOOLS,
  dropped: new Set(),
  answer_format: 'json_schema',
  system_role: 'system',
  alternate: false,
  bridge: false,
  call_ids: 'any',
  returns_kept: true,
  demanded: new Set(),
};

const MAX_TOOLS = 128;

/** The differences of vendors, by the end of the host's name. */
const PROFILES: readonly (readonly [readonly string[], Partial<Adaptation>])[] = [
  [
    ['api.openai.com', '.openai.azure.com', '.cognitiveservices.azure.com'],
    { limit_option: 'max_completion_tokens', max_tools: MAX_TOOLS },
  ],
  [['.services.ai.azure.com', 'api.moonshot.ai', 'api.moonshot.cn'], { max_tools: MAX_TOOLS }],
  [['api.groq.com'], { max_tools: MAX_TOOLS, returns_kept: false }],
  [['api.deepseek.com'], { max_tools: MAX_TOOLS, answer_format: 'json_object' }],
  [
    [
      'generativelanguage.googleapis.com',
      'aiplatform.googleapis.com',
      '-aiplatform.googleapis.com',
    ],
    { narrow_schemas: true },
  ],
  [['api.mistral.ai'], { bridge: true, call_ids: 'short' }],
];

/** The adaptation to the endpoint at a base URL before it has answered. */
export function profileOf(baseUrl: string): Adaptation {
  const { hostname } = new URL(baseUrl);
  const isAt = (end: string): boolean => hostname === end || hostname.endsWith(partOf(end));
  const found = PROFILES.find(([ends]) => ends.some(isAt));
  return { ...COMPATIBLE, ...found?.[1] };
}

/** A name also stands for those below it; one that begins with `.` or `-` is an ending. */
function partOf(end: string): string {
  return /^[.-]/.test(end) ? end : `.${end}`;
}
