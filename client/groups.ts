import type { CallOptions, Request, SendRaw } from './request.js';
import type { Body, Query } from './types.js';

/** A start in the background: made again with the same key, it is the same interaction. */
export interface StartOptions extends CallOptions {
  readonly idempotency_key?: string | undefined;
}

/** A method for every operation that answers at once; streams are `start`, `edit` and `follow`. */
export function groupsOf(request: Request, sendRaw: SendRaw) {
  return {
    chats: chats(request, sendRaw),
    interactions: interactions(request, sendRaw),
    requests: requests(request),
    agents: agents(request),
    models: { list: (options?: CallOptions) => request('GET', '/models', options) },
    tools: { list: (options?: CallOptions) => request('GET', '/tools', options) },
    tasks: tasks(request),
    files: files(request, sendRaw),
    audio: {
      /** The audio, as it is made. */
      speak: (body: Body<'audio_speak'>, options?: CallOptions) =>
        sendRaw('POST', '/audio/speech', { body, ...options }),
      /** An answer as audio, while it is written; 204 if there is nothing to speak. */
      hear: (
        chat_id: string,
        interaction_id: string,
        query?: Query<'speech_speak'>,
        options?: CallOptions,
      ) =>
        sendRaw('GET', '/chats/{chat_id}/interactions/{interaction_id}/speech', {
          ...{ path: { chat_id, interaction_id }, query, ...options },
        }),
    },
    permissions: permissions(request),
    keys: keys(request),
    audit: {
      list: (query?: Query<'audit_list'>, options?: CallOptions) =>
        request('GET', '/audit', { query, ...options }),
    },
    /** Tokens and cost by day, model or user. */
    usage: (query?: Query<'usage_sums'>, options?: CallOptions) =>
      request('GET', '/usage', { query, ...options }),
    /** The quotas of the tenant, and what it has used of them. */
    quotas: (options?: CallOptions) => request('GET', '/quotas', options),
    health: {
      live: (options?: CallOptions) => request('GET', '/health/live', options),
      /** Also refuses, with 503, while the server is not ready. */
      ready: (options?: CallOptions) => request('GET', '/health/ready', options),
    },
    /** In the text format of Prometheus. */
    metrics: (options?: CallOptions) =>
      request('GET', '/metrics', { headers: { accept: 'text/plain' }, ...options }),
    /** The meaning of an error's code. */
    problem: (code: string, options?: CallOptions) =>
      request('GET', '/problems/{code}', { path: { code }, ...options }),
    /** For an `EventSource` or a link, which send no credential. */
    ticket: (path: string, options?: CallOptions) =>
      request('POST', '/stream-tickets', { body: { path }, ...options }),
  };
}

function chats(request: Request, sendRaw: SendRaw) {
  return {
    create: (body: Body<'chats_create'> = {}, options?: CallOptions) =>
      request('POST', '/chats', { body, ...options }),
    list: (query?: Query<'chats_list'>, options?: CallOptions) =>
      request('GET', '/chats', { query, ...options }),
    get: (chat_id: string, query?: Query<'chats_get'>, options?: CallOptions) =>
      request('GET', '/chats/{chat_id}', { path: { chat_id }, query, ...options }),
    update: (chat_id: string, body: Body<'chats_update'>, options?: CallOptions) =>
      request('PATCH', '/chats/{chat_id}', { path: { chat_id }, body, ...options }),
    delete: (chat_id: string, options?: CallOptions) =>
      request('DELETE', '/chats/{chat_id}', { path: { chat_id }, ...options }),
    /** The session log: NDJSON, or with `files: 'include'` a tar archive. */
    log: (chat_id: string, query?: Query<'sessionLog_export'>, options?: CallOptions) =>
      sendRaw('GET', '/chats/{chat_id}/log', { path: { chat_id }, query, ...options }),
    /** Imports a session log; an archive is a `Blob` of the type `application/x-tar`. */
    import: (log: string | Blob, query?: Query<'sessionLog_import'>, options?: CallOptions) => {
      const type = typeof log === 'string' || log.type === '' ? 'application/x-ndjson' : log.type;
      const headers = { 'content-type': type };
      return request('POST', '/chats/import', { body: log as never, query, headers, ...options });
    },
  };
}

function interactions(request: Request, sendRaw: SendRaw) {
  const one = '/chats/{chat_id}/interactions/{interaction_id}';
  return {
    /** Starts one in the background; with `wait: 'true'` it has ended, or waits for a person. */
    start: (
      chat_id: string,
      body: Body<'interactions_start'>,
      {
        query,
        idempotency_key,
        ...options
      }: StartOptions & { query?: Query<'interactions_start'> } = {},
    ) => {
      const headers = { 'idempotency-key': idempotency_key };
      const path = { chat_id };
      return request('POST', '/chats/{chat_id}/interactions', {
        path,
        body,
        query,
        headers,
        ...options,
      });
    },
    /** The same, with a message in place of an earlier one. */
    edit: (
      chat_id: string,
      interaction_id: string,
      body: Body<'interactions_edit'>,
      {
        query,
        idempotency_key,
        ...options
      }: StartOptions & { query?: Query<'interactions_edit'> } = {},
    ) => {
      const headers = { 'idempotency-key': idempotency_key };
      const path = { chat_id, interaction_id };
      return request('POST', `${one}/edit`, { path, body, query, headers, ...options });
    },
    get: (chat_id: string, interaction_id: string, options?: CallOptions) =>
      request('GET', one, { path: { chat_id, interaction_id }, ...options }),
    /** An image that a tool has shown: the body of the answer. `seq`: of its `TOOL_RESULT`. */
    image: (
      chat_id: string,
      interaction_id: string,
      { seq, index }: { readonly seq: number; readonly index: number },
      options?: CallOptions,
    ) =>
      sendRaw('GET', `${one}/records/{seq}/images/{index}`, {
        path: { chat_id, interaction_id, seq: `${seq}`, index: `${index}` },
        ...options,
      }),
    /** Its log as spans of time. */
    timeline: (chat_id: string, interaction_id: string, options?: CallOptions) =>
      request('GET', `${one}/timeline`, { path: { chat_id, interaction_id }, ...options }),
    cancel: (
      chat_id: string,
      interaction_id: string,
      query?: Query<'cancellation_cancel'>,
      options?: CallOptions,
    ) => request('POST', `${one}/cancel`, { path: { chat_id, interaction_id }, query, ...options }),
    /** The queued ones of a chat, in the order in which they run. */
    queue: (chat_id: string, options?: CallOptions) =>
      request('GET', '/chats/{chat_id}/queue', { path: { chat_id }, ...options }),
    /** Changes the message or the place of a queued one. */
    change: (
      chat_id: string,
      interaction_id: string,
      body: Body<'queued_change'>,
      options?: CallOptions,
    ) => request('PATCH', one, { path: { chat_id, interaction_id }, body, ...options }),
    /** Takes up one that the server gave up. */
    retry: (chat_id: string, interaction_id: string, options?: CallOptions) =>
      request('POST', `${one}/retry`, { path: { chat_id, interaction_id }, ...options }),
    /** Active and queued ones, in chats of all users; for operators. */
    list: (query?: Query<'runs_list'>, options?: CallOptions) =>
      request('GET', '/interactions', { query, ...options }),
    cancelMany: (body: Body<'runs_cancel'>, options?: CallOptions) =>
      request('POST', '/interactions/cancel', { body, ...options }),
  };
}

function requests(request: Request) {
  const one = '/chats/{chat_id}/interactions/{interaction_id}';
  return {
    /** The inbox: what waits for a person or a client, over all chats. */
    list: (query?: Query<'inbox_list'>, options?: CallOptions) =>
      request('GET', '/requests', { query, ...options }),
    /** Approves or rejects a call. */
    approve: (
      chat_id: string,
      interaction_id: string,
      body: Body<'decisions_approve'>,
      options?: CallOptions,
    ) => request('POST', `${one}/approve`, { path: { chat_id, interaction_id }, body, ...options }),
    /** The rule that a verdict with `remember` would add; decides nothing. */
    previewRule: (
      chat_id: string,
      interaction_id: string,
      body: Body<'decisions_previewRule'>,
      options?: CallOptions,
    ) =>
      request('POST', `${one}/rule-preview`, {
        path: { chat_id, interaction_id },
        body,
        ...options,
      }),
    /** Answers a question; the answer null declines. */
    respond: (
      chat_id: string,
      interaction_id: string,
      body: Body<'decisions_respond'>,
      options?: CallOptions,
    ) => request('POST', `${one}/respond`, { path: { chat_id, interaction_id }, body, ...options }),
    /** Gives the result of a call that the client has run. */
    toolResult: (
      chat_id: string,
      interaction_id: string,
      body: Body<'decisions_toolResult'>,
      options?: CallOptions,
    ) =>
      request('POST', `${one}/tool-results`, {
        path: { chat_id, interaction_id },
        body,
        ...options,
      }),
  };
}

function agents(request: Request) {
  return {
    types: (options?: CallOptions) => request('GET', '/agent-types', options),
    /** Agents of an interaction, a chat, or without a query of all that runs. */
    tree: (query?: Query<'agents_tree'>, options?: CallOptions) =>
      request('GET', '/agents/tree', { query, ...options }),
    /** With its messages. */
    get: (agent_id: string, options?: CallOptions) =>
      request('GET', '/agents/{agent_id}', { path: { agent_id }, ...options }),
    intervene: (agent_id: string, body: Body<'interventions_intervene'>, options?: CallOptions) =>
      request('POST', '/agents/{agent_id}/intervene', { path: { agent_id }, body, ...options }),
  };
}

function tasks(request: Request) {
  return {
    list: (query: Query<'tasks_list'>, options?: CallOptions) =>
      request('GET', '/tasks', { query, ...options }),
    create: (body: Body<'tasks_add'>, options?: CallOptions) =>
      request('POST', '/tasks', { body, ...options }),
    update: (id: string, body: Body<'tasks_change'>, options?: CallOptions) =>
      request('PATCH', '/tasks/{id}', { path: { id }, body, ...options }),
    delete: (id: string, query?: Query<'tasks_remove'>, options?: CallOptions) =>
      request('DELETE', '/tasks/{id}', { path: { id }, query, ...options }),
  };
}

function files(request: Request, sendRaw: SendRaw) {
  return {
    list: (query?: Query<'files_list'>, options?: CallOptions) =>
      request('GET', '/files', { query, ...options }),
    get: (id: string, options?: CallOptions) =>
      request('GET', '/files/{id}', { path: { id }, ...options }),
    /** The bytes: the body of the answer. */
    content: (
      id: string,
      { range, ...options }: CallOptions & { /** `bytes=0-99` */ readonly range?: string } = {},
    ) => sendRaw('GET', '/files/{id}/content', { path: { id }, headers: { range }, ...options }),
    /** An address for links and images, which send no credential. */
    url: (id: string, options?: CallOptions) =>
      request('GET', '/files/{id}/url', { path: { id }, ...options }),
    delete: (id: string, options?: CallOptions) =>
      request('DELETE', '/files/{id}', { path: { id }, ...options }),
  };
}

function permissions(request: Request) {
  return {
    list: (query?: Query<'permissions_list'>, options?: CallOptions) =>
      request('GET', '/permissions/rules', { query, ...options }),
    add: (body: Body<'permissions_add'>, options?: CallOptions) =>
      request('POST', '/permissions/rules', { body, ...options }),
    remove: (id: string, options?: CallOptions) =>
      request('DELETE', '/permissions/rules/{id}', { path: { id }, ...options }),
    /** All of a scope. */
    removeAll: (query: Query<'permissions_removeAll'>, options?: CallOptions) =>
      request('DELETE', '/permissions/rules', { query, ...options }),
    /** A dry run: the decision of the rules about a call, and the reason. */
    check: (body: Body<'permissions_check'>, options?: CallOptions) =>
      request('POST', '/permissions/check', { body, ...options }),
  };
}

function keys(request: Request) {
  return {
    /** Its secret is in the answer, and never shown again. */
    create: (body: Body<'keys_create'>, options?: CallOptions) =>
      request('POST', '/keys', { body, ...options }),
    list: (query?: Query<'keys_list'>, options?: CallOptions) =>
      request('GET', '/keys', { query, ...options }),
    delete: (id: string, options?: CallOptions) =>
      request('DELETE', '/keys/{id}', { path: { id }, ...options }),
  };
}
