import { styleText } from 'node:util';

const out = process.stdout;
const style = (format) => (text) => (out.isTTY && out.hasColors() ? styleText(format, text) : text);

export const dim = style('dim');
export const red = style('red');
export const green = style('green');
export const yellow = style('yellow');
export const magenta = style('magenta');
export const you = style(['bold', 'cyan']);
export const agent = style(['bold', 'green']);

export const say = (line = '') => out.write(`${line}\n`);
export const write = (text) => out.write(text);
export const seconds = (from) => `${((performance.now() - from) / 1000).toFixed(1)} s`;
