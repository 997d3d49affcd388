import { parseArgs } from 'node:util';
import { TOPOLOGIES } from './cluster.mjs';

const USAGE = `npm run load -- [--streams 1000] [--approvals 10000] [--readers 500] [--quick] [--profile]
  [--only streams,approvals,storm,conversations] [--topology ${Object.keys(TOPOLOGIES).join()}]
--quick: a tenth of each. See docs/scaling.md for what it measures.`;

const QUICK = 10;

/**
 * What was asked for on the command line; ends the process if that was help. Throws when it can't
 * be read.
 */
export function readOptions(scenarios) {
  const { values } = parseArgs({
    options: {
      streams: { type: 'string', default: '1000' },
      approvals: { type: 'string', default: '10000' },
      readers: { type: 'string', default: '500' },
      only: { type: 'string', default: scenarios.join() },
      topology: { type: 'string', default: Object.keys(TOPOLOGIES).join() },
      quick: { type: 'boolean', default: false },
      profile: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) {
    console.log(USAGE);
    process.exit(0);
  }
  const numberOf = (name) => Math.ceil(toNumber(name, values[name]) / (values.quick ? QUICK : 1));
  return {
    streams: numberOf('streams'),
    approvals: numberOf('approvals'),
    readers: numberOf('readers'),
    scenarios: choose('only', values.only, scenarios),
    topologies: choose('topology', values.topology, Object.keys(TOPOLOGIES)),
    profile: values.profile,
  };
}

function toNumber(name, text) {
  const number = Number(text);
  if (!(number >= QUICK)) throw new Error(`--${name} is a number, ${QUICK} or more`);
  return Math.floor(number);
}

function choose(name, text, known) {
  const wanted = text.split(',');
  const unknown = wanted.find((one) => !known.includes(one));
  if (unknown !== undefined) throw new Error(`--${name} ${unknown}: there is ${known.join(', ')}`);
  return known.filter((one) => wanted.includes(one));
}
