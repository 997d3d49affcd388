import { ConfigError } from './config-error.js';
import { findAuthFaults } from './auth-checks.js';
import { loadConfig } from './load-config.js';
import type { Environment } from './load-config.js';

const LONG = 'x'.repeat(32);
const ISSUER = { JWT_ISSUER: 'https://issuer.example', JWT_AUDIENCE: 'parley' };
const JWT_JWKS_URL = 'https://issuer.example/jwks';

/** The variables at fault. */
function faultyIn(env: Environment): string[] {
  try {
    loadConfig(env);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.faults.map(({ variable }) => variable);
    throw error;
  }
}

describe(findAuthFaults.name, () => {
  it('needs no credential on a loopback address, unless told so', () => {
    expect(loadConfig({}).auth).toEqual(['none']);
    expect(loadConfig({ HOST: '::1', AUTH: 'keys' }).auth).toEqual(['keys']);
  });

  it.each(['0.0.0.0', '::', '192.168.0.7', 'parley.lan'])(
    'refuses to start on %s without AUTH, and says what to set',
    (HOST) => {
      expect(() => loadConfig({ HOST })).toThrow(
        /AUTH: is not set, .* Set AUTH=keys and an ADMIN_KEY, or AUTH=jwt/,
      );
      expect(faultyIn({ HOST, AUTH: 'keys' })).toEqual([]);
    },
  );

  it('warns when others are let in without a credential', () => {
    const open = { AUTH: 'none', ALLOWED_HOSTS: '*' };
    expect(loadConfig({ ...open, HOST: '0.0.0.0' }).warnings).toEqual([
      expect.stringContaining('AUTH=none and HOST=0.0.0.0'),
    ]);
    expect(loadConfig(open).warnings).toEqual([]);
  });

  it.each<[Environment, string[]]>([
    [{ AUTH: 'none,keys' }, ['AUTH']],
    [{ AUTH: 'basic' }, ['AUTH']],
    [{ AUTH: 'keys', WORKSPACE_ROOTS: '/srv/{tenant},/srv/all' }, ['WORKSPACE_ROOTS']],
    [{ AUTH: 'keys', WORKSPACE_ROOTS: '/srv/{tenant}/x' }, []],
    [{ WORKSPACE_ROOTS: '/srv/all' }, []],
    [{ WORKSPACE_ROOTS: '/{tenant}' }, ['WORKSPACE_ROOTS']],
    [{ WORKSPACE_ROOTS: '/srv/a{tenant}' }, ['WORKSPACE_ROOTS']],
    [{ WORKSPACE_ROOTS: '/srv/{tenant}/{tenant}' }, ['WORKSPACE_ROOTS']],
    [{ WORKSPACE_ROOTS: '/srv/{tenant}', WORKSPACE_DIR: '/srv/work' }, ['WORKSPACE_DIR']],
    [{ AUTH: 'keys', ADMIN_KEY: 'x'.repeat(31) }, ['ADMIN_KEY']],
    [{ AUTH: 'keys', ADMIN_KEY: `${LONG} ${LONG}` }, ['ADMIN_KEY']],
    [{ ADMIN_KEY: LONG }, ['ADMIN_KEY']],
    [{ AUTH: 'jwt', ...ISSUER, JWT_JWKS_URL, ADMIN_KEY: LONG }, ['ADMIN_KEY']],
    [{ AUTH: 'jwt' }, ['JWT_ISSUER', 'JWT_AUDIENCE', 'JWT_JWKS_URL']],
    [{ AUTH: 'jwt', ...ISSUER }, ['JWT_JWKS_URL']],
    [{ AUTH: 'jwt', ...ISSUER, JWT_JWKS_URL, JWT_SECRET: LONG }, ['JWT_SECRET']],
    [{ AUTH: 'jwt', ...ISSUER, JWT_SECRET: 'short' }, ['JWT_SECRET']],
    [{ AUTH: 'keys', ADMIN_KEY: LONG, OIDC_CLIENT_ID: 'console' }, ['OIDC_CLIENT_ID']],
    [
      { AUTH: 'jwt', ...ISSUER, JWT_ISSUER: 'us', JWT_JWKS_URL, OIDC_CLIENT_ID: 'console' },
      ['OIDC_CLIENT_ID'],
    ],
    [{ AUTH: 'keys', ...ISSUER }, ['JWT_ISSUER', 'JWT_AUDIENCE']],
    [{ AUTH: 'keys', ADMIN_KEY: LONG }, []],
    [{ AUTH: 'keys,jwt', ADMIN_KEY: LONG, ...ISSUER, JWT_JWKS_URL }, []],
    [{ AUTH: 'jwt', ...ISSUER, JWT_SECRET: LONG }, []],
  ])('names what can not work in %j', (env, variables) => {
    expect(faultyIn(env)).toEqual(variables);
  });

  it('keeps the credentials of the API from configuration files', () => {
    const env = { AUTH: 'keys', ADMIN_KEY: LONG, OTHER_KEY: 'other' };
    const config = loadConfig(env);
    expect(config.variable('ADMIN_KEY')).toBeUndefined();
    expect(config.variable('OTHER_KEY')).toBe('other');
    expect(Object.keys(config.commandEnvironment)).not.toContain('ADMIN_KEY');
  });
});
