/** A file that differs from the last commit. */
export interface ChangedFile {
  /** How it is called; after a rename the name that it has now. */
  readonly label: string;
  /** `modified`, `new`, `deleted`, `renamed from …`. */
  readonly status: string;
  readonly isStaged: boolean;
  readonly isUnstaged: boolean;
  /** The difference in Git's words; empty where there is none to show. */
  readonly diff: string;
  /** Why no difference is shown, where that must be said. */
  readonly note?: string;
}

/** Characters of one file's difference among others, and of all of them. */
const mostOfOne = 8_000;
const mostOfAll = 32_000;

/** The changes of a repository: a line for each file, and below it its difference as far as it fits. */
export function renderChanges(branch: string, files: readonly ChangedFile[]): string {
  if (files.length === 0) return `No changes on ${branch}.`;
  let room = mostOfAll;
  const parts = files.map((file) => {
    const diff = withoutHeader(file.diff);
    const own = Math.min(room, files.length === 1 ? mostOfAll : mostOfOne);
    const shown = cutAtLine(diff, own);
    room -= shown.length;
    const isCut = shown.length < diff.length;
    const note = isCut ? `(Cut: call it with path ${JSON.stringify(file.label)}.)` : '';
    const only = isCut && files.length === 1 ? '(Cut: read the file.)' : note;
    return [headOf(file), shown, only].filter((part) => part !== '').join('\n');
  });
  return [`Changes on ${branch}:`, ...parts].join('\n\n');
}

function headOf({ label, status, isStaged, isUnstaged, note }: ChangedFile): string {
  const stage = isStaged ? (isUnstaged ? 'partly staged' : 'staged') : 'not staged';
  return `${label}: ${status}, ${stage}${note === undefined ? '' : `. ${note}`}`;
}

/** Name and modes are told in our own line. */
function withoutHeader(diff: string): string {
  const start = diff.search(/^@@ /m);
  return (start < 0 ? '' : diff.slice(start)).trimEnd();
}

function cutAtLine(text: string, length: number): string {
  if (text.length <= length) return text;
  const end = text.lastIndexOf('\n', length);
  return text.slice(0, Math.max(0, end));
}
