import { Injectable } from '@nestjs/common';
import type { Request, RequestHandler } from 'express';
import { Config } from '../config/config.js';
import { Clock } from '../kernel/clock.js';
import { invalidCredential, unauthenticated } from './auth-errors.js';
import type { Authenticated } from './caller.decorator.js';
import type { Credential } from './credential.js';
import { readCredential, takeTickets } from './credential.js';
import { JwtVerifier } from './jwt/jwt-verifier.js';
import { ApiKeys } from './keys/api-keys.js';
import { LOCAL_PRINCIPAL } from './principal.js';
import type { Principal } from './principal.js';
import { StreamTickets } from './tickets/stream-tickets.js';

/** The description of the API, and the process that answers. */
const PUBLIC = /^\/(docs|docs-json|problems|health\/live)(\/|$)/i;
/** Clients of other protocols read these before they have a credential. */
const INTRODUCTION =
  /^\/(?:(?:a2a\/[^/]+\/)?\.well-known\/agent-card\.json|langgraph\/(?:ok|info))\/?$/i;
/** Answers everybody, and more to those with a credential. */
const READINESS = /^\/health\/ready\/?$/i;
/** Shows how the server is, also while the store is away. */
const WATCHED = /^\/(?:health\/ready|metrics)\/?$/i;

/** Gives each request its principal, or refuses it. */
@Injectable()
export class Authentication {
  constructor(
    private readonly config: Config,
    private readonly keys: ApiKeys,
    private readonly tokens: JwtVerifier,
    private readonly tickets: StreamTickets,
    private readonly clock: Clock,
  ) {}

  /** Express middleware; it reads no body. */
  readonly middleware: RequestHandler = (request, _response, next) => {
    this.identify(request).then(
      (principal) => {
        (request as Authenticated).principal = principal;
        next();
      },
      (error: unknown) => next(error),
    );
  };

  /**
   * True while the credential of a principal is neither deleted nor expired.
   * @throws AppError `store_unavailable` (503)
   */
  async isValid({ key_id, expires_at }: Principal): Promise<boolean> {
    if (expires_at !== undefined && expires_at <= this.clock.now().getTime()) return false;
    return key_id === undefined || this.keys.isValid(key_id);
  }

  /**
   * For what took long: the credential may have been deleted, or have expired, meanwhile.
   * @throws AppError `invalid_credential` (401), `store_unavailable` (503)
   */
  async requireValid(principal: Principal): Promise<void> {
    if (await this.isValid(principal)) return;
    throw invalidCredential('It was deleted, or has expired, during the request.');
  }

  /** Undefined for a request to a public route. */
  private async identify(request: Request): Promise<Principal | undefined> {
    const tickets = takeTickets(request);
    if (isRead(request) && isPublic(request.path)) return undefined;
    if (this.isOpen && tickets.length === 0) return LOCAL_PRINCIPAL;
    try {
      const credential = readCredential(request, tickets);
      if (!credential) throw unauthenticated();
      return await this.authenticate(credential, request);
    } catch (error) {
      if (isRead(request) && READINESS.test(request.path)) return undefined;
      throw error;
    }
  }

  private async authenticate({ kind, text }: Credential, request: Request): Promise<Principal> {
    if (kind === 'ticket') return this.redeem(text, request);
    const { auth } = this.config;
    if (auth.includes('keys') && (kind === 'key' || isKey(text) || this.keys.isAdminKey(text)))
      return isRead(request) && WATCHED.test(request.path)
        ? this.keys.authenticateWatcher(text)
        : this.keys.authenticate(text);
    if (auth.includes('jwt') && kind === 'header') return this.tokens.authenticate(text);
    throw invalidCredential(`This server accepts: ${auth.join(', ')}.`);
  }

  private async redeem(ticket: string, request: Request): Promise<Principal> {
    const principal = await this.tickets.redeem(ticket, request);
    if (await this.isValid(principal)) return principal;
    throw invalidCredential('The credential of the ticket is deleted or expired.');
  }

  private get isOpen(): boolean {
    return this.config.auth.includes('none');
  }
}

function isRead({ method }: Request): boolean {
  return method === 'GET' || method === 'HEAD';
}

function isKey(text: string): boolean {
  return text.startsWith('parley_');
}

function isPublic(path: string): boolean {
  return PUBLIC.test(path) || INTRODUCTION.test(path);
}
