import type { Attachment } from '../conversation/conversation.ts';
import { unifiedDiff } from '../edits/unifiedDiff.ts';
import { fenceFor, oneLine, revealInvisible, type RevealedText } from '../support/text.ts';

/** What the model knows of an attachment from earlier questions of the same request. */
type AttachmentState = 'attached' | 'unchanged' | 'changed';

/**
 * Writes attached texts into the questions of a request, from its first to its last. A text that
 * the model has from an earlier question is not sent again; one that changed since comes as its
 * changes where they are shorter. What is written depends on the questions before it alone, so the
 * beginning of a request stays the same from turn to turn.
 */
export class AttachmentFormatter {
  /** The text that the model has, by what it is of. */
  readonly #known = new Map<string, Attachment>();

  /** An attachment as data: fenced, with invisible characters made visible. */
  format(attachment: Attachment): string {
    const known = this.#known.get(attachmentKey(attachment));
    this.#known.set(attachmentKey(attachment), attachment);
    const label = labelOf(attachment);
    if (known?.text === attachment.text) return `${label}: unchanged since it was attached above.`;
    const whole = fenced(label, known === undefined ? [] : ['changed'], attachment);
    if (known === undefined) return whole;
    const changes = changesOf(label, known, attachment);
    return changes.length < whole.length ? changes : whole;
  }

  /** What {@link write} would make of it, without having it written. */
  stateOf(attachment: Attachment): AttachmentState {
    const known = this.#known.get(attachmentKey(attachment));
    if (known === undefined) return 'attached';
    return known.text === attachment.text ? 'unchanged' : 'changed';
  }
}

/** What an attachment is of, as text: two of the same file and lines have the same. */
export function attachmentKey({ kind = 'file', path, range }: Attachment): string {
  const isFile = kind === 'file' || kind === 'selection' || kind === 'symbol';
  return JSON.stringify([isFile ? 'file' : kind, path, range?.start, range?.end]);
}

/** A file's name is data too: it must not begin a line of its own. */
function labelOf({ path, range }: Attachment): string {
  const shown = oneLine(path, Infinity);
  return range === undefined ? shown : `${shown}, lines ${range.start}-${range.end}`;
}

function fenced(label: string, remarks: readonly string[], attachment: Attachment): string {
  const { text, count } = revealed(attachment);
  const hidden = count === 0 ? [] : [`invisible characters shown as \\u{…}: ${count}`];
  const notes = [...remarks, ...hidden].join(', ');
  const fence = fenceFor(text);
  const end = text.endsWith('\n') ? '' : '\n';
  const head = notes === '' ? label : `${label} (${notes})`;
  return `${head}:\n${fence}${attachment.language}\n${text}${end}${fence}`;
}

function changesOf(label: string, before: Attachment, after: Attachment): string {
  const changes = unifiedDiff(revealed(before).text, revealed(after).text);
  const fence = fenceFor(changes);
  return `${label} (changed since it was attached above, as a diff):\n${fence}diff\n${changes}${fence}`;
}

/** Attachments never change, and are written for each request. */
const shown = new WeakMap<Attachment, RevealedText>();

function revealed(attachment: Attachment): RevealedText {
  const known = shown.get(attachment) ?? revealInvisible(attachment.text);
  shown.set(attachment, known);
  return known;
}
