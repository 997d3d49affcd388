import { readFileSync } from 'node:fs';

/**
 * Reads lists of texts, by topic, from a file: `[topic] about it`, then texts with ` ¦ ` or a line
 * break between them. In a text, `␤` is a line break, `␉` a tab, `␠` a blank at an end, and `⟨a0⟩`
 * the character with this hexadecimal code.
 */
function readTopics<Topic extends string>(file: string): Readonly<Record<Topic, string[]>> {
  const topics: Record<string, string[]> = {};
  const content = readFileSync(new URL(file, import.meta.url), 'utf8').trimEnd();
  for (const block of content.split('\n\n')) {
    const [title = '', ...lines] = block.split('\n');
    const [, topic = ''] = /^\[(\w+)\]/.exec(title) ?? [];
    topics[topic] = lines.flatMap((line) => line.split(' ¦ ')).map(decode);
  }
  return topics as Record<Topic, string[]>;
}

const PLAIN: Readonly<Record<string, string>> = { '␤': '\n', '␉': '\t', '␠': ' ' };

function decode(text: string): string {
  return text
    .replaceAll(/[␤␉␠]/g, (sign) => PLAIN[sign]!)
    .replaceAll(/⟨([\da-f]+)⟩/g, (_, code: string) => String.fromCodePoint(parseInt(code, 16)));
}

type Topic =
  | 'payloads'
  | 'quotes'
  | 'expansions'
  | 'operators'
  | 'reserved'
  | 'wrappers'
  | 'git'
  | 'characters';

/** Parts of scripts that a judge might read otherwise than a shell. */
export const FRAGMENTS = readTopics<Topic>('odd-fragments.txt');

/** Whole commands, by the rules that decide on them. */
export const COMMANDS = readTopics<'ordinary' | 'denied' | 'writing'>('ordinary-commands.txt');
