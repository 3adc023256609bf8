/** A message of a request. */
export interface Message {
  readonly role: string;
  readonly content: string;
}

/** Code in a message: a fenced block below a line such as `src/app.ts, lines 3-9:`. */
export interface CodeBlock {
  /** The line above, without its colon. */
  readonly title: string;
  /** The word after the fence, for example `ts`. */
  readonly language: string;
  readonly text: string;
}

interface ParsedMessage {
  /** The text outside the fenced blocks, without their titles. */
  readonly words: string;
  readonly blocks: readonly CodeBlock[];
}

const fence = /^ {0,3}(`{3,}|~{3,})\s*([\w+#.-]*)/;

/** Parses a message. An unterminated block extends to the end. */
export function parseMessage(content: string): ParsedMessage {
  const lines = content.split('\n');
  const words: string[] = [];
  const blocks: CodeBlock[] = [];
  for (let index = 0; index < lines.length; index += 1) {
    const [, marks, language = ''] = fence.exec(lines[index] ?? '') ?? [];
    if (marks === undefined) {
      words.push(lines[index] ?? '');
      continue;
    }
    const end = lines.findIndex((line, at) => at > index && line.trimEnd() === marks);
    const last = end < 0 ? lines.length : end;
    const text = lines.slice(index + 1, last).join('\n');
    blocks.push({ title: removeTitle(words), language, text });
    index = last;
  }
  return { words: words.join('\n').trim(), blocks };
}

/** Removes the title above a block from the words, and returns it; empty if there is none. */
function removeTitle(words: string[]): string {
  const at = words.findLastIndex((line) => line.trim() !== '');
  const title = (words[at] ?? '').trim();
  if (!/[/.\\]|:$/.test(title)) return '';
  words.splice(at);
  return title.replace(/:$/, '');
}

/** A request of a command that changes code, as Aside writes it. */
export interface EditRequest {
  readonly kind: 'edit' | 'tests';
  readonly path: string;
  /** VS Code's id; empty if the request doesn't have it. */
  readonly language: string;
  readonly piece: string;
  readonly before: string;
  readonly after: string;
  readonly task: string;
  /** The file of the tests, and its text if it exists. */
  readonly testPath: string;
  readonly testText: string | undefined;
}

const pieceTitle =
  /^(.*), the (?:piece to rewrite|code to test), lines \d+-\d+(?: \(invisible characters: \d+\))?$/;
const emptyPiece =
  /^(.*), the (?:piece to rewrite|code to test): line \d+, which is still empty\./m;

/** Reads a request of Fix, Improve, Document, Edit or Write Tests; undefined for a chat. */
export function readEditRequest(messages: readonly Message[]): EditRequest | undefined {
  const user = requestOf(messages, 'You (?:rewrite one piece of a file|write tests)\\.');
  if (user === undefined) return undefined;
  const { blocks, words } = parseMessage(user);
  const titled = blocks.find(({ title }) => pieceTitle.test(title));
  const textOf = (end: string): string | undefined =>
    blocks.find(({ title }) => title.endsWith(end))?.text;
  const isTests = /\bYou write tests\./.test(messages[0]?.content ?? '');
  const tests = blocks.find(({ title }) => title.endsWith(', the test file as it is'));
  const newPath = /The tests go into the new file "((?:[^"\\]|\\.)*)"/.exec(words)?.[1];
  return {
    kind: isTests ? 'tests' : 'edit',
    path: pieceTitle.exec(titled?.title ?? '')?.[1] ?? emptyPiece.exec(words)?.[1] ?? '',
    language: (titled ?? blocks[0])?.language ?? '',
    piece: titled?.text ?? '',
    before: textOf(', the code before the piece, not to be repeated') ?? '',
    after: textOf(', the code after the piece, not to be repeated') ?? '',
    task: /^Task: ([^]*)$/m.exec(words)?.[1]?.trim() ?? '',
    testPath: newPath ?? tests?.title.replace(/, the test file as it is$/, '') ?? '',
    testText: tests?.text,
  };
}

/** The text of a request that Aside writes itself, by a pattern of its task; undefined for others. */
export function requestOf(
  [system, user, ...more]: readonly Message[],
  task: string,
): string | undefined {
  const pattern = new RegExp(`^You are Aside, a coding assistant in VS Code\\. ${task}`);
  const isRequest = system?.role === 'system' && pattern.test(system.content) && more.length === 0;
  return isRequest && user?.role === 'user' ? user.content : undefined;
}
