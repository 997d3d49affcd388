import { agent, dim, green, magenta, red, say, seconds, write, yellow } from './terminal.mjs';

/** A rule's description tells a person enough. */
const RULE_ID = / rule_[0-9a-f-]{36}/g;

/** Shows the events of one interaction. */
export class View {
  /** How it ended; undefined until it did. */
  status;
  deltas = 0;
  cursor = '';
  interaction_id = '';
  #started = performance.now();
  #block;

  show({ event, id, data }) {
    this.cursor = id;
    const body = JSON.parse(data);
    this.interaction_id = body.interaction_id;
    this[event]?.(body);
  }

  line(text) {
    if (this.#block) say();
    this.#block = undefined;
    say(`       ${text}`);
  }

  /** What a person takes to answer is not the interaction's time. */
  async without(answer) {
    const asked = performance.now();
    const answered = await answer;
    this.#started += performance.now() - asked;
    return answered;
  }

  text_delta(body) {
    this.#stream(body, agent('Agent  '), (text) => text);
  }

  thinking_delta(body) {
    this.#stream(body, dim('       … '), dim);
  }

  tool_call({ tool_name, tool_input }) {
    this.line(`${magenta(`→ ${tool_name}`)} ${tool_input}`);
  }

  approval_required({ tool_name, tool_input, reason }) {
    const told = dim(reason.replace(RULE_ID, ''));
    this.line(`${yellow('?')} May ${tool_name} run with ${tool_input}? ${told}`);
  }

  input_required({ question, options }) {
    this.line(`${yellow('?')} ${question}${options ? ` (${options.join(', ')})` : ''}`);
  }

  tool_result({ tool_output, is_error, duration_ms }) {
    const mark = is_error ? red('✗') : green('✓');
    this.line(
      `${mark} ${tool_output.replaceAll('\n', '\n         ')} ${dim(`(${duration_ms} ms)`)}`,
    );
  }

  notice({ message }) {
    this.line(yellow(`! ${message}`));
  }

  error({ code, message }) {
    this.line(red(`${code}: ${message}`));
  }

  interaction_complete({ status, seq }) {
    this.status = status;
    this.line(dim(`${status.toLowerCase()} in ${seconds(this.#started)}, ${seq} records`));
  }

  #stream({ block_id, delta }, label, paint) {
    this.deltas++;
    if (this.#block !== block_id) {
      if (this.#block) say();
      write(label);
      this.#block = block_id;
    }
    write(paint(delta.replaceAll('\n', '\n       ')));
  }
}
