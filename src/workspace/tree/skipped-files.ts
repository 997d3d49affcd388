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

/** What a search has not looked at. It is told without numbers: those would tell something of the files that may not be seen. */
export class SkippedFiles {
  private readonly kinds = new Set<keyof typeof REMARKS>();

  /** Answers false, for whoever filters. */
  leave(kind: keyof typeof REMARKS): false {
    this.kinds.add(kind);
    return false;
  }

  /** Sentences for the model. */
  remarks(): string[] {
    return [...this.kinds].map((kind) => REMARKS[kind]);
  }
}
