import type { Attachment } from '../conversation/conversation.ts';
import { unifiedDiff } from '../edits/lineDiff.ts';
import { fenceFor, oneLine, revealInvisible, type RevealedText } from '../support/text.ts';

/** State of an attachment compared with earlier messages of the same request. */
type AttachmentState = 'attached' | 'unchanged' | 'changed';

/**
 * Formats the attachments of a request's messages, from first to last. A text that an earlier
 * message contains is not sent again; a changed text is sent as a diff if that is shorter. The
 * output depends only on the messages before, so the start of a request stays the same from turn to
 * turn.
 */
export class AttachmentFormatter {
  /** The text that was last sent, by the source of the attachment. */
  readonly #sent = new Map<string, Attachment>();

  /** Formats an attachment as fenced data, with invisible characters made visible. */
  format(attachment: Attachment): string {
    const previous = this.#sent.get(attachmentKey(attachment));
    this.#sent.set(attachmentKey(attachment), attachment);
    const label = attachmentLabel(attachment);
    const { image } = attachment;
    if (image !== undefined && previous === undefined)
      return `${label} (image, ${image.width} × ${image.height} pixels)`;
    if (previous?.text === attachment.text)
      return `${label}: unchanged since it was attached above.`;
    const fullText = fenced(label, previous === undefined ? [] : ['changed'], attachment);
    if (previous === undefined) return fullText;
    const changes = changesOf(label, previous, attachment);
    return changes.length < fullText.length ? changes : fullText;
  }

  /** The state of an attachment as {@link format} would send it, without formatting it. */
  stateOf(attachment: Attachment): AttachmentState {
    const previous = this.#sent.get(attachmentKey(attachment));
    if (previous === undefined) return 'attached';
    return previous.text === attachment.text ? 'unchanged' : 'changed';
  }
}

/** Identifies the source of an attachment: equal for the same file and lines. */
export function attachmentKey({ id, kind = 'file', path, range, image }: Attachment): string {
  if (image !== undefined) return JSON.stringify([kind, image.hash]);
  // Each pasted text is a source of its own.
  if (kind === 'pasted') return JSON.stringify([kind, id]);
  const isFile = kind === 'file' || kind === 'selection' || kind === 'symbol';
  return JSON.stringify([isFile ? 'file' : kind, path, range?.start, range?.end]);
}

/** Adds an attachment, replacing one with its id, or with the same file and lines. */
export function withAttachment(
  attachments: readonly Attachment[],
  added: Attachment,
): readonly Attachment[] {
  const index = attachments.findIndex(({ id }) => id === added.id);
  if (index >= 0) return attachments.with(index, added);
  const key = attachmentKey(added);
  return [...attachments.filter((other) => attachmentKey(other) !== key), added];
}

/** The name of an attachment in a request. As data, it must not contain line breaks. */
export function attachmentLabel({ name, path, range }: Attachment): string {
  const label = oneLine(path === '' ? name : path, Infinity);
  return range === undefined ? label : `${label}, lines ${range.start}-${range.end}`;
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

/** Attachments are immutable, and are formatted for each request. */
const revealedTexts = new WeakMap<Attachment, RevealedText>();

function revealed(attachment: Attachment): RevealedText {
  const previous = revealedTexts.get(attachment) ?? revealInvisible(attachment.text);
  revealedTexts.set(attachment, previous);
  return previous;
}
