import type { ChatStreamEvent, Connection } from '../../client/index.js';
import type { Environment } from '../environment.js';
import { loadHighlighter } from '../render/highlight.js';
import { span } from '../render/span.js';
import type { Line } from '../render/span.js';
import { SGR } from '../render/theme.js';
import type { View } from '../render/theme.js';
import { Transcript } from '../transcript/transcript.js';
import { drawActivity, hasActivity } from './activity.js';
import type { Output } from './output.js';
import { Screen } from './screen.js';

const SPIN_MS = 120;

/** A transcript on a terminal, with what happens now below it, and without any input. */
export class LiveTranscript {
  readonly transcript = new Transcript();
  private readonly screen: Screen | undefined;
  private readonly timer: NodeJS.Timeout;
  private readonly begun = performance.now();
  private connection: Connection | undefined;

  constructor(
    private readonly output: Output,
    environment: Environment,
    /** The activity that is shown until the first event. */
    private what = 'working',
  ) {
    void loadHighlighter();
    if (output.isTerminal && !environment.isDumb)
      this.screen = new Screen(
        output,
        () => ({ lines: this.drawFooter(), cursor: undefined }),
        () => this.takeLines(),
      );
    this.timer = setInterval(() => this.screen?.change(), SPIN_MS);
    this.timer.unref();
  }

  take(event: ChatStreamEvent): void {
    this.what = 'working';
    this.transcript.take(event);
    if (this.screen) this.screen.change();
    else this.output.lines(this.transcript.takeLines(this.view));
  }

  /** A line between those of the transcript. */
  say(line: Line): void {
    const lines = [...this.transcript.takeLines(this.view), line];
    if (this.screen) this.screen.print(lines);
    else this.output.lines(lines);
  }

  connect(connection: Connection): void {
    this.connection = connection;
    this.screen?.change();
  }

  end(): void {
    clearInterval(this.timer);
    if (!this.screen) return;
    // The rest of long texts takes several paints.
    while (this.transcript.hasMore) this.screen.print(this.transcript.takeLines(this.view));
    this.screen.pause();
  }

  private takeLines(): Line[] {
    const lines = this.transcript.takeLines(this.view);
    if (this.transcript.hasMore) setImmediate(() => this.screen?.change());
    return lines;
  }

  private get view(): View {
    return { width: this.output.columns - 1 };
  }

  private drawFooter(): Line[] {
    const { transcript, view, what } = this;
    const live = transcript.liveLine();
    const elapsed = performance.now() - this.begun;
    const lines = live.length > 0 ? [live] : [];
    if (this.connection?.state === 'reconnecting')
      return [...lines, [span('reconnecting', SGR.yellow)]];
    if (!hasActivity(transcript.running) && live.length > 0) return lines;
    return [...lines, ...drawActivity(transcript.running, { elapsed, what }, view)];
  }
}
