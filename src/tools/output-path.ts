const FOLDER = '.parley/outputs/';
const PATH = /^(?:\.\/)?\.parley\/outputs\/([A-Za-z0-9_-]{1,64})\.txt$/;

/** Where `read` opens the output of an earlier call. No file: it is read from the log. */
export function outputPath(toolCallId: string): string {
  return `${FOLDER}${toolCallId}.txt`;
}

/** The call whose output the path stands for; undefined if it stands for a file. */
export function outputIdOf(path: string): string | undefined {
  return PATH.exec(path)?.[1];
}
