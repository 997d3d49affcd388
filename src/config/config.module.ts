import { parseEnv } from 'node:util';
import { Global, Module } from '@nestjs/common';
import type { DynamicModule } from '@nestjs/common';
import { ConfigModule, ConfigService } from '@nestjs/config';
import { ConfigError } from './config-error.js';
import { Config } from './config.js';
import { loadConfig } from './load-config.js';

/**
 * One object and no scalars: `ConfigModule` copies scalars into `process.env`, for child processes
 * to see.
 */
interface Checked {
  readonly config: Config;
}

/** Provides `Config` everywhere. */
@Global()
@Module({})
export class AppConfigModule {
  /**
   * With the environment and the file `.env` in the working directory. Variables of the environment
   * take precedence, even empty ones.
   * @throws ConfigError with every fault
   */
  static async forRoot(envFilePath = '.env'): Promise<DynamicModule> {
    let inFile: readonly string[] = [];
    const parser = (text: Buffer): NodeJS.Dict<string> => {
      const parsed = parseEnv(text.toString());
      inFile = Object.keys(parsed);
      return parsed;
    };
    const validate = (env: Record<string, string>): Checked => ({
      config: loadConfig(env, process.stdout.isTTY, inFile),
    });
    const options = { envFilePath, parser, validate, cache: true, skipProcessEnv: true };
    const environment = ConfigModule.forRoot(options).catch((error: unknown) => {
      throw asConfigError(error, envFilePath);
    });
    return {
      module: AppConfigModule,
      imports: [await environment],
      providers: [
        {
          provide: Config,
          inject: [ConfigService],
          useFactory: (checked: ConfigService<Checked, true>) =>
            checked.get('config', { infer: true }),
        },
      ],
      exports: [Config],
    };
  }

  /** With a configuration that is already loaded. */
  static of(config: Config): DynamicModule {
    return {
      module: AppConfigModule,
      providers: [{ provide: Config, useValue: config }],
      exports: [Config],
    };
  }
}

function asConfigError(error: unknown, variable: string): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (error instanceof ConfigError || code === undefined) return error;
  return new ConfigError([{ variable, problem: `can't be read (${code})` }], { cause: error });
}
