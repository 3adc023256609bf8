/** A request of a command that changes code, as Aside writes it. */
export interface EditRequest {
  readonly kind: 'edit' | 'tests';
  readonly path: string;
  /** VS Code's id. */
  readonly language: string;
  readonly piece: string;
  /** The code before the piece, and whether it starts at the beginning of the file. */
  readonly before: string;
  readonly isFromStart: boolean;
  readonly after: string;
  readonly task: string;
  /** The file of the tests, and its text if it exists. */
  readonly testPath: string;
  readonly testText: string | undefined;
}

interface Message {
  readonly role: string;
  readonly content: string;
}

interface LabelledBlock {
  readonly title: string;
  readonly language: string;
  readonly text: string;
}

const roles =
  /^You are Aside, a coding assistant in VS Code\. You (rewrite one piece of a file|write tests)\./;
const pieceTitle =
  /^(.*), the (?:piece to rewrite|code to test), lines (\d+)-\d+(?: \(invisible characters: \d+\))?$/;

/** Reads a request of Fix, Improve, Document, Edit or Write Tests; undefined for a chat. */
export function readEditRequest(messages: readonly Message[]): EditRequest | undefined {
  const [system, user, ...more] = messages;
  const role = roles.exec(system?.role === 'system' ? system.content : '')?.[1];
  if (role === undefined || user?.role !== 'user' || more.length > 0) return undefined;
  const { blocks, words } = readBlocks(user.content);
  const titled = blocks.find(({ title }) => pieceTitle.test(title));
  const [, path = 'the file', line = '1'] = pieceTitle.exec(titled?.title ?? '') ?? [];
  const textOf = (end: string): string =>
    blocks.find(({ title }) => title.endsWith(end))?.text ?? '';
  const before = textOf(', the code before the piece, not to be repeated');
  const tests = blocks.find(({ title }) => title.endsWith(', the test file as it is'));
  const newPath = /The tests go into the new file "((?:[^"\\]|\\.)*)"/.exec(words)?.[1];
  return {
    kind: role === 'write tests' ? 'tests' : 'edit',
    path,
    language: titled?.language ?? '',
    piece: titled?.text ?? '',
    before,
    isFromStart: Number(line) - 1 === (before === '' ? 0 : before.split('\n').length),
    after: textOf(', the code after the piece, not to be repeated'),
    task: /^Task: ([^]*)$/m.exec(words)?.[1]?.trim() ?? '',
    testPath: newPath ?? tests?.title.replace(/, the test file as it is$/, '') ?? '',
    testText: tests?.text,
  };
}

/** Splits a message into fenced blocks with the titles above them, and the words between them. */
export function readBlocks(content: string): { blocks: readonly LabelledBlock[]; words: string } {
  const lines = content.split('\n');
  const blocks: LabelledBlock[] = [];
  const words: string[] = [];
  for (let index = 0; index < lines.length; index++) {
    const [, marks, language = ''] = /^(`{3,})([\w+#.-]*)$/.exec(lines[index] ?? '') ?? [];
    const end = marks === undefined ? -1 : lines.indexOf(marks, index + 1);
    if (end < 0) {
      words.push(lines[index] ?? '');
      continue;
    }
    const title = (words.pop() ?? '').replace(/:$/, '');
    blocks.push({ title, language, text: lines.slice(index + 1, end).join('\n') });
    index = end;
  }
  return { blocks, words: words.join('\n') };
}
