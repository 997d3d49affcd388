/** What Redis refuses although it is there, such as for want of a right or of memory: somebody has to know of it, once. */
export class Refusals {
  /** The first words of its answers. */
  private readonly told = new Set<string>();

  constructor(private readonly report: (message: string) => void) {}

  note(error: Error): void {
    if (error.name !== 'ReplyError') return;
    const [kind = ''] = error.message.split(' ', 1);
    if (this.told.has(kind)) return;
    this.told.add(kind);
    this.report(error.message);
  }

  /** It may be another one now. */
  clear(): void {
    this.told.clear();
  }
}
