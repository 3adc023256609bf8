/** A function, class or the like that a piece of code defines. */
export interface FoundName {
  readonly kind: string;
  readonly name: string;
  /** Of the piece, from 1. */
  readonly line: number;
}

const definition =
  /(?:^|\s)(function\*?|class|interface|struct|enum|trait|def|fn|func|type|module)\s+(?:\([^()]{0,80}\)\s*)?([A-Za-z_$][\w$]*)/;
const arrow =
  /(?:^|\s)(?:const|let|var)\s+([A-Za-z_$][\w$]*)[^=]{0,80}=\s*(?:async\s*)?(?:function\b|\w+\s*=>|\([^()]{0,200}\)[^=]{0,80}=>)/;
const comment = /^\s*(?:\/\/|#|\*|\/\*|--)/;

/** The names that the code defines, in order: by the look of its lines, in any usual language. */
export function findNames(code: string): readonly FoundName[] {
  const lines = code.split('\n', 5000);
  return lines.flatMap((text, index) => nameIn(text.slice(0, 400), index + 1));
}

function nameIn(text: string, line: number): readonly FoundName[] {
  if (comment.test(text)) return [];
  const [, word, name] = definition.exec(text) ?? [];
  if (word !== undefined && name !== undefined) return [{ kind: kindOf(word), name, line }];
  const assigned = arrow.exec(text)?.[1];
  return assigned === undefined ? [] : [{ kind: 'function', name: assigned, line }];
}

function kindOf(word: string): string {
  return /^(?:function|def|fn|func)/.test(word) ? 'function' : word;
}

const languages: Readonly<Record<string, string>> = {
  c: 'C',
  cpp: 'C++',
  cs: 'C#',
  css: 'CSS',
  go: 'Go',
  html: 'HTML',
  java: 'Java',
  js: 'JavaScript',
  jsx: 'JavaScript',
  json: 'JSON',
  kt: 'Kotlin',
  md: 'Markdown',
  php: 'PHP',
  py: 'Python',
  rb: 'Ruby',
  rs: 'Rust',
  sh: 'Shell',
  sql: 'SQL',
  swift: 'Swift',
  ts: 'TypeScript',
  tsx: 'TypeScript',
  yaml: 'YAML',
  yml: 'YAML',
};

/** The language by the word after the fence, else by the end of the path. */
export function languageOf({ language, path }: { language: string; path: string }): string {
  const id = language.toLowerCase();
  const known = Object.values(languages).find((name) => name.toLowerCase() === id);
  const ending = path.slice(path.lastIndexOf('.') + 1).toLowerCase();
  return known ?? languages[id] ?? (id === '' ? (languages[ending] ?? 'text') : language);
}
