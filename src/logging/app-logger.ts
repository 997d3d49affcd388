import type { LoggerService } from '@nestjs/common';
import { pino, stdTimeFunctions } from 'pino';
import type { Level, Logger } from 'pino';
import type { Config } from '../config/config.js';
import { logFields, outsideRuns } from './log-fields.js';
import { LogOutput } from './log-output.js';
import { prettyWriter } from './pretty-writer.js';
import { redactor } from './redactor.js';
import { cutText } from '../kernel/text/cut-text.js';

const MAX_CAUSES = 5;
/** Characters of an error's message, and of its stack. */
const MAX_ERROR = 10_000;

/** Contexts of Nest that log at `info` while it starts. They are logged at `debug`. */
const FRAMEWORK = new Set([
  'InstanceLoader',
  'NestApplication',
  'NestFactory',
  'RouterExplorer',
  'RoutesResolver',
]);

/**
 * Contexts that log an error that is also thrown from the start of the server, and reported there.
 */
const RETHROWN = new Set(['ExceptionHandler', 'NestApplication']);

type LogConfig = Pick<Config, 'logLevel' | 'logFormat' | 'environmentSecrets'>;

/**
 * Nest's logger on pino: one JSON object per line, or readable lines. Use it through Nest's
 * `Logger`, with a sentence or with `{ message, err?, …fields }`. A line of a run has its
 * `LogFields`, unless it has such fields of its own. Every line is redacted as a whole.
 */
export class AppLogger implements LoggerService {
  private readonly pino: Logger;

  constructor(config: LogConfig, write?: (text: string) => void) {
    const output = new LogOutput(process.stdout, (lost, code) => this.tellOfLost(lost, code));
    const writeText = write ?? ((text: string): void => output.write(text));
    this.pino = pino(
      {
        level: config.logLevel,
        base: { pid: process.pid },
        messageKey: 'message',
        timestamp: stdTimeFunctions.isoTime,
        formatters: { level: (level) => ({ level }) },
        serializers: { err: describeError },
        hooks: { streamWrite: redactor(config.environmentSecrets) },
      },
      { write: config.logFormat === 'pretty' ? prettyWriter(writeText) : writeText },
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

  private tellOfLost(lost_lines: number, code: string): void {
    const message = `Lines of the log were lost: standard output could not be written (${code})`;
    outsideRuns(() => this.error({ message, lost_lines }, AppLogger.name));
  }

  /** Nest appends the context, and for errors the stack before it. */
  private write(level: Level, message: unknown, rest: readonly unknown[]): void {
    const context = typeof rest.at(-1) === 'string' ? (rest.at(-1) as string) : '';
    const isQuiet = RETHROWN.has(context) || (level === 'info' && FRAMEWORK.has(context));
    const details = (context ? rest.slice(0, -1) : rest).filter((detail) => detail !== undefined);
    const err = details.find((detail) => detail instanceof Error);
    const others = details.filter((detail) => detail !== err);
    this.pino[isQuiet ? 'debug' : level]({
      ...(context && { context }),
      ...logFields(),
      ...toFields(message),
      ...(err && { err }),
      ...(others.length > 0 && { details: others }),
    });
  }
}

function toFields(message: unknown): object {
  if (message instanceof Error) return { message: message.message, err: message };
  if (typeof message === 'object' && message !== null) return message;
  return { message: String(message) };
}

/** An error in the log. */
interface ErrorDescription {
  readonly type: string;
  readonly message: string;
  readonly code?: string;
  readonly stack?: string;
  readonly cause?: ErrorDescription;
}

/**
 * The loggable members of a thrown value and its causes. Unlike pino's serializer it leaves out all
 * other members: SDKs attach requests, and with them keys, to their errors.
 */
function describeError(error: unknown, depth = 0): ErrorDescription {
  if (!(error instanceof Error))
    return { type: typeof error, message: cutText(String(error), MAX_ERROR) };
  const { code, cause, name, message, stack } = membersOf(error);
  return {
    type: name,
    message: cutText(message, MAX_ERROR),
    ...(typeof code === 'string' && { code }),
    ...(stack && { stack: cutText(stack, MAX_ERROR) }),
    ...(cause !== undefined && depth < MAX_CAUSES && { cause: describeError(cause, depth + 1) }),
  };
}

/** The members of an error, also of one whose getters throw. */
function membersOf(error: Error & { code?: unknown }): Error & { code?: unknown } {
  try {
    const { code, cause, name, message, stack } = error;
    return { code, cause, name, message, ...(stack && { stack }) };
  } catch {
    return { name: 'Error', message: 'An error that can’t be read.' };
  }
}
