/** Where the interaction is that a row is about. */
export const STATES = ['waiting', 'ended', 'running'] as const;
export type State = (typeof STATES)[number];

/** One request of an operation. */
export interface Row {
  /** Parameters that name something, with its name in a world, and how strangers are answered. */
  readonly ids?: Readonly<Record<string, readonly [name: string, hidden: number | number[]]>>;
  /** Parameters that name something of the sender's own, always. */
  readonly own?: Readonly<Record<string, string>>;
  /** Parameters that name nothing. */
  readonly send?: Readonly<Record<string, unknown>>;
  /** Parameters that name nothing and are not sent. */
  readonly unsent?: string;
  /** Operators see what it names, in their tenant. */
  readonly forOperators?: boolean;
  /** A parameter that is a list of names. */
  readonly list?: string;
  /** A body that is no JSON; `{name}` is a name. */
  readonly text?: string;
  /** The body is a form. */
  readonly form?: true;
  /** Each answer is another. */
  readonly varies?: true;
  /** Of the interaction that its owner names; waiting unless given. */
  readonly on?: State;
  /** The answer to strangers where nothing is named, unless 200. */
  readonly always?: number;
  /** The answer to those who may, unless 2xx. */
  readonly done?: number;
  /** It creates the chat that it names: the answer to a user who does not see that chat. */
  readonly taken?: number;
}

const CHAT = { chat_id: ['chat', 404] } as const;
const OF = { ...CHAT, interaction_id: ['interaction', 404] } as const;
const SOUGHT = { chat_id: ['chat', 200] } as const;
const START =
  'agent model max_iterations max_output_tokens temperature top_p on_disconnect approval_mode thinking client_tools budget metadata trace named wait Prefer traceparent';
const RULE = { decision: 'allow', matcher: { type: 'tool', pattern: 'x' } };
const NEW_RULE = 'priority description expires_at max_uses';
const FILE = { id: ['file', 404] } as const;
const SESSION = { scope_id: ['chat', 404] } as const;
const LOG = [
  '{"type":"session_log","version":1}',
  '{"type":"chat","id":"{chat}","title":"Mine","agent":null,"head_interaction_id":"{interaction}","created_at":"2026-01-15T10:00:00.000Z","updated_at":"2026-01-15T10:00:00.000Z","metadata":{}}',
  '{"type":"end"}\n',
].join('\n');

/**
 * What each operation can name, with the scope that it needs. Owners and admins send the rows in
 * this order, each in chats of their own.
 */
export const TABLE: Readonly<Record<string, readonly Row[]>> = {
  'public: get /health/live': [{}],
  'public: get /health/ready': [{}],
  'public: get /problems/{code}': [{ send: { code: 'chat_busy' } }],
  'chat: get /tools': [{}],
  'operate: get /metrics': [{}],
  'chat: get /agent-types': [{}],
  'chat: get /models': [{}],
  'chat: post /stream-tickets': [{ ids: { path: ['events', 201] } }],

  'chat: get /chats': [{}, { ids: { cursor: ['chats_cursor', 200] }, unsent: 'limit order q' }],
  'chat: get /chats/{chat_id}': [
    { ids: CHAT },
    { ids: { ...CHAT, before: ['interaction', 400] }, send: { include: 'superseded' } },
    { ids: CHAT, send: { state: 'all', limit: 5 } },
  ],
  'chat: get /chats/{chat_id}/queue': [{ ids: CHAT }],
  'chat: get /chats/{chat_id}/log': [{ ids: CHAT, unsent: 'files' }],
  'chat: get /chats/{chat_id}/interactions/{interaction_id}': [{ ids: OF }],
  'chat: get /chats/{chat_id}/interactions/{interaction_id}/events': [
    { ids: OF, on: 'ended', send: { trace: '1', named: '0' } },
    { ids: { ...OF, 'Last-Event-ID': ['event_cursor', 200] }, on: 'ended' },
    { ids: { ...OF, after: ['event_cursor', 200] }, on: 'ended' },
  ],
  'chat: get /chats/{chat_id}/interactions/{interaction_id}/speech': [
    // There is no endpoint for audio.
    { ids: OF, send: { voice: 'x', format: 'pcm' }, varies: true, done: 503 },
  ],
  'chat: get /chats/{chat_id}/interactions/{interaction_id}/records/{seq}/images/{index}': [
    {
      ...{ ids: OF, own: { seq: 'image_seq' }, send: { index: 0 }, on: 'ended' },
      ...{ unsent: 'Range If-None-Match', varies: true }, // only one of the interactions has it
    },
  ],
  'operate: get /interactions': [
    {
      ids: { ...SOUGHT, cursor: ['runs_cursor', 200] },
      ...{ send: { status: 'RUNNING', limit: 5 }, forOperators: true },
    },
    { ids: { tenant_id: ['tenant', 403] }, send: { limit: 5 } },
  ],
  'chat: get /events': [{ send: { named: '0', after: '0' } }],
  'chat: get /chats/{chat_id}/events': [
    { ids: CHAT, on: 'ended', send: { trace: '1', named: '0' } },
    { ids: { ...CHAT, 'Last-Event-ID': ['chat_cursor', 400] }, on: 'ended' },
    { ids: { ...CHAT, after: ['chat_cursor', 400] }, on: 'ended' },
  ],
  'chat: get /chats/{chat_id}/interactions/{interaction_id}/timeline': [{ ids: OF }],
  'chat: get /agents/tree': [
    { send: { limit: 200 } },
    { ids: { cursor: ['runs_cursor', 200] } },
    { ids: CHAT },
    { ids: { interaction_id: ['interaction', 404] } },
    { ids: OF },
  ],
  'chat: get /agents/{agent_id}': [{ ids: { agent_id: ['agent', 404] } }],
  'chat: get /requests': [
    { send: { status: 'all', limit: 200 } },
    { ids: { ...SOUGHT, interaction_id: ['interaction', 200] } },
    { ids: { interaction_id: ['interaction', 200] } },
    { ids: { cursor: ['requests_cursor', 200] } },
  ],
  'chat: get /tasks': [
    { ids: CHAT, send: { status: 'pending' } },
    { ids: { ...CHAT, cursor: ['tasks_cursor', 200] } },
  ],
  'chat: get /files': [
    {},
    { ids: CHAT, send: { limit: 5 } },
    { ids: { cursor: ['files_cursor', 200] } },
  ],
  'chat: get /files/{id}': [{ ids: FILE }],
  'chat: get /files/{id}/content': [{ ids: FILE, unsent: 'Range If-None-Match' }],
  'chat: get /files/{id}/url': [{ ids: FILE, varies: true }],
  'chat: get /permissions/rules': [
    {},
    { ids: { scope_id: ['chat', 200] }, send: { scope: 'session' } },
    { ids: { scope_id: ['user', 200] }, send: { scope: 'user', limit: 5 } },
    { ids: { cursor: ['rules_cursor', 200] } },
  ],
  'chat: post /permissions/check': [
    { ids: SOUGHT, send: { tool_name: 'deed', tool_input: { what: 'x' }, agent: 'react' } },
  ],
  'operate: get /usage': [
    { send: { by: 'user', since: '2026-01-01', until: '2026-01-31', limit: 5 } },
    { ids: { tenant_id: ['tenant', 403] } },
  ],
  'operate: get /quotas': [{}],
  'admin: get /audit': [{}, { ids: { cursor: ['keys_cursor', 200] }, unsent: 'limit' }],
  'admin: get /keys': [
    { send: { limit: 200 } },
    { ids: { tenant_id: ['tenant', 403] } },
    { ids: { cursor: ['keys_cursor', 200] } },
  ],

  'chat: post /tasks': [
    { ids: CHAT, send: { title: 'Mine', description: 'x', status: 'pending' } },
  ],
  'chat: patch /tasks/{id}': [
    { ids: { id: ['task', 404] }, send: { title: 'Mine' }, unsent: 'description status version' },
  ],
  'chat: delete /tasks/{id}': [{ ids: { id: ['task', 404] }, unsent: 'version' }],
  'chat: post /audio/transcriptions': [
    { form: true, send: { file: 'x' }, unsent: 'language', always: 415, done: 415 },
  ],
  'chat: post /audio/speech': [
    // There is no endpoint for audio.
    { send: { text: 'x', voice: 'x', format: 'pcm' }, always: 503, done: 503 },
  ],
  'chat: post /files': [{ form: true, ids: CHAT, send: { file: 'x' } }],
  'decide: post /permissions/rules': [
    { ids: SESSION, send: { scope: 'session', ...RULE }, unsent: NEW_RULE },
    { ids: { scope_id: ['user', [403, 201]] }, send: { scope: 'user', ...RULE } },
  ],
  'decide: delete /permissions/rules/{id}': [
    { ids: { id: ['rule', 404] } },
    { ids: { id: ['user_rule', 404] } },
  ],
  'decide: delete /permissions/rules': [
    { ids: { scope_id: ['chat', 200] }, send: { scope: 'session' } },
    { ids: { scope_id: ['user', [403, 200]] }, send: { scope: 'user' } },
  ],
  'admin: post /keys': [
    {
      ids: { tenant_id: ['tenant', 403] },
      send: { user_id: 'ann', scopes: ['chat'] },
      unsent: 'expires_at',
    },
  ],
  'admin: delete /keys/{id}': [{ ids: { id: ['key', 404] } }],

  'decide: post /agents/{agent_id}/intervene': [
    {
      ids: { agent_id: ['agent', 404] },
      on: 'running',
      send: { user_comment: 'modify', user_content: 'x' },
    },
  ],
  'decide: post /chats/{chat_id}/interactions/{interaction_id}/approve': [
    {
      ids: { ...OF, approval_id: ['approval', 404] },
      send: { approved: true, reason: 'x' },
      unsent: 'modified_input remember',
    },
  ],
  'decide: post /chats/{chat_id}/interactions/{interaction_id}/respond': [
    { ids: { ...OF, request_id: ['question', 404] }, send: { answer: 'x' } },
  ],
  'decide: post /chats/{chat_id}/interactions/{interaction_id}/rule-preview': [
    {
      ids: { ...OF, approval_id: ['approval', 404] },
      send: { approved: true, remember: 'session' },
      unsent: 'modified_input calls',
    },
  ],
  'decide: post /chats/{chat_id}/interactions/{interaction_id}/tool-results': [
    {
      ids: { ...OF, tool_call_id: ['tool_call', 404] },
      send: { tool_output: 'x' },
      unsent: 'is_error',
    },
  ],
  'operate: post /interactions/cancel': [
    {
      ids: { interaction_ids: ['interaction', 200] },
      ...{ list: 'interaction_ids', unsent: 'all', on: 'ended', forOperators: true },
    },
    {
      ids: { tenant_id: ['tenant', 403] },
      ...{ send: { interaction_ids: ['int_none'] }, on: 'ended' },
    },
  ],
  'chat or operate: post /chats/{chat_id}/interactions/{interaction_id}/cancel': [
    { ids: OF, send: { wait: 'true' } },
  ],
  'chat: post /chats/{chat_id}/interactions/{interaction_id}/retry': [
    { ids: OF, on: 'ended', done: 409 },
  ],
  'chat: patch /chats/{chat_id}/interactions/{interaction_id}': [
    { ids: OF, send: { user_message: 'x' }, done: 409 },
    {
      own: { chat_id: 'chat', interaction_id: 'interaction' },
      ...{ ids: { before: ['interaction', 409] }, done: 409 },
    },
  ],
  'chat: patch /chats/{chat_id}': [
    { ids: CHAT, send: { title: 'Mine', metadata: {} }, unsent: 'visibility settings' },
    { ids: { ...CHAT, head_interaction_id: ['interaction', 404] }, on: 'ended' },
  ],
  'chat: post /chats/{chat_id}/interactions/{interaction_id}/edit': [
    {
      ids: { ...OF, 'Idempotency-Key': ['idempotency_key', 409] },
      on: 'ended',
      send: { new_user_message: 'Hi' },
      unsent: `on_conflict ${START}`,
    },
    {
      own: { chat_id: 'chat', interaction_id: 'interaction' },
      ids: { file_ids: ['file', 400] },
      ...{ list: 'file_ids', on: 'ended' },
      send: { new_user_message: 'Hi', on_conflict: 'interrupt' },
    },
  ],
  'chat: delete /files/{id}': [{ ids: FILE }],
  'chat: delete /chats/{chat_id}': [{ ids: CHAT }],

  'chat: post /chats/{chat_id}/interactions': [
    {
      ids: { chat_id: ['chat', 202] },
      send: { user_message: 'Hi' },
      unsent: `on_conflict ${START}`,
      taken: 404,
    },
    {
      own: { chat_id: 'chat' },
      ids: { file_ids: ['file', 400] },
      ...{ list: 'file_ids', send: { user_message: 'Hi' }, done: 400 }, // it was deleted above
    },
    {
      own: { chat_id: 'chat' },
      ids: { 'Idempotency-Key': ['idempotency_key', 409] },
      send: { user_message: 'Hi' },
    },
  ],
  'chat: post /chats': [
    {
      ids: { id: ['chat', 201] },
      send: { title: 'Mine', metadata: {} },
      unsent: 'agent visibility settings messages',
      taken: 409,
    },
  ],
  'admin: post /chats/import': [{ ids: { chat_id: ['chat', 201] }, text: LOG, taken: 409 }],
};
