/** The field that holds the text of a block, by record; a tool's output is only a preview. */
const TEXT = {
  THINKING: 'content',
  MESSAGE: 'content',
  ANSWER: 'content',
  TOOL_CALL: 'tool_input',
};

/**
 * What one client was sent of an interaction, over however many connections, and all that was wrong
 * with it (I2).
 */
export class Reader {
  cursor = undefined;
  records = [];
  /** The same, as they were sent. */
  texts = [];
  faults = [];
  /** Characters of blocks that it has had whole. */
  characters = 0;
  #open = new Map();
  #closed = new Set();

  get isDone() {
    return this.records.at(-1)?.type === 'INTERACTION_COMPLETE';
  }

  take({ id, event, text, data }) {
    if (this.isDone) this.fault(`${event} after the end`);
    if (data.type !== event?.toUpperCase()) this.fault(`${event} has the type ${data.type}`);
    if ('seq' in data) this.#record(data, text);
    else if ('offset' in data) this.#delta(data);
    else this.fault(`${event} is neither a record nor a delta`);
    this.#checkCursor(id);
    this.cursor = id;
  }

  #delta({ block_id, offset, delta }) {
    if (this.#closed.has(block_id)) this.fault(`a delta of ${block_id}, which is closed`);
    const have = this.#open.get(block_id) ?? '';
    if (offset !== have.length)
      this.fault(`a delta of ${block_id} at ${offset}, not ${have.length}`);
    if (/[\ud800-\udbff]$/.test(delta))
      this.fault(`a delta of ${block_id} cuts a character in two`);
    this.#open.set(block_id, have.slice(0, offset) + delta);
  }

  #record(record, sent) {
    const { type, seq, block_id } = record;
    if (seq !== this.records.length + 1) this.fault(`record ${seq} after ${this.records.length}`);
    this.records.push(record);
    this.texts.push(sent);
    if (type === 'RESUMED') for (const block of this.#open.keys()) this.#close(block);
    if (type === 'NOTICE') for (const block of record.void ?? []) this.#close(block);
    if (block_id === undefined) return;
    if (this.#closed.has(block_id)) this.fault(`${block_id} is completed and was closed before`);
    const have = this.#open.get(block_id) ?? '';
    const text = record[TEXT[type]];
    if (text !== undefined && text !== have)
      this.fault(`${block_id} had "${have}" in deltas and has "${text}" in record ${seq}`);
    this.characters += text?.length ?? 0;
    this.#close(block_id);
  }

  /** It says where we stand, exactly. */
  #checkCursor(id = '') {
    const blocks = [...this.#open].map(([block, text]) => `${block}.${text.length}`);
    const expected = [this.records.length, ...blocks.sort()].join('~');
    const [seq, ...rest] = id.split('~');
    if ([seq, ...rest.sort()].join('~') !== expected) this.fault(`cursor ${id}, not ${expected}`);
  }

  #close(block) {
    this.#open.delete(block);
    this.#closed.add(block);
  }

  fault(what) {
    this.faults.push(what);
  }
}
