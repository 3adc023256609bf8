/** The pieces of user messages: the person's text, attachments, images and instructions. */
import { AttachmentFormatter } from '../attachments/attachmentFormatter.ts';
import type { Attachment, UserMessage } from '../conversation/conversation.ts';
import type { PartChoices } from '../conversation/partChoices.ts';
import type { WireMessage } from '../service/wire.ts';
import { chosenAttachments } from './chosenParts.ts';

const instructionsHead =
  'The person asks you to follow these workspace instructions where they apply to the request. They grant no permissions.';

const skillsHead =
  'The person allows these skills. Where one fits the task, read its file with read_file and follow it; paths in it are relative to its folder. They grant no permissions.';

/** Stands for an image that is not sent. */
const leftOutImage = 'not sent, as this model takes no images.';
const missingImage = 'not sent, as its file is missing.';
/** The data URL of an attached image; undefined if its file is missing. */
export type ImageUrls = (attachment: Attachment) => string | undefined;

/** Selects the files that an instruction file applies to. */
export interface InstructionScope {
  /** Path of the folder that contains the files, ending with `/`; absent for globs. */
  readonly folder?: string;
  /** @param path in the form of `Attachment.path` */
  has(path: string): boolean;
}

export interface InstructionFile {
  readonly path: string;
  readonly text: string;
  /** Absent if it applies to all files. */
  readonly scope?: InstructionScope | undefined;
}

/** A text or an image of a user message. */
export interface MessagePiece {
  readonly kind: 'message' | 'attachment' | 'image' | 'instructions' | 'summary';
  /** Path of a file or label of an attachment; empty for the person's text. */
  readonly name: string;
  /** Id of an attachment; empty for other pieces. */
  readonly id: string;
  /** The id of the turn of the message; empty for instructions and summaries. */
  readonly turn: string;
  readonly text: string;
}

export const pieceSeparator = '\n\n';

type UserWireMessage = Extract<WireMessage, { role: 'user' }>;

/** Joins pieces into a message. Without images the field `images` is absent. */
export function userMessage(pieces: readonly MessagePiece[]): UserWireMessage {
  const images = pieces.filter(({ kind }) => kind === 'image').map(({ text }) => text);
  const texts = pieces.filter(({ kind }) => kind !== 'image').map(({ text }) => text);
  const content = texts.join(pieceSeparator);
  return { role: 'user', content, ...(images.length === 0 ? {} : { images }) };
}

/** Stands for a reply where the model never replied to the results of its calls. */
export const missingReply = '(The reply ends here.)';

/** What is sent before the chat besides the system message. */
export interface FileInstructions {
  /** Instruction files of the workspace that the person enabled; those for its files are sent. */
  readonly files?: readonly InstructionFile[] | undefined;
  /** The lines of the skills that the person allowed. */
  readonly skills?: readonly InstructionFile[] | undefined;
}

/**
 * The pieces with skills and workspace instructions, which precede the person's text in a user
 * message: the system message has nothing from a workspace, and some templates refuse a user message
 * after another one. None without a file.
 */
export function fileInstructions({
  files = [],
  skills = [],
}: FileInstructions): readonly MessagePiece[] {
  const texts = new AttachmentFormatter();
  const piece = (name: string, text: string, id = ''): MessagePiece => ({
    kind: 'instructions',
    turn: '',
    id,
    name,
    text,
  });
  const fenced = files.map(({ path, text }) =>
    piece(path, texts.format({ id: path, name: path, path, language: 'markdown', text })),
  );
  return [
    ...(skills.length === 0 ? [] : [piece('', skillsHead, 'skills')]),
    ...skills.map(({ path, text }) => piece(path, text)),
    ...(files.length === 0 ? [] : [piece('', instructionsHead)]),
    ...fenced,
  ];
}

/** Writes the messages of a request, from first to last, without the left-out attachments. */
export class MessageFormatter {
  readonly #attachments = new AttachmentFormatter();
  readonly #images: ImageUrls | undefined;
  readonly choices: PartChoices | undefined;

  /** @param images undefined for a model that takes no images */
  constructor(images: ImageUrls | undefined, choices: PartChoices | undefined) {
    this.#images = images;
    this.choices = choices;
  }

  /**
   * The pieces of a message: attachments first, so that a service can cache them, and images before
   * texts.
   */
  piecesOf({ text, attachments }: UserMessage, turn = ''): readonly MessagePiece[] {
    const chosen = chosenAttachments(attachments, this.choices);
    const attached = chosen.map((attachment) => ({ ...this.#pieceOf(attachment), turn }));
    const images = attached.filter(({ kind }) => kind === 'image');
    const texts = attached.filter(({ kind }) => kind !== 'image');
    return [...images, ...texts, { kind: 'message', name: '', id: '', turn, text }];
  }

  #pieceOf(attachment: Attachment): Omit<MessagePiece, 'turn'> {
    const { id, name, image } = attachment;
    const isSent = this.#attachments.stateOf(attachment) === 'unchanged';
    const text = this.#attachments.format(attachment);
    if (image === undefined || isSent) return { kind: 'attachment', name, id, text };
    const url = this.#images?.(attachment);
    if (url !== undefined) return { kind: 'image', name, id, text: url };
    const reason = this.#images === undefined ? leftOutImage : missingImage;
    return { kind: 'attachment', name, id, text: `${text}: ${reason}` };
  }
}
