/** The server has an endpoint for audio, as its page tells. */
export const hasAudio = document.querySelector('meta[name=parley-audio]') !== null;

/** Pages that come over plain HTTP from another machine have no microphone. */
export const canRecord =
  hasAudio &&
  'MediaRecorder' in globalThis &&
  (navigator as Partial<Navigator>).mediaDevices !== undefined;
