const REMARKS = {
  more: 'There is more here than is looked at in one call: name a folder below.',
  deep: 'Folders were left out that are too deep.',
  unopened: 'Something was left out that could not be opened.',
  odd: 'Files were left out whose names no tool can be given.',
  large: 'Files were left out that are larger than 10 MB.',
  binary: 'Binary files were left out.',
  slow: 'Lines were left out that are too long for this pattern.',
  hidden: 'Files were left out that the permission rules keep from being shown.',
};

/**
 * The kinds of files that a search has skipped. It reports no numbers: these would reveal
 * information about files that must stay hidden.
 */
export class SkippedFiles {
  private readonly kinds = new Set<keyof typeof REMARKS>();

  /** Records a skipped file; returns false, for use in a filter. */
  leave(kind: keyof typeof REMARKS): false {
    this.kinds.add(kind);
    return false;
  }

  /** Sentences for the model. */
  remarks(): string[] {
    return [...this.kinds].map((kind) => REMARKS[kind]);
  }
}
