// What may import what. The files directly in src/ are the composition root and may import everything.

const { MAY_USE } = require('./scripts/layers.cjs');

/** Folders of `models/` from the bottom up: each may use those before it. */
const MODELS = ['schema', 'errors', 'profile', 'answer', 'http', '(openai|anthropic)'];

/** Each outside technology has one home, and so do the packages that are not ours to spread. */
const HOMES = {
  '@anthropic-ai/sdk': 'src/models/anthropic/',
  '@aws-sdk/(client-s3|lib-storage|s3-request-presigner)': 'src/files/s3/',
  '@electric-sql/pglite': 'src/storage/typeorm/',
  '@jsquash/.+': 'src/tools/images/scaling/',
  '@modelcontextprotocol/sdk': 'src/mcp/',
  '@nestjs/config': 'src/config/',
  '@vscode/tree-sitter-wasm': 'src/permissions/shell/',
  '@fastify/busboy': 'src/files/upload/',
  'class-transformer': 'src/(http|.+/dto)/',
  'class-validator': 'src/(http|.+/dto)/|src/auth/tenant-id',
  'content-disposition': 'src/files/',
  diff: 'src/tools/workspace-files/',
  'eventsource-parser': 'src/(mcp|models/answer)/',
  'file-type': 'src/files/upload/',
  '(dingbat-to-unicode|pdfjs-dist|sax)': 'src/files/extraction/',
  'tar-stream': 'src/(chats/session-log|backup)/',
  jose: 'src/auth/jwt/',
  'https-proxy-agent': 'src/net/',
  bullmq: 'src/queue/bullmq/',
  ioredis: 'src/(redis|event-log/live/redis|persistence/conversation-cache|queue/bullmq)/',
  'jsonc-parser': 'src/permissions/file/',
  '@opentelemetry/.+': 'src/tracing/otel/',
  mathjs: 'src/tools/calculator/',
  openai: 'src/(models|audio)/openai/',
  pg: 'src/storage/typeorm/',
  pino: 'src/logging/',
  'pino-pretty': 'src/logging/',
  'prom-client': 'src/metrics/',
  pyodide: 'src/tools/python/',
  re2js: 'src/matching/',
  typeorm: '(src/storage/typeorm|migrations)/',
  uuid: 'src/kernel/',
  ws: 'src/realtime/',
  yaml: 'src/agents/files/',
  zod: 'src/(agents|api-keys|audio|audit|auth/tickets|config|facades|files/tools|health|http/openapi|mcp|model-check|problems|protocol|quotas|timeline|tools|tasks|permissions/rules|chats/session-log)/|src/chats/check-messages',
};

/** Beside controllers: files that read a request, or write a response. */
const REQUEST_READERS = [
  '^src/(logging/request-log|realtime/realtime-sockets)\\.ts$',
  '^src/(audio/http-audio|chats/session-log/read-log-body|files/(upload/read-upload|download/send-file))\\.ts$',
];
/**
 * The edge of HTTP: it knows requests, responses and DTOs. Use cases and what is below them don't:
 * they take a principal and plain values.
 */
const EDGE = [
  '/dto/|\\.(controller|decorators?|dto|filter|guard|middleware|module|pipe)\\.ts$',
  '^src/(http|auth|streams|facades)/',
  '^src/app/(configure-app|console|mounted-server|parley-operations|parley-server)\\.ts$',
  ...REQUEST_READERS,
];

/** May import what it likes; knip and the linter look after it. */
const SPEC = '\\.spec\\.ts$';

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    ...Object.entries(MAY_USE).map(([folder, below]) => ({
      name: `layer-${folder}`,
      comment: `${folder}/ may use: ${below.join(', ') || 'nothing'}. Arrows point down.`,
      severity: 'error',
      from: { path: `^src/${folder}/` },
      to: { path: '^src/', pathNot: `^src/(${[folder, ...below].join('|')})/` },
    })),
    {
      name: 'layer-unknown',
      comment: 'A new folder needs a place in MAY_USE.',
      severity: 'error',
      from: { path: '^src/[^/]+/', pathNot: `^src/(${Object.keys(MAY_USE).join('|')})/` },
      to: {},
    },
    ...Object.entries(HOMES).map(([name, home]) => ({
      name: `home-${name.replaceAll(/\W+/g, '-')}`,
      comment: `${name} is used in ${home} only.`,
      severity: 'error',
      from: { path: '^(src|migrations)/', pathNot: `^${home}` },
      to: { path: [`^node_modules/${name}/`, `^node_modules/@types/${name}/`] },
    })),
    {
      name: 'any-tenant',
      comment:
        'What answers clients passes the viewer (src/access/): only runs, stores and what works without a caller see all tenants.',
      severity: 'error',
      from: {
        path: '^src/',
        pathNot: [
          '^src/(runs|event-log|storage|persistence)/',
          '^src/(access/operator|cancellation/(cancellation.service|disconnect-watch|wait-for-end)|approvals/request-expiry|tasks/todo.tool|feed/change-details|files/tools/chat-files|webhooks/webhook-bodies)\\.ts$',
        ],
      },
      to: { path: '^src/persistence/any-tenant\\.ts$' },
    },
    {
      name: 'use-case-without-http',
      comment:
        'A use case takes a principal and plain values; controllers and façades read the request and write the response.',
      severity: 'error',
      from: { path: '^src/', pathNot: [...EDGE, '^src/(net|tracing/otel)/'] },
      to: {
        path: '^(node:)?https?$|^node_modules/(@types/)?express(-serve-static-core)?/|^src/http/',
      },
    },
    {
      name: 'use-case-without-dto',
      comment:
        'What a use case takes and returns is an interface beside it, which a DTO implements.',
      severity: 'error',
      from: { path: '^src/[^/]+/', pathNot: EDGE },
      to: { path: ['/dto/|\\.(controller|dto)\\.ts$', ...REQUEST_READERS] },
    },
    ...MODELS.map((folder, at) => ({
      name: `models-${folder.replaceAll(/\W+/g, '')}`,
      comment:
        'The folders of models/ use each other one way: MODELS lists them from the bottom up.',
      severity: 'error',
      from: { path: `^src/models/${folder}/` },
      to: { path: `^src/models/(${[...MODELS.slice(at + 1), 'demo'].join('|')})/` },
    })),
    {
      name: 'no-sibling-storage',
      comment:
        'A store knows nothing of the others, but files are the memory store with logs on the disk.',
      severity: 'error',
      from: { path: '^src/storage/([^/]+)/' },
      to: { path: '^src/storage/[^/]+/', pathNot: '^src/storage/($1|memory)/' },
    },
    {
      name: 'no-cycle',
      comment: 'No import cycle, types included.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'no-folder-cycle',
      severity: 'error',
      scope: 'folder',
      from: { path: '^src/[^/]+$' },
      to: { path: '^src/[^/]+$', circular: true },
    },
    {
      name: 'no-barrel',
      comment: 'Import the file that has it.',
      severity: 'error',
      from: {},
      to: { path: '^(src|terminal|migrations)/(|.*/)index\\.ts$' },
    },
    {
      name: 'client-alone',
      comment: 'The client runs everywhere: it uses itself only, no package and nothing of Node.',
      severity: 'error',
      from: { path: '^client/' },
      to: { pathNot: '^client/' },
    },
    {
      name: 'no-client-in-server',
      severity: 'error',
      from: { path: '^(src|migrations)/' },
      to: { path: '^(client|terminal)/' },
    },
    {
      name: 'terminal-on-client',
      comment:
        'The terminal uses itself, the client and few small packages: its first prompt is quick.',
      severity: 'error',
      from: { path: '^terminal/' },
      to: {
        pathNot: ['^(terminal|client)/', '^node_modules/(marked|highlight\\.js|diff|uqr)/'],
        dependencyTypesNot: ['core'],
      },
    },
    {
      name: 'terminal-loads-late',
      comment: 'Import it where it is needed, by import(): no prompt waits for it.',
      severity: 'error',
      from: { path: '^terminal/' },
      to: {
        path: '^node_modules/(highlight\\.js|uqr)/',
        dynamic: false,
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'console-by-client',
      comment:
        'The console uses itself and `parley/client`: nothing of the server, nothing of Node.',
      severity: 'error',
      from: { path: '^web/src/' },
      to: { path: '^(src|client|migrations|test|scripts)/' },
    },
    {
      name: 'no-orphan',
      comment:
        'Nothing imports it, and it imports nothing. What is evaluated as text is no module.',
      severity: 'error',
      from: {
        path: '^(src|terminal|migrations)/',
        orphan: true,
        pathNot: '\\.d\\.ts$|/sandbox/inside/',
      },
      to: {},
    },
    {
      name: 'no-dev-dependency',
      severity: 'error',
      from: { path: '^(src|terminal|migrations)/' },
      to: { dependencyTypes: ['npm-dev'], pathNot: '^node_modules/@types/' },
    },
    {
      name: 'no-undeclared-dependency',
      severity: 'error',
      from: { pathNot: '^web/' },
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown', 'unknown', 'undetermined'] },
    },
    {
      name: 'no-unresolvable',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true, pathNot: '^parley/client$' },
    },
    {
      name: 'no-test-in-src',
      severity: 'error',
      from: { path: '^(src|terminal|migrations)/' },
      to: { path: '^(test|bench|scripts)/' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: SPEC },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'types', 'default'],
    },
  },
};
