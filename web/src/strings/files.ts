export const filesText = {
  upload: 'Upload files',
  drop: 'Drop files to upload them',
  empty: 'No files yet. Those that you attach, upload, or that agents make are listed here.',
  download: (name: string) => `Download ${name}`,
  delete: (name: string) => `Delete ${name}`,
  deleteTitle: 'Delete this file?',
  deleteHint: (name: string) => `${name} goes for good. Messages that it came with stay.`,
  dismiss: (name: string) => `Dismiss ${name}`,
  more: 'Show more files',
};

export const picturesText = {
  gone: 'It was deleted',
  damaged: 'It can’t be shown',
  large: 'Too large to show',
  failed: 'It was not loaded. Try again',
  download: (size: string) => `Download (${size})`,
  ofTool: (tool: string, at: number, of: number) =>
    of === 1 ? `Image of ${tool}` : `Image ${at} of ${of} of ${tool}`,
};
