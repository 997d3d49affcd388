import { parseEnv } from 'node:util';
import { Global, Module } from '@nestjs/common';
import type { DynamicModule } from '@nestjs/common';
import { ConfigModule, ConfigService } from '@nestjs/config';
import { decodeText } from '../kernel/text/decode-text.js';
import { ConfigError } from './config-error.js';
import { Config } from './config.js';
import { loadConfig } from './load-config.js';

/**
 * Holds one object and no scalars: `ConfigModule` copies scalars into `process.env`, for child
 * processes to see.
 */
interface Checked {
  config: Config;
}

/** Provides `Config` everywhere. */
@Global()
@Module({})
export class AppConfigModule {
  /** Reads the configuration with `readConfig`. @throws ConfigError with every fault */
  static async forRoot(envFilePath?: string): Promise<DynamicModule> {
    return AppConfigModule.of(await readConfig(envFilePath));
  }

  /** With a configuration that is already loaded, which `ConfigService` has as `config`. */
  static of(config: Config): DynamicModule {
    const load = [(): Checked => ({ config })];
    return {
      module: AppConfigModule,
      imports: [ConfigModule.forRoot({ ignoreEnvFile: true, skipProcessEnv: true, load })],
      providers: [
        {
          provide: Config,
          inject: [ConfigService],
          useFactory: (service: ConfigService<Checked, true>) => service.get<Config>('config'),
        },
      ],
      exports: [Config],
    };
  }
}

/**
 * Reads the environment and the file `.env` in the working directory. Variables of the environment
 * take precedence, even empty ones.
 * @throws ConfigError with every fault
 */
export async function readConfig(envFilePath = '.env'): Promise<Config> {
  let inFile: readonly string[] = [];
  const parser = (text: Buffer): NodeJS.Dict<string> => {
    const parsed = parseEnv(decodeText(text));
    inFile = Object.keys(parsed);
    return parsed;
  };
  const checked = {} as Checked;
  const validate = (env: Record<string, string>): Checked => {
    checked.config = loadConfig(env, process.stdout.isTTY, inFile);
    return checked;
  };
  try {
    await ConfigModule.forRoot({ envFilePath, parser, validate, skipProcessEnv: true });
  } catch (error) {
    throw asConfigError(error, envFilePath);
  }
  return checked.config;
}

function asConfigError(error: unknown, variable: string): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (error instanceof ConfigError || code === undefined) return error;
  return new ConfigError([{ variable, problem: `can't be read (${code})` }], { cause: error });
}
