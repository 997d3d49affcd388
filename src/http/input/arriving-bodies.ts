import type { ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import type { NextFunction, Request, Response } from 'express';
import { AppError } from '../../kernel/app-error.js';
import { Counts } from '../../kernel/counts.js';
import { exceedsShare, surplusOf } from '../../kernel/fair-share.js';

const MIB = 1024 * 1024;
/** Bytes of all bodies on their way, half of it for one user. */
export const MAX_ARRIVING = 128 * MIB;
/** Bytes of a body that are taken in any case: `MAX_REQUESTS` bounds them. */
const EXEMPT_BYTES = 16 * 1024;

interface Body {
  readonly owner: string | undefined;
  bytes: number;
  readonly refuse: (error: AppError) => void;
}

/**
 * Bounds the bodies on their way. The parser holds each, decompressed, until its last byte is
 * there, and the client decides when that is.
 */
export class ArrivingBodies {
  /** Bytes of all bodies by user, also of refused bodies whose requests have not ended. */
  private readonly bytes = new Counts();
  /** Bodies that are being received, oldest first. */
  private readonly taken = new Set<Body>();
  private takenBytes = 0;

  /** @param ownerOf the user of a request */
  constructor(private readonly ownerOf: (response: ServerResponse) => string | undefined) {}

  /**
   * Refuses a body as soon as it is too long on its way, compressed or not (the parser tells of its
   * errors when all of it has arrived), and while there are too many bytes of bodies.
   * @param limit in bytes
   * @returns what to call instead of `next`
   */
  watch(request: Request, response: Response, limit: number, next: NextFunction): NextFunction {
    const owner = this.ownerOf(response);
    let received = 0;
    let decoder: Readable | undefined;
    let isOver = false;
    const end = (error?: unknown): void => {
      if (isOver) return;
      isOver = true;
      if (this.taken.delete(body)) this.takenBytes -= body.bytes;
      next(error);
    };
    const refuse = (error: AppError): void => {
      if (isOver) return;
      request.unpipe().removeAllListeners('data').resume(); // the parser gets no more of it
      decoder?.destroy();
      end(error);
    };
    const body: Body = { owner, bytes: 0, refuse };
    this.taken.add(body);
    const release = (): void => {
      this.bytes.add(owner, -body.bytes);
      if (this.taken.delete(body)) this.takenBytes -= body.bytes;
      body.bytes = 0;
    };
    const hold = (chunk: Buffer): void => {
      if (!isOver) this.hold(body, chunk.length);
    };
    request.on('data', (chunk: Buffer) => {
      received += chunk.length;
      if (received > limit) refuse(bodyTooLarge(limit));
      else if (request.headers['content-encoding'] === undefined) hold(chunk);
    });
    watchDecoder(request, (found) => (decoder = found.on('data', hold)));
    response.once('close', release);
    return (error) => {
      release();
      end(error);
    };
  }

  private hold(body: Body, bytes: number): void {
    body.bytes += bytes;
    this.takenBytes += bytes;
    this.bytes.add(body.owner, bytes);
    if (body.bytes > EXEMPT_BYTES && exceedsShare(this.bytes, body.owner, MAX_ARRIVING))
      body.refuse(tooMuchArriving());
    if (this.takenBytes > MAX_ARRIVING) this.makeRoom();
  }

  /** Refuses the oldest bodies of the user with most, so that no user keeps others from sending. */
  private makeRoom(): void {
    const long = [...this.taken].filter(({ bytes }) => bytes > EXEMPT_BYTES);
    for (const { refuse } of surplusOf(long, MAX_ARRIVING)) refuse(tooMuchArriving());
  }
}

/** The parser pipes a compressed body through one stream. */
function watchDecoder(request: Request, onDecoder: (decoder: Readable) => void): void {
  const pipe = request.pipe.bind(request);
  request.pipe = (decoder, ...rest) => {
    onDecoder(decoder as typeof decoder & Readable);
    return pipe(decoder, ...rest);
  };
}

export function bodyTooLarge(limit: number): AppError {
  const message = `The body is larger than ${limit / MIB} MiB.`;
  return new AppError('too_large', 'body_too_large', message, { extra: { limit } });
}

function tooMuchArriving(): AppError {
  const message = `More bytes of bodies are on their way than the server holds (${MAX_ARRIVING / MIB} MiB, half of it for one user). Send fewer at once, and retry shortly.`;
  return new AppError('unavailable', 'too_much_arriving', message);
}
