import type { LoggerService } from '@nestjs/common';
import { pino, stdTimeFunctions } from 'pino';
import type { Level, Logger } from 'pino';
import type { Config } from '../config/config.js';
import { describeError } from './describe-error.js';
import { prettyLine } from './pretty-line.js';
import { redactor } from './redactor.js';

/** What Nest says about itself while it starts; an operator has no use for it. */
const FRAMEWORK = new Set([
  'InstanceLoader',
  'NestApplication',
  'NestFactory',
  'RouterExplorer',
  'RoutesResolver',
]);

/** Say what keeps the server from starting, which is thrown as well: whoever started it tells it. */
const STARTING = new Set(['ExceptionHandler', 'NestApplication']);

type LogConfig = Pick<
  Config,
  'logLevel' | 'logFormat' | 'openaiApiKey' | 'anthropicApiKey' | 'databaseUrl' | 'redisUrl'
>;

/**
 * Nest's logger on pino: one JSON object per line, or one readable line. Call it through Nest's `Logger`, with a sentence or with
 * `{ message, err?, …fields }`. No secret gets through: each line is redacted as a whole.
 */
export class AppLogger implements LoggerService {
  private readonly pino: Logger;

  constructor(
    config: LogConfig,
    write: (text: string) => void = (text) => void process.stdout.write(text),
  ) {
    const redact = redactor([
      config.openaiApiKey,
      config.anthropicApiKey,
      config.databaseUrl,
      config.redisUrl,
    ]);
    const isColoured = process.stdout.isTTY && process.stdout.hasColors();
    const format = (line: string): string =>
      config.logFormat === 'pretty' ? prettyLine(line, isColoured) : line;
    this.pino = pino(
      {
        level: config.logLevel,
        base: { pid: process.pid },
        messageKey: 'message',
        timestamp: stdTimeFunctions.isoTime,
        formatters: { level: (level) => ({ level }) },
        serializers: { err: describeError },
      },
      { write: (line: string) => write(format(redact(line))) },
    );
  }

  isLevelEnabled(level: Level): boolean {
    return this.pino.isLevelEnabled(level);
  }

  fatal(message: unknown, ...rest: unknown[]): void {
    this.write('fatal', message, rest);
  }

  error(message: unknown, ...rest: unknown[]): void {
    this.write('error', message, rest);
  }

  warn(message: unknown, ...rest: unknown[]): void {
    this.write('warn', message, rest);
  }

  log(message: unknown, ...rest: unknown[]): void {
    this.write('info', message, rest);
  }

  debug(message: unknown, ...rest: unknown[]): void {
    this.write('debug', message, rest);
  }

  verbose(message: unknown, ...rest: unknown[]): void {
    this.write('trace', message, rest);
  }

  /** Nest appends the context, and for errors the stack before it. */
  private write(level: Level, message: unknown, rest: readonly unknown[]): void {
    const context = typeof rest.at(-1) === 'string' ? (rest.at(-1) as string) : undefined;
    const isAside =
      STARTING.has(context ?? '') || (level === 'info' && FRAMEWORK.has(context ?? ''));
    const shown = isAside ? 'debug' : level;
    if (!this.pino.isLevelEnabled(shown)) return;
    const details = context === undefined ? rest : rest.slice(0, -1);
    this.pino[shown]({ context, ...toFields(message), ...toDetails(details) });
  }
}

function toFields(message: unknown): object {
  if (message instanceof Error) return { message: message.message, err: message };
  if (typeof message === 'object' && message !== null) return message;
  return { message: String(message) };
}

function toDetails(details: readonly unknown[]): object {
  const given = details.filter((detail) => detail !== undefined);
  const err = given.find((detail) => detail instanceof Error);
  const others = given.filter((detail) => detail !== err);
  return { ...(err && { err }), ...(others.length > 0 && { details: others }) };
}
