import { Injectable } from '@nestjs/common';
import type { OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { warnOfUndecorated } from '../kernel/warn-of-undecorated.js';
import { Telemetry } from '../telemetry/telemetry.js';
import { Config } from '../config/config.js';
import { GuardedOutput } from './guarded-output.js';
import { GuardrailProvider } from './guardrail-provider.decorator.js';
import { Guardrail } from './guardrail.js';
import type { InputAbout, InputVerdict, OutputAbout } from './guardrail.js';
import type { InputJudgement } from './input-judgement.js';
import { tripped } from './tripwire.js';
import type { Tripwire } from './tripwire.js';
import { messageOf } from '../kernel/app-error.js';
import { requireDistinctNames } from '../kernel/duplicate-name.js';

const GUARDRAIL = {
  base: Guardrail,
  decorator: GuardrailProvider,
  written: '@GuardrailProvider()',
};

/** All guardrails, sorted by name: the providers marked with `@GuardrailProvider`. */
@Injectable()
export class Guardrails implements OnModuleInit {
  private all: readonly Guardrail[] = [];

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly config: Config,
    private readonly telemetry: Telemetry,
  ) {}

  onModuleInit(): void {
    const found = this.discovery.getProviders({ metadataKey: GuardrailProvider.KEY });
    this.use(found.map(({ instance, name }) => requireGuardrail(instance, String(name))));
    warnOfUndecorated(this.discovery, GUARDRAIL);
  }

  /** @throws AppError `duplicate_name` */
  use(guardrails: readonly Guardrail[]): void {
    requireDistinctNames('guardrails', guardrails);
    const enabled = guardrails.filter((guardrail) => guardrail.enabled !== false);
    this.all = enabled.sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  get names(): readonly string[] {
    return this.all.map(({ name }) => name);
  }

  /** True if a guardrail checks input. */
  get checksInput(): boolean {
    return this.all.some((guardrail) => guardrail.checkInput !== undefined);
  }

  /**
   * Judges an input by all guardrails in turn; each reads the text that the previous one returned.
   * Rejects only when the signal aborts.
   */
  async judge(input: string, about: InputAbout): Promise<InputJudgement> {
    let text = input;
    const remarks: string[] = [];
    for (const guardrail of this.all) {
      if (!guardrail.checkInput) continue;
      const { name } = guardrail;
      try {
        const verdict = requireVerdict(
          await this.inTime(about.signal, (signal) =>
            guardrail.checkInput?.(text, { ...about, signal }),
          ),
        );
        if (verdict.verdict === 'tripwire')
          return { remarks, tripwire: this.trip(name, verdict.reason).message };
        if (verdict.verdict === 'pass') continue;
        text = verdict.text;
        remarks.push(`Guardrail ${name}: ${verdict.reason}`);
      } catch (error) {
        if (about.signal.aborted) throw error;
        return { remarks, tripwire: this.trip(name, failure(error)).message };
      }
    }
    return { remarks, ...(text !== input && { text }) };
  }

  /** @throws Tripwire */
  open(about: OutputAbout): GuardedOutput {
    return new GuardedOutput(this.all, about, (name, why) => this.trip(name, why));
  }

  /** @throws Tripwire if a guardrail does not pass the whole text */
  async checkOutput(text: string, about: OutputAbout, signal: AbortSignal): Promise<void> {
    for (const guardrail of this.all) {
      if (!guardrail.checkOutput) continue;
      const { name } = guardrail;
      const verdict = await this.inTime(signal, (time) =>
        guardrail.checkOutput?.(text, { ...about, signal: time }),
      )
        .then((said) => requireVerdict(said))
        .catch((error: unknown) => {
          throw signal.aborted ? error : this.trip(name, failure(error));
        });
      if (verdict.verdict === 'tripwire') throw this.trip(name, verdict.reason);
    }
  }

  private trip(guardrail: string, why: unknown): Tripwire {
    this.telemetry.emit('guardrail_tripped', { guardrail });
    return tripped(guardrail, why);
  }

  private inTime<T>(signal: AbortSignal, ask: (signal: AbortSignal) => Promise<T> | T): Promise<T> {
    return askInTime(ask, { timeout_ms: this.config.guardrailTimeoutMs, signal });
  }
}

/**
 * A guardrail in JavaScript may return anything, also undefined, which does not count as `pass`.
 */
function requireVerdict<V extends InputVerdict>(said: V | undefined): V {
  const { verdict, text } = Object(said) as { verdict?: unknown; text?: unknown };
  const isReplacement = verdict === 'replace' && typeof text === 'string';
  if (said && (verdict === 'pass' || verdict === 'tripwire' || isReplacement)) return said;
  throw new Error('It has to answer pass, tripwire, or replace with a text.');
}

function failure(error: unknown): string {
  return `it failed, so nothing passes. ${messageOf(error)}`;
}

function requireGuardrail(instance: unknown, provider: string): Guardrail {
  if (instance instanceof Guardrail) return instance;
  throw new Error(`@GuardrailProvider() is on ${provider}, which does not extend Guardrail.`);
}

/**
 * Resolves with the answer of a guardrail; rejects on timeout, or when the signal aborts.
 * @throws the error of the guardrail
 */
async function askInTime<T>(
  ask: (signal: AbortSignal) => Promise<T> | T,
  { timeout_ms, signal }: { timeout_ms: number; signal: AbortSignal },
): Promise<T> {
  const over = new AbortController();
  const timer = setTimeout(
    () => over.abort(new Error(`it took longer than ${timeout_ms} ms`)),
    timeout_ms,
  ).unref();
  const either = AbortSignal.any([signal, over.signal]);
  try {
    return await Promise.race([Promise.resolve(ask(either)), whenAborted(either)]);
  } finally {
    clearTimeout(timer);
  }
}

function whenAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const abort = (): void => reject(signal.reason as Error);
    if (signal.aborted) return abort();
    signal.addEventListener('abort', abort, { once: true });
  });
}
