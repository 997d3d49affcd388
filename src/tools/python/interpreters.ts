import { Injectable } from '@nestjs/common';
import type { OnModuleDestroy } from '@nestjs/common';
import { AppError } from '../../kernel/app-error.js';
import { Interpreter } from './interpreter.js';
import { prepare } from './prepared.js';
import { PythonSettings } from './python-settings.js';

/** Number of idle interpreters in reserve. */
const SPARE = 1;
/** The part of all programs that one chat may run. */
const CHAT_PART = 1 / 2;

/**
 * Pool of interpreters, each for one program. Starts with the first request; from then on one idle
 * interpreter is in reserve. They start from a snapshot of the first one's memory, which is the
 * same in every process.
 */
@Injectable()
export class Interpreters implements OnModuleDestroy {
  /** Maximum number of programs, with those that wait for people and agents. */
  private readonly max: number;
  private readonly maxInChat: number;
  private spare: readonly Promise<Interpreter>[] = [];
  private readonly all = new Set<Interpreter>();
  /** The chats of the interpreters in use or requested, once for each. */
  private readonly taken: string[] = [];
  private isOver = false;

  /** Each program may use its full memory limit. */
  constructor(private readonly settings: PythonSettings) {
    const { pythonTotalMb, pythonMemoryMb } = settings;
    this.max = Math.max(1, Math.floor(pythonTotalMb / pythonMemoryMb));
    this.maxInChat = Math.ceil(this.max * CHAT_PART);
  }

  async onModuleDestroy(): Promise<void> {
    this.isOver = true;
    await Promise.all([...this.all].map((interpreter) => interpreter.stop()));
  }

  /**
   * Takes an interpreter for exclusive use. The caller has to give it back with `discard`.
   * @throws AppError `too_many_programs`
   */
  async take(chatUid: string): Promise<Interpreter> {
    const inChat = this.taken.filter((each) => each === chatUid).length;
    if (inChat >= this.maxInChat) throw tooMany(`${inChat} Python programs of this chat`);
    if (this.taken.length >= this.max) throw tooMany(`${this.max} Python programs`);
    this.taken.push(chatUid);
    try {
      return await this.next();
    } catch (error) {
      this.giveBack(chatUid);
      throw error;
    }
  }

  /** Resolves when the reserve is filled; at once if none is due. */
  async reserved(): Promise<void> {
    await Promise.all(this.spare);
  }

  /** Removes the interpreter after the end of its program. */
  async discard(interpreter: Interpreter, chatUid: string): Promise<void> {
    await this.remove(interpreter);
    this.giveBack(chatUid);
  }

  private giveBack(chatUid: string): void {
    this.taken.splice(this.taken.indexOf(chatUid), 1);
  }

  private async next(): Promise<Interpreter> {
    const [next = this.start(), ...rest] = this.spare;
    this.spare = rest;
    const interpreter = await next;
    this.refill();
    if (interpreter.isAlive) return interpreter;
    await this.remove(interpreter);
    return this.next();
  }

  private async remove(interpreter: Interpreter): Promise<void> {
    await interpreter.stop();
    this.all.delete(interpreter);
  }

  private refill(): void {
    while (this.spare.length < SPARE && !this.isOver) {
      const next = this.start();
      this.spare = [...this.spare, next];
      next.catch(() => {
        this.spare = this.spare.filter((each) => each !== next);
      });
    }
  }

  private async start(): Promise<Interpreter> {
    this.throwIfOver();
    const prepared = await prepare(this.settings.dataDir);
    this.throwIfOver();
    const interpreter = new Interpreter({ ...prepared, memory_mb: this.settings.pythonMemoryMb });
    this.all.add(interpreter);
    try {
      await interpreter.ready;
      return interpreter;
    } catch (error) {
      await this.remove(interpreter);
      throw error;
    }
  }

  private throwIfOver(): void {
    if (this.isOver) throw new AppError('unavailable', 'stopping', 'The server is stopping.');
  }
}

function tooMany(what: string): AppError {
  return new AppError(
    'unavailable',
    'too_many_programs',
    `${what} run at the moment, and there is no memory for more. Try again when some of them are done.`,
  );
}
