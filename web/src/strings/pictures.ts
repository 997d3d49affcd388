export const picturesText = {
  gone: 'It was deleted',
  damaged: 'It can’t be shown',
  failed: 'It was not loaded. Try again',
  download: (size: string) => `Download (${size})`,
  ofTool: (tool: string, at: number, of: number) =>
    of === 1 ? `Image of ${tool}` : `Image ${at} of ${of} of ${tool}`,
};
