import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { inspect, parseEnv } from 'node:util';
import { Config } from './config.js';
import { ConfigError } from './config-error.js';
import { environment } from './schema.js';
import { loadConfig } from './load-config.js';
import type { Environment } from './load-config.js';

describe(loadConfig.name, () => {
  it('needs nothing set', () => {
    const config = loadConfig({});
    expect(config).toBeInstanceOf(Config);
    expect(config).toMatchObject({ port: 3000, host: '127.0.0.1', store: 'database' });
    expect(config.dataDir).toBe(resolve('data'));
    expect(config.warnings).toEqual([]);
  });

  it('is frozen', () => {
    expect(Object.isFrozen(loadConfig({}))).toBe(true);
  });

  it('takes an empty variable for an unset one, and trims the others', () => {
    expect(loadConfig({ PORT: '', HOST: ' ', MAX_ITERATIONS: ' 7\n' })).toMatchObject({
      port: 3000,
      host: '127.0.0.1',
      maxIterations: 7,
    });
  });

  it('leaves alone what it does not know', () => {
    const later = { ROLE: 'all', SANDBOX: 'auto' };
    const others = {
      HOSTNAME: 'a',
      NODE_ENV: 'test',
      HTTP_PROXY: 'http://proxy:3128',
      https_proxy: 'http://proxy:3128',
      no_proxy: 'localhost',
    };
    expect(loadConfig({ ...later, ...others }).warnings).toEqual([]);
  });

  it('names every fault at once, with what is allowed', () => {
    const faults = faultsOf({ PORT: '70000', MIGRATE: 'yes', MODEL: 'gpt', HEARTBEAT_MS: '1.5' });
    expect(faults).toEqual([
      {
        variable: 'MODEL',
        problem:
          '"gpt" has to be <provider>/<name>, such as openai/gpt-5-mini, or several of these, separated by commas',
      },
      { variable: 'PORT', problem: '"70000" has to be a whole number from 0 to 65535' },
      { variable: 'MIGRATE', problem: '"yes" has to be one of: true, false' },
      {
        variable: 'HEARTBEAT_MS',
        problem: '"1.5" has to be milliseconds: a whole number from 10 to 2147483647',
      },
    ]);
  });

  it.each([
    ['HOST', 'http://localhost'],
    ['HOST', '127.0.0.1:80'],
    ['ALLOWED_HOSTS', 'a.example,b.example:80'],
    ['STORE', 'memory'],
    ['DATABASE_URL', 'mysql://db/parley'],
    ['REDIS_URL', 'http://h'],
    ['ROLE', 'both'],
    ['DATABASE_URL', 'postgres://u:p@ss:w/rd@h:x/db'],
    ['OPENAI_BASE_URL', 'localhost:11434/v1'],
    ['OPENAI_API_KEY', 'two words'],
    ['ANTHROPIC_BASE_URL', 'api.anthropic.com'],
    ['ANTHROPIC_API_KEY', 'two words'],
    ['MODEL', 'demo,gpt'],
    ['MODEL', 'demo,,demo'],
    ['MODEL_THINKING', 'hard'],
    ['MODEL_MAX_OUTPUT_TOKENS', '0'],
    ['MODEL_IMAGES', 'yes'],
    ['HTTPS_PROXY', 'proxy:3128'],
    ['NO_PROXY', '10.0.0.0/8'],
    ['MODEL_IMAGES', 'openai/*,none'],
    ['MODEL_IMAGES', 'openai/*-vl'],
    ['LOG_LEVEL', 'loud'],
    ['LEASE_TTL_MS', '99999999999'],
    ['TOOL_OUTPUT_LIMIT', '-1'],
    ['WORKSPACE_ROOTS', '/srv/a,b'],
    ['SANDBOX', 'docker'],
    ['ALLOWED_APPROVAL_MODES', 'ask,yes'],
    ['APPROVAL_MODE', 'yes'],
  ])('refuses %s=%s', (variable, value) => {
    expect(faultsOf({ [variable]: value })).toMatchObject([{ variable }]);
  });

  it.each([
    'https://app.example:8443',
    'tauri://localhost',
    'capacitor://localhost',
    'app://obsidian.md',
    'chrome-extension://mhjfbmdgcfjbbpaeojofohoefgiehjai',
    'moz-extension://5f9b1f0e-23b0-4c0b-9d5b-1d2a3c4e5f60',
    'vscode-webview://0a1b2c',
    'file://',
  ])('takes the origin %s', (origin) => {
    const all = loadConfig({ CORS_ORIGINS: `${origin}, http://localhost:5173` }).corsOrigins;
    expect(all).toEqual([origin, 'http://localhost:5173']);
  });

  it.each([
    'https://app.example/',
    'tauri://localhost/',
    'tauri://localhost?a',
    'Tauri://localhost',
    'app://me@obsidian.md',
    'app:obsidian.md',
    'https://',
    'https://App.example',
    'https://app.example:443',
    'ws://app.example',
    'null',
    '*',
  ])('refuses the origin %s, which browsers send otherwise', (CORS_ORIGINS) => {
    expect(faultsOf({ CORS_ORIGINS })).toMatchObject([{ variable: 'CORS_ORIGINS' }]);
  });

  it('refuses a Redis for what only one process can use', () => {
    expect(faultsOf({ REDIS_URL: 'redis://h' })).toMatchObject([{ variable: 'REDIS_URL' }]);
    const both = { REDIS_URL: 'redis://h', DATABASE_URL: 'postgres://h/d' };
    const files = { FILES_DIR: '/srv/files' };
    expect(loadConfig({ ...both, ...files }).redisUrl?.reveal()).toBe('redis://h');
  });

  it('refuses processes that would have a folder of files each', () => {
    const urls = { REDIS_URL: 'redis://h', DATABASE_URL: 'postgres://h/d' };
    for (const ROLE of ['all', 'api', 'worker'])
      expect(faultsOf({ ...urls, ROLE })).toMatchObject([{ variable: 'FILES_DIR' }]);
    const bucket = { FILE_STORE: 's3', S3_BUCKET: 'files' };
    expect(loadConfig({ ...urls, ...bucket }).fileStore).toBe('s3');
  });

  it('keeps files in DATA_DIR unless they have a folder of their own', () => {
    expect(loadConfig({ DATA_DIR: '/srv/data' }).filesDir).toBe('/srv/data/files');
    const own = loadConfig({ DATA_DIR: '/srv/data', FILES_DIR: '/srv/files' });
    expect([own.filesDir, own.ownPaths]).toEqual([
      '/srv/files',
      expect.arrayContaining(['/srv/files']),
    ]);
  });

  it.each(['api', 'worker'])('refuses to leave work to nobody with the role %s', (ROLE) => {
    expect(faultsOf({ ROLE })).toMatchObject([{ variable: 'ROLE' }]);
    const url = { REDIS_URL: 'redis://h', DATABASE_URL: 'postgres://h/d' };
    const shared = { ...url, FILES_DIR: '/srv/files' };
    expect(loadConfig({ ROLE, ...shared }).role).toBe(ROLE);
  });

  it('refuses a database for the file store, also beside other faults', () => {
    const faults = faultsOf({ STORE: 'file', DATABASE_URL: 'postgres://h/db', PORT: 'x' });
    expect(faults.map(({ variable }) => variable)).toEqual(['PORT', 'STORE']);
  });

  it.each([
    [{ WORKSPACE_DIR: './data' }],
    [{ WORKSPACE_DIR: './data/db' }],
    [{ WORKSPACE_DIR: './data/chats/mine' }],
    [{ WORKSPACE_DIR: './agents' }],
    [{ AGENTS_DIR: '/srv/parley/agents', WORKSPACE_DIR: '/srv/parley' }],
    [{ DATA_DIR: '/srv/parley/files/data', WORKSPACE_DIR: '/srv/parley/files/' }],
    [{ PERMISSIONS_FILE: '/srv/files/rules.json', WORKSPACE_DIR: '/srv/files' }],
    [{ MCP_CONFIG: './workspace/mcp.json' }],
    [{ FILES_DIR: '/srv/files', WORKSPACE_DIR: '/srv/files/work' }],
    [{ FILES_DIR: './workspace/files' }],
  ])('refuses a workspace that overlaps with the data or the agents: %j', (env) => {
    expect(faultsOf(env)).toMatchObject([{ variable: 'WORKSPACE_DIR' }]);
  });

  it.each([['/srv/data/workspace'], ['/srv/data/chats2'], ['/srv/data-2'], ['/srv/..data']])(
    'takes the workspace %s beside or in the data',
    (WORKSPACE_DIR) => {
      expect(loadConfig({ DATA_DIR: '/srv/data', WORKSPACE_DIR }).workspaceDir).toBe(WORKSPACE_DIR);
    },
  );

  it('takes a workspace beside the data, however alike their names', () => {
    const { workspaceDir } = loadConfig({
      DATA_DIR: '/srv/files',
      WORKSPACE_DIR: '/srv/files-of-agents',
    });
    expect(workspaceDir).toBe('/srv/files-of-agents');
  });

  it('splits the roots of workspaces', () => {
    const { workspaceRoots } = loadConfig({ WORKSPACE_ROOTS: '/srv/a, /home/me/b/' });
    expect(workspaceRoots).toEqual(['/srv/a', '/home/me/b']);
  });

  it('lets commands know where programs are and which language is spoken, and no secret', () => {
    const { commandEnvironment } = loadConfig({
      ...{ PATH: '/opt/bin', LANG: 'de_DE.UTF-8', LC_ALL: 'C', TZ: 'Europe/Berlin' },
      ...{ OPENAI_API_KEY: 'k', AWS_SECRET_ACCESS_KEY: 'k', DATABASE_URL: 'postgres://u:p@h/d' },
      ...{
        HOME: '/home/me',
        SSH_AUTH_SOCK: '/s',
        BASH_ENV: '/b',
        LD_PRELOAD: '/l',
        BASH_FUNC_x: '()',
      },
    });
    expect(Object.keys(commandEnvironment).toSorted()).toEqual([
      'GIT_CONFIG_COUNT',
      'GIT_CONFIG_GLOBAL',
      'GIT_CONFIG_KEY_0',
      'GIT_CONFIG_KEY_1',
      'GIT_CONFIG_VALUE_0',
      'GIT_CONFIG_VALUE_1',
      'GIT_PAGER',
      'GIT_TERMINAL_PROMPT',
      'LANG',
      'LC_ALL',
      'NO_COLOR',
      'PAGER',
      'PATH',
      'TERM',
      'TZ',
    ]);
  });

  it.each([
    ['openai/gpt-5', 'OPENAI'],
    ['anthropic/claude-opus-5', 'ANTHROPIC'],
    ['demo, anthropic/claude-opus-5', 'ANTHROPIC'],
  ])('refuses the model %s without key and endpoint', (MODEL, vendor) => {
    const [fault] = faultsOf({ MODEL });
    expect(fault).toMatchObject({ variable: 'MODEL' });
    expect(fault!.problem).toContain(`needs ${vendor}_API_KEY`);
    expect(loadConfig({ MODEL, [`${vendor}_API_KEY`]: 'k' }).model).toContain('/');
    expect(loadConfig({ MODEL, [`${vendor}_BASE_URL`]: 'http://h' }).model).toContain('/');
  });

  it('takes several models, in their order', () => {
    const env = {
      MODEL: 'openai/a , anthropic/b,demo',
      OPENAI_API_KEY: 'k',
      ANTHROPIC_API_KEY: 'k',
    };
    expect(loadConfig(env).model).toBe('openai/a,anthropic/b,demo/script');
  });

  it.each([
    [
      {},
      'demo/script',
      'neither MODEL, OPENAI_API_KEY, OPENAI_BASE_URL nor ANTHROPIC_API_KEY is set',
    ],
    [{ ANTHROPIC_API_KEY: 'k' }, 'anthropic/claude-sonnet-5', 'ANTHROPIC_API_KEY is set'],
    [{ ANTHROPIC_API_KEY: 'k', OPENAI_API_KEY: 'k' }, 'openai/gpt-5-mini', 'OPENAI_API_KEY is set'],
    [{ OPENAI_API_KEY: 'k' }, 'openai/gpt-5-mini', 'OPENAI_API_KEY is set'],
    [{ OPENAI_BASE_URL: 'http://h/v1' }, 'openai/gpt-5-mini', 'OPENAI_BASE_URL is set'],
    [{ MODEL: 'demo', OPENAI_API_KEY: 'k' }, 'demo/script', 'MODEL is set'],
  ])('chooses a model for %j and says why', (env, model, modelReason) => {
    expect(loadConfig(env)).toMatchObject({ model, modelReason });
  });

  it('logs for people on a terminal and for machines elsewhere, unless told', () => {
    expect(loadConfig({}, true).logFormat).toBe('pretty');
    expect(loadConfig({}, false).logFormat).toBe('json');
    expect(loadConfig({ LOG_FORMAT: 'json' }, true).logFormat).toBe('json');
  });

  it('splits the allowed hosts', () => {
    const { allowedHosts } = loadConfig({ ALLOWED_HOSTS: 'Parley.example, 10.0.0.1' });
    expect(allowedHosts).toEqual(['parley.example', '10.0.0.1']);
  });

  it.each([
    ['LEASE_TTL', 'LEASE_TTL_MS'],
    ['OPENAI_APIKEY', 'OPENAI_API_KEY'],
    ['DATABASE_URI', 'DATABASE_URL'],
    ['data_dir', 'DATA_DIR'],
  ])('suggests for %s the name %s', (name, meant) => {
    expect(loadConfig({ [name]: 'x' }).warnings).toEqual([
      `Unknown variable ${name}; did you mean ${meant}?`,
    ]);
  });

  it.each([
    ['PROT', 'PORT'],
    ['hots', 'HOST'],
    ['MODLE', 'MODEL'],
    ['MODEL_TIMOUT_MS', 'MODEL_TIMEOUT_MS'],
    ['OPENAI_KEY', 'OPENAI_API_KEY'],
  ])('suggests for %s of .env the name %s', (name, meant) => {
    expect(loadConfig({ [name]: 'x' }, false, [name]).warnings).toEqual([
      `Unknown variable ${name} in .env; did you mean ${meant}?`,
    ]);
  });

  it('tells all unknown names of .env, except those of secrets', () => {
    const env = { COLOUR: 'red', TZ_OF_CAT: 'x', GITHUB_TOKEN: 'x', HOSTNAME: 'x', PORT: '1' };
    const inFile = ['COLOUR', 'TZ_OF_CAT', 'GITHUB_TOKEN', 'PORT'];
    expect(loadConfig(env, false, inFile).warnings).toEqual([
      'Unknown variables in .env: COLOUR, TZ_OF_CAT. Only MCP_CONFIG can refer to them.',
    ]);
  });

  it('warns of an open server without a name', () => {
    const AUTH = 'keys';
    expect(loadConfig({ HOST: '0.0.0.0', AUTH }).warnings).toEqual([
      expect.stringContaining('set ALLOWED_HOSTS'),
    ]);
    for (const env of [{ HOST: '::1' }, { HOST: '0.0.0.0', AUTH, ALLOWED_HOSTS: '*' }])
      expect(loadConfig(env).warnings).toEqual([]);
  });

  it('shows no secret, wherever it is printed', () => {
    const config = loadConfig({
      OPENAI_API_KEY: 'sk-hush',
      ANTHROPIC_API_KEY: 'sk-ant-hush',
      DATABASE_URL: 'postgres://me:hush@db/parley',
    });
    const shown = [
      JSON.stringify(config),
      inspect(config),
      String(config.openaiApiKey),
      format(config),
    ];
    expect(shown.join()).not.toContain('hush');
    expect(config.openaiApiKey?.reveal()).toBe('sk-hush');
    expect(config.databaseUrl?.reveal()).toBe('postgres://me:hush@db/parley');
  });

  it('shows no secret in a fault', () => {
    const env = {
      OPENAI_API_KEY: 'hush hush',
      DATABASE_URL: 'mysql://me:hush@db',
      OPENAI_BASE_URL: 'http://me:hush@h/v1',
      ANTHROPIC_API_KEY: 'hush hush',
      ANTHROPIC_BASE_URL: 'http://me:hush@h',
      AUDIO_API_KEY: 'hush hush',
      AUDIO_BASE_URL: 'http://me:hush@h',
      HTTPS_PROXY: 'socks://me:hush@h',
      REDIS_URL: 'http://me:hush@h',
      ADMIN_KEY: 'hush',
      JWT_SECRET: 'hush',
      JWT_JWKS_URL: 'http://me:hush@h',
      S3_ENDPOINT: 'http://me:hush@h',
      S3_SECRET_ACCESS_KEY: 'hush hush',
      ENCRYPTION_KEYS: 'hush',
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://me:hush@h',
      OTEL_EXPORTER_OTLP_HEADERS: 'hush',
    };
    const others = { S3_ACCESS_KEY_ID: 'id', FILES_DIR: '/srv/files' };
    const error = errorOf({ ...env, ...others });
    expect(error.faults.map(({ variable }) => variable).toSorted()).toEqual(
      Object.keys(env).toSorted(),
    );
    expect(inspect(error)).not.toContain('hush');
  });

  it('has a default for approval_mode that is allowed', () => {
    const modeOf = (env: Record<string, string>) => loadConfig(env).approvalMode;
    expect(modeOf({})).toBe('ask');
    expect(modeOf({ ALLOWED_APPROVAL_MODES: 'deny,auto' })).toBe('deny');
    expect(modeOf({ APPROVAL_MODE: 'auto' })).toBe('auto');
    const forbidden = { APPROVAL_MODE: 'auto', ALLOWED_APPROVAL_MODES: 'ask' };
    expect(faultsOf(forbidden)).toMatchObject([{ variable: 'APPROVAL_MODE' }]);
  });
});

describe('ENCRYPTION_KEYS', () => {
  const [one, two] = [1, 2].map((byte) => Buffer.alloc(32, byte).toString('base64')) as [
    string,
    string,
  ];

  it('is keys by id, in order, which are secrets', () => {
    const config = loadConfig({ ENCRYPTION_KEYS: `new:${one}, old:${two}` });
    const keys = config.encryptionKeys!.map(({ id, secret }) => [id, secret.reveal()]);
    expect(keys).toEqual([
      ['new', one],
      ['old', two],
    ]);
    expect(format(config)).not.toContain(one);
    expect(config.environmentSecrets.map(({ value }) => value.reveal())).toEqual([one, two]);
    expect(config.variable('ENCRYPTION_KEYS')).toBeUndefined();
  });

  it('names the id of a key that is malformed, and shows none', () => {
    const short = Buffer.alloc(31).toString('base64');
    for (const [keys, problem] of [
      [`k1:${one},k2:${short}`, 'has a key "k2" that is not the base64 of 32 bytes'],
      [`k1:${one}x`, 'has a key "k1"'],
      [`k1:${one},${two}`, 'has no id in its entry 2'],
      [one, 'has no id in its entry 1'],
      [`k1:${one},k1:${two}`, 'has two keys of the id "k1"'],
    ] as const) {
      const error = errorOf({ ENCRYPTION_KEYS: keys });
      expect(error.faults).toEqual([
        { variable: 'ENCRYPTION_KEYS', problem: expect.stringContaining(problem) },
      ]);
      for (const key of [one, two, short]) expect(inspect(error)).not.toContain(key);
    }
  });
});

describe('OTEL_EXPORTER_OTLP_HEADERS', () => {
  it('takes names with percent-encoded values, and shows none that it refuses', () => {
    const headers = (OTEL_EXPORTER_OTLP_HEADERS: string) => ({ OTEL_EXPORTER_OTLP_HEADERS });
    const taken = loadConfig(headers('authorization=Basic%20a=,x-scope=b'));
    expect(taken.otelExporterOtlpHeaders?.reveal()).toBe('authorization=Basic%20a=,x-scope=b');
    for (const wrong of ['secret', 'a=secret%zz', 'a=b,secret', 'a b=secret'])
      expect(JSON.stringify(faultsOf(headers(wrong)))).not.toContain('secret');
  });
});

describe('WEBHOOK_URL', () => {
  const WEBHOOK_SECRET = 'sixteen-or-more!';
  const given = { WEBHOOK_URL: 'https://example.com/T0/secret-path', WEBHOOK_SECRET };

  it('needs a secret, which needs it', () => {
    const { webhookUrl, webhookSecret } = loadConfig(given);
    expect([webhookUrl?.reveal(), webhookSecret?.reveal()]).toEqual(Object.values(given));
    for (const name of Object.keys(given))
      expect(faultsOf({ ...given, [name]: '' })).toMatchObject([{ variable: 'WEBHOOK_SECRET' }]);
  });

  it('shows neither, and gives the secret to no tool', () => {
    const config = loadConfig(given);
    expect(inspect(config, { depth: null })).not.toMatch(/secret-path|sixteen/);
    expect(config.environmentSecrets.map(({ name }) => name)).toEqual(['WEBHOOK_SECRET']);
    expect(config.variable('WEBHOOK_SECRET')).toBeUndefined();
    expect(config.commandEnvironment).not.toHaveProperty('WEBHOOK_SECRET');
    const short = { WEBHOOK_URL: 'ftp://a-secret', WEBHOOK_SECRET: 'short-secret' };
    const faults = faultsOf(short);
    expect(faults).toHaveLength(2);
    expect(JSON.stringify(faults)).not.toMatch(/a-secret|short-secret/);
  });

  it('warns of files of model turns', () => {
    const { warnings, modelDebugDir, ownPaths } = loadConfig({ MODEL_DEBUG_DIR: './turns' });
    expect(warnings).toEqual([expect.stringMatching(/^MODEL_DEBUG_DIR is set: /)]);
    expect(modelDebugDir).toBe(resolve('turns'));
    expect(ownPaths).toContain(modelDebugDir);
  });

  it('warns of plain http to another machine', () => {
    const warnings = (WEBHOOK_URL: string) => loadConfig({ ...given, WEBHOOK_URL }).warnings;
    expect(warnings('http://127.0.0.1:9/hook')).toEqual([]);
    expect(warnings('http://example.com/hook')).toEqual([
      expect.stringMatching(/^WEBHOOK_URL is plain http to example\.com: /),
    ]);
  });
});

describe('.env.example', () => {
  const text = readFileSync('.env.example', 'utf8');
  const example = parseEnv(text) as Environment;

  it('has every variable in order, and no other', () => {
    const names = [...text.matchAll(/^(\w+)=/gm)].map(([, name]) => name);
    expect(names).toEqual(Object.keys(environment.shape));
  });

  it('has the default of each', () => {
    expect(JSON.stringify(loadConfig(example))).toBe(JSON.stringify(loadConfig({})));
    for (const [name, value] of Object.entries(example))
      if (value === '') expect([name, defaultOf(name)]).toEqual([name, undefined]);
  });

  it('says in one line what each is for', () => {
    const lines = text.split('\n');
    const undocumented = lines.filter(
      (line, i) => /^[A-Z]/.test(line) && !lines[i - 1]?.startsWith('# '),
    );
    expect(undocumented).toEqual([]);
  });
});

function errorOf(env: Environment): ConfigError {
  try {
    loadConfig(env);
  } catch (error) {
    if (error instanceof ConfigError) return error;
  }
  throw new Error('no fault was found');
}

function faultsOf(env: Environment): ConfigError['faults'] {
  return errorOf(env).faults;
}

function format(value: unknown): string {
  return inspect(value, { showHidden: true, depth: null });
}

/** What the schema alone makes of an unset variable; an empty list counts as nothing. */
function defaultOf(name: string): unknown {
  const value: unknown = (environment.parse({}) as Record<string, unknown>)[name];
  return Array.isArray(value) && value.length === 0 ? undefined : value;
}
