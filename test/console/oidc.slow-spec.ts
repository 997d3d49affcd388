import { describeInChromium, TestBrowser } from '../support/console/browser.js';
import { eventually } from '../support/eventually.js';
import { IdentityProvider } from '../support/console/identity-provider.js';
import { FILES } from '../support/server/process-data.js';
import type { ProcessData } from '../support/server/process-data.js';
import { ServerProcess } from '../support/server/server-process.js';

describeInChromium('The console, signing in at an issuer', () => {
  let data: ProcessData;
  let provider: IdentityProvider;
  let server: ServerProcess;
  let browser: TestBrowser;
  let url: string;

  beforeAll(async () => {
    [data, provider] = await Promise.all([FILES.create(), IdentityProvider.start()]);
    const jwt = {
      ...{ AUTH: 'jwt', JWT_ISSUER: provider.url, JWT_AUDIENCE: 'parley' },
      ...{ JWT_JWKS_URL: `${provider.url}/jwks`, OIDC_CLIENT_ID: 'console "1"' },
    };
    [server, browser] = await Promise.all([
      ServerProcess.start({ ...data.env, ...jwt, MODEL: 'demo/script' }),
      TestBrowser.launch(),
    ]);
    ({ url } = await server.api());
  });
  afterAll(async () => {
    await browser.close();
    await server.kill('SIGKILL');
    provider.stop();
    await data.remove();
  });
  afterEach(async () => {
    expect(await browser.closePages()).toEqual([]);
  });

  it('comes back to where it was asked, with a token for the tab alone', async () => {
    const page = await browser.open(`${url}/console/inbox`);
    await page.getByRole('button', { name: 'Sign in with 127.0.0.1' }).click();
    await page.getByTestId('inbox').waitFor();
    expect(page.url()).toBe(`${url}/console/inbox`);
    expect(provider.asked.at(-1)!.get('client_id')).toBe('console "1"');
    expect(provider.asked.at(-1)!.get('code_challenge_method')).toBe('S256');
    expect(await page.evaluate('JSON.stringify([localStorage])')).not.toMatch(/eyJ/);
    await page.getByTestId('new-chat').click();
    await page.getByTestId('composer').fill('what is 6*7');
    await page.getByTestId('composer').press('Enter');
    await page.getByText('6*7 = 42').waitFor();
  });

  it('renews its token, and all goes on as it was', async () => {
    Object.assign(provider, { lifetime_s: 3, renews: true });
    const page = await browser.open(`${url}/console/`);
    await page.getByRole('button', { name: 'Sign in with 127.0.0.1' }).click();
    await page.getByTestId('composer').fill('what is 6*8');
    const before = provider.renewals;
    await eventually(() => provider.renewals > before + 1);
    expect(await page.getByTestId('composer').inputValue()).toBe('what is 6*8');
    await page.getByTestId('composer').press('Enter');
    await page.getByText('6*8 = 48').waitFor();
    expect(await page.evaluate('JSON.stringify([localStorage])')).not.toMatch(/eyJ/);
  });

  it('asks again where it can’t renew it, and comes back to what was typed', async () => {
    Object.assign(provider, { lifetime_s: 3, renews: false });
    const page = await browser.open(`${url}/console/`);
    const signIn = page.getByRole('button', { name: 'Sign in with 127.0.0.1' });
    await signIn.click();
    await page.getByTestId('composer').fill('what is 6*9');
    await signIn.waitFor();
    provider.lifetime_s = 300;
    await signIn.click();
    await page.getByTestId('composer').press('Enter');
    await page.getByText('6*9 = 54').waitFor();
  });

  it('has one feed for all tabs of a person, whose tokens differ', async () => {
    const page = await browser.open(`${url}/console/inbox`);
    const other = await page.context().newPage();
    await other.goto(`${url}/console/inbox`);
    for (const each of [page, other]) {
      await each.getByRole('button', { name: 'Sign in with 127.0.0.1' }).click();
      await each.getByText('Nothing waits for you').waitFor();
    }
    const held = await page.evaluate<{ held: { name: string }[] }>('navigator.locks.query()');
    expect(held.held.map(({ name }) => name.split(' ')[0])).toEqual(['parley.feed']);
  });

  it('takes no answer that it has not asked for', async () => {
    const page = await browser.open(`${url}/console/?code=stolen&state=made-up`);
    await page.getByRole('button', { name: 'Sign in with 127.0.0.1' }).click();
    await page.getByTestId('composer').waitFor();
    await page.evaluate(`sessionStorage.removeItem('parley.credential')`);
    await page.evaluate(
      `sessionStorage.setItem('parley.sign-in', JSON.stringify({ verifier: 'v', state: 's', nonce: 'n', path: location.href }))`,
    );
    await page.goto(`${url}/console/?code=stolen&state=other`);
    await page.getByRole('alert').waitFor();
    expect(await page.evaluate(`sessionStorage.getItem('parley.credential')`)).toBeNull();
    expect(page.url()).toBe(`${url}/console/`);
  });
});
