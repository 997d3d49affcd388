import { Injectable } from '@nestjs/common';
import type { OnModuleDestroy } from '@nestjs/common';
import { AppError } from '../../kernel/app-error.js';
import { Interpreter } from './interpreter.js';
import { prepare } from './prepared.js';
import { PythonSettings } from './python-settings.js';

/** Number of idle interpreters in reserve. */
const SPARE = 1;
/**
 * Maximum number of interpreters, with those that wait for people and agents. Each may use the full
 * memory limit of a program.
 */
const MAX = 32;

/**
 * Pool of interpreters, each for one program. Starts with the first request; from then on one idle
 * interpreter is in reserve. They start from a snapshot of the first one's memory, which is the
 * same in every process.
 */
@Injectable()
export class Interpreters implements OnModuleDestroy {
  protected readonly max: number = MAX;
  private spare: readonly Promise<Interpreter>[] = [];
  private readonly all = new Set<Interpreter>();
  /** Number of interpreters in use or requested. */
  private taken = 0;
  private isOver = false;

  constructor(private readonly settings: PythonSettings) {}

  async onModuleDestroy(): Promise<void> {
    this.isOver = true;
    await Promise.all([...this.all].map((interpreter) => interpreter.stop()));
  }

  /**
   * Takes an interpreter for exclusive use. The caller has to give it back with `discard`.
   * @throws AppError `too_many_programs`
   */
  async take(): Promise<Interpreter> {
    if (this.taken >= this.max)
      throw new AppError(
        'unavailable',
        'too_many_programs',
        `${this.max} Python programs run at the moment. Try again when some of them are done.`,
      );
    this.taken++;
    try {
      return await this.next();
    } catch (error) {
      this.taken--;
      throw error;
    }
  }

  /** Resolves when the reserve is filled; at once if none is due. */
  async reserved(): Promise<void> {
    await Promise.all(this.spare);
  }

  /** Removes the interpreter after the end of its program. */
  async discard(interpreter: Interpreter): Promise<void> {
    await this.remove(interpreter);
    this.taken--;
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
