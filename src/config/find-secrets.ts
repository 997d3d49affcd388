import { Secret } from './secret.js';

/** How variables are called that hold secrets, and URLs that may have a password in them. */
const SECRET_NAME =
  /(^|_)(API_?KEY|KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASS|PAT|CREDENTIALS?)$|^(DATABASE|REDIS)_URL$/i;

/** Variables that are secret by their names, or because they are `named` as such. */
export function findSecrets(
  given: Readonly<Record<string, string>>,
  named: readonly string[],
): { name: string; value: Secret }[] {
  return Object.entries(given)
    .filter(([name]) => SECRET_NAME.test(name) || named.includes(name))
    .map(([name, value]) => ({ name, value: new Secret(value) }));
}
