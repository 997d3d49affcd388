import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** What `npm run start:prod` gives to node, if need be with another server's entry. */
export function productionCommand(main) {
  const { scripts } = JSON.parse(readFileSync(pathOf('package.json'), 'utf8'));
  const args = scripts['start:prod'].split(' ').slice(1);
  return [...args.slice(0, -1), main ?? pathOf(args.at(-1))];
}

function pathOf(file) {
  return fileURLToPath(new URL(`../${file}`, import.meta.url));
}
