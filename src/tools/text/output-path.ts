const FOLDER = '.parley/outputs/';
const PATH = /^(?:\.\/)?\.parley\/outputs\/([A-Za-z0-9_-]{1,64})\.txt$/;

/**
 * The path by which `read` opens the output of an earlier call. It is no file: the output is read
 * from the log.
 */
export function outputPath(toolCallId: string): string {
  return `${FOLDER}${toolCallId}.txt`;
}

/** Returns the id of the call whose output the path names; undefined if the path names a file. */
export function outputIdOf(path: string): string | undefined {
  return PATH.exec(path)?.[1];
}
