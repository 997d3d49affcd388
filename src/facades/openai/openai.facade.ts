import type { Facade } from '../facade.js';
import { OpenAiModule } from './openai.module.js';
import type { Problem } from '../../protocol/wire/problem.js';

const MIB = 1024 * 1024;

/** OpenAI's API: Chat Completions, Responses and audio. */
export const OPENAI: Facade = {
  name: 'openai',
  paths: ['/v1/'],
  rules: {
    bodyLimit: 4 * MIB, // clients send whole histories
    bodyValues: 200_000,
    errorType: 'application/json',
    formatError: (problem) => JSON.stringify({ error: errorOf(problem) }),
    paths: [
      ...['/v1/models', '/v1/chat/completions', '/v1/responses', '/v1/responses/{id}'],
      ...['/v1/audio/transcriptions', '/v1/audio/speech'],
    ],
  },
  module: OpenAiModule,
};

/** The error format of OpenAI's clients; `code` is that of the problem. */
function errorOf({ type, status, detail, errors, active_interaction_id }: Problem): object {
  return {
    message: detail,
    type: TYPES[status] ?? (status >= 500 ? 'server_error' : 'invalid_request_error'),
    param: errors?.[0]?.field ?? null,
    code: type.replace('/problems/', ''),
    ...(active_interaction_id !== undefined && { active_interaction_id }),
  };
}

const TYPES: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  429: 'rate_limit_error',
};
