import { emitKeypressEvents } from 'node:readline';
import { sanitize } from '../render/sanitize.js';

/** Key that was pressed, or a pasted text. */
export interface Key {
  /** `return`, `up`, `ctrl-c`, `meta-b`; a letter for itself. */
  readonly name: string;
  /** The text that it types; undefined for keys that do something else. */
  readonly text?: string;
}

interface Pressed {
  readonly sequence?: string;
  readonly name?: string;
  readonly ctrl?: boolean;
  readonly meta?: boolean;
  readonly shift?: boolean;
}

/** After an escape that is alone, and not the start of a sequence. */
const ESCAPE_MS = 50;
const [PASTE_ON, PASTE_OFF] = ['\u001B[?2004h', '\u001B[?2004l'];

/** The keys of a terminal in raw mode. A paste comes as one key, with its line ends. */
export class Keyboard {
  private pasted: string[] | undefined;
  private isOn = false;

  constructor(
    private readonly input: NodeJS.ReadStream,
    private readonly output: { control(text: string): void },
    private readonly take: (key: Key) => void,
  ) {
    emitKeypressEvents(input, { escapeCodeTimeout: ESCAPE_MS } as never);
  }

  start(): void {
    if (this.isOn) return;
    this.isOn = true;
    this.input.setRawMode(true);
    this.input.on('keypress', this.press);
    this.input.resume();
    this.output.control(PASTE_ON);
  }

  stop(): void {
    if (!this.isOn) return;
    this.isOn = false;
    this.output.control(PASTE_OFF);
    this.input.off('keypress', this.press);
    this.input.setRawMode(false);
    this.input.pause();
  }

  private readonly press = (character: string | undefined, pressed: Pressed): void => {
    if (pressed.name === 'paste-start') this.pasted = [];
    else if (pressed.name === 'paste-end') this.endPaste();
    else if (this.pasted) this.pasted.push(pressed.sequence ?? character ?? '');
    else for (const key of toKeys(character, pressed)) this.take(key);
  };

  private endPaste(): void {
    const text = sanitize((this.pasted ?? []).join(''));
    this.pasted = undefined;
    if (text !== '') this.take({ name: 'paste', text });
  }
}

export function toKeys(character: string | undefined, pressed: Pressed): Key[] {
  const { sequence = '', name, ctrl = false, meta = false, shift = false } = pressed;
  if (sequence === '\u001B\u001B') return [{ name: 'escape' }, { name: 'escape' }];
  if (name === 'escape') return [{ name: 'escape' }];
  if (sequence === '\n') return [{ name: 'ctrl-j' }];
  if (character !== undefined && !ctrl && !meta && isText(character))
    return [{ name: character, text: character }];
  if (name === undefined) return [];
  const plain = name === 'enter' ? 'return' : name;
  const prefix = ctrl ? 'ctrl-' : meta ? 'meta-' : shift && plain.length > 1 ? 'shift-' : '';
  return [{ name: prefix + plain }];
}

function isText(character: string): boolean {
  return !/\p{Control}/u.test(character);
}
