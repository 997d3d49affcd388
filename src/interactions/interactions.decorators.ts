import {
  HttpCode,
  RequestMethod,
  Sse,
  applyDecorators,
  createParamDecorator,
} from '@nestjs/common';
import type { ExecutionContext } from '@nestjs/common';
import { ApiHeader, ApiOperation, ApiResponse } from '@nestjs/swagger';
import type { Request } from 'express';
import { DECIDING_MODES } from './start/run-checks.js';
import { AlsoNeeds } from '../auth/access.decorator.js';
import { MAX_PENDING_LENGTH } from '../streams/event-streams.js';
import { ApiEventStream } from '../http/openapi/event-stream.js';
import { AppError } from '../kernel/app-error.js';
import type { SentCursor } from './events.service.js';
import type { StartHeaders } from './start/start-request.js';
import { prefersJson, waitLimitOf } from './request-preferences.js';
import { ApiAnswer } from '../http/openapi/answer.js';
import { interaction } from '../protocol/wire/interaction.js';
import { chatBusy } from '../protocol/wire/run.js';
import { quotaExceeded } from '../quotas/quota-exceeded.js';

const LOCATION = { Location: { description: 'Its events.', schema: { type: 'string' } } } as const;

const KEY_SHAPE = /^[\x21-\x7e]{1,255}$/;

/**
 * A `POST` that starts an interaction: 200 and the stream of its events, or 202 and the
 * interaction.
 */
export function StartsInteraction(
  path: string,
  { summary, description }: { summary: string; description: string },
): MethodDecorator {
  return applyDecorators(
    Sse(path, { method: RequestMethod.POST, maxPendingDataLength: MAX_PENDING_LENGTH }),
    HttpCode(200),
    AlsoNeeds('decide', ({ body }) => DECIDING_MODES.includes(body?.approval_mode)),
    ApiOperation({ summary, description }),
    ApiHeader({
      name: 'Idempotency-Key',
      required: false,
      description: 'The same key and body again give the same interaction.',
    }),
    ApiHeader({
      name: 'traceparent',
      required: false,
      description: 'The trace that the interaction is part of: W3C Trace Context.',
    }),
    ApiHeader({
      name: 'Prefer',
      required: false,
      description: '`wait`, or `wait=<seconds>`: as `?wait=true`.',
    }),
    ApiEventStream({ alsoJson: interaction, headers: LOCATION }),
    ApiAnswer(202, interaction, {
      description:
        'It runs in the background. With `?wait=true`: it needs a person, or goes on for longer.',
      headers: LOCATION,
    }),
    ApiResponse({ status: 400, description: 'Invalid body.' }),
    ApiAnswer(409, chatBusy, {
      description:
        'The chat is busy (see `active_interaction_id`), or the edited interaction is still queued.',
    }),
    ApiResponse({
      status: 422,
      description: 'The Idempotency-Key was used with another body.',
    }),
    ApiAnswer(429, quotaExceeded, {
      description:
        'A quota of the tenant is used up (see `quota`), or the queue of the chat is full.',
      headers: { 'Retry-After': { description: 'In seconds.', schema: { type: 'integer' } } },
    }),
    ApiResponse({
      status: 503,
      description: 'The server is shutting down, or has too many streams.',
    }),
  );
}

/** A `GET` that streams events. */
export function StreamsEvents(path: string, schema = 'StreamEvent'): MethodDecorator {
  return applyDecorators(
    Sse(path, { maxPendingDataLength: MAX_PENDING_LENGTH }),
    ApiEventStream({ event: schema }),
    ApiResponse({
      status: 503,
      description: 'The server, or the interaction, has too many streams.',
    }),
  );
}

export const HeadersOfStart = createParamDecorator(
  (_: unknown, context: ExecutionContext): StartHeaders => {
    const request = requestOf(context);
    return {
      idempotency_key: checkIdempotencyKey(request.get('idempotency-key')),
      traceparent: request.get('traceparent'),
    };
  },
);

/** @throws AppError `invalid_header` (400) */
export function checkIdempotencyKey(key: string | undefined): string | undefined {
  if (key === undefined || KEY_SHAPE.test(key)) return key;
  const message = 'must be 1 to 255 printable ASCII characters without spaces';
  throw new AppError('invalid', 'invalid_header', `The Idempotency-Key header ${message}.`, {
    errors: [{ field: 'Idempotency-Key', message }],
  });
}

/** True when the client asks for the interaction as JSON, to run in the background. */
export const WantsJson = createParamDecorator((_: unknown, context: ExecutionContext): boolean =>
  prefersJson(requestOf(context).get('accept')),
);

/** Milliseconds that the client waits for the end; undefined if it does not. */
export const WaitLimit = createParamDecorator(
  (_: unknown, context: ExecutionContext): number | undefined => {
    const request = requestOf(context);
    return waitLimitOf(request.query['wait'], request.get('prefer'));
  },
);

/**
 * The header beats the query: a browser that reconnects sends both. An empty one counts as none.
 */
export const LastCursor = createParamDecorator(
  (_: unknown, context: ExecutionContext): SentCursor | undefined => {
    const request = requestOf(context);
    const header = request.get('last-event-id');
    if (header) return { field: 'Last-Event-ID', text: header };
    const { after } = request.query;
    return typeof after === 'string' && after !== '' ? { field: 'after', text: after } : undefined;
  },
);

function requestOf(context: ExecutionContext): Request {
  return context.switchToHttp().getRequest<Request>();
}
