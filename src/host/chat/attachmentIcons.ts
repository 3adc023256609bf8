import type { AttachmentKind } from '../../core/conversation/conversation.ts';

/** Codicons of what can be attached. They are packaged with those that the view names. */
export const attachmentIcons = {
  file: 'file-code',
  folder: 'folder',
  symbol: 'symbol-method',
  selection: 'selection',
  problems: 'warning',
  changes: 'diff',
  terminal: 'terminal',
} as const satisfies Readonly<Record<AttachmentKind, string>>;

export const openEditorsIcon = 'files';
export const instructionsIcon = 'book';
export const promptIcon = 'comment';
export const openPromptsIcon = 'folder-opened';
