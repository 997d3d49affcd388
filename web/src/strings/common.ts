export const common = {
  copy: 'Copy',
  copied: 'Copied',
  cancel: 'Cancel',
  close: 'Close',
  save: 'Save',
  delete: 'Delete',
  edit: 'Edit',
  retry: 'Try again',
  more: 'More',
  broken: 'This page can’t be shown. The server may have been upgraded since it was opened.',
  reload: 'Reload',
  unreachable: 'The server does not answer. Nothing was lost: try again when it is back.',
};
