/** Code in a message: a fenced block, under a line such as `src/app.ts, lines 3-9:`. */
export interface Attachment {
  /** The label as it stands in the message, without the range of lines. */
  readonly path: string;
  /** For example `3-9`; empty where the label has none. */
  readonly lines: string;
  /** The word after the fence, for example `ts`. */
  readonly language: string;
  readonly code: string;
}

export interface ReadMessage {
  /** The text outside the fenced blocks; at most the first 4,000 characters. */
  readonly question: string;
  readonly attachments: readonly Attachment[];
}

const fence = /^ {0,3}(`{3,}|~{3,})\s*([\w+#.-]*)/;

/** Takes a message apart. A block that is never closed reaches to the end. */
export function readMessage(text: string): ReadMessage {
  const lines = text.split(/\r?\n/);
  const question: string[] = [];
  const attachments: Attachment[] = [];
  for (let index = 0; index < lines.length; index += 1) {
    const [, marks, language = ''] = fence.exec(lines[index] ?? '') ?? [];
    if (marks === undefined) {
      question.push(lines[index] ?? '');
      continue;
    }
    const end = endOfBlock(lines, index + 1, marks);
    attachments.push({
      ...takeLabel(question),
      language,
      code: lines.slice(index + 1, end).join('\n'),
    });
    index = end;
  }
  return { question: question.join('\n').trim().slice(0, 4000), attachments };
}

function endOfBlock(lines: readonly string[], start: number, marks: string): number {
  const end = lines.findIndex((line, at) => at >= start && line.trimEnd() === marks);
  return end < 0 ? lines.length : end;
}

/** Path, lines, a remark in brackets, a colon; perhaps dressed up as a heading or as code. */
const label =
  /^[#>*\s`]*(.{1,300}?)`?(?:,? \(?lines? (\d+)(?:\s*[-–]\s*(\d+))?\)?)?(?: \([^()]{0,100}\))?[`*]*:?[`*\s]*$/;

/** The label before a block, which is then no part of the question any more. */
function takeLabel(question: string[]): { path: string; lines: string } {
  const at = question.findLastIndex((line) => line.trim() !== '');
  const line = question[at] ?? '';
  const [, path = '', from, to = from] = label.exec(line) ?? [];
  if (path === '' || !(/[/.\\]/.test(path) || line.trimEnd().endsWith(':')))
    return { path: 'the attached code', lines: '' };
  question.splice(at);
  return { path, lines: from === undefined ? '' : from === to ? from : `${from}-${to ?? from}` };
}
