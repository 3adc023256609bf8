/**
 * Code of a reply as a file has it: line feeds alone between its lines and none at its end, and
 * without a first line that only names the file, unless the file begins with that line too.
 * @param path as the reply named it, without which no line is such a name
 * @param file the text of the file
 */
export function codeToPlace(code: string, path: string | undefined, file: string): string {
  const lines = code.replaceAll('\r\n', '\n').replace(/\n+$/, '').split('\n');
  const [first = '', ...rest] = lines;
  const isName = path !== undefined && namesOnly(first, path) && !hasLine(file, first);
  return (isName ? withoutBlankStart(rest) : lines).join('\n');
}

/** A comment is marks, maybe a word for "file", the path, and marks. */
function namesOnly(line: string, path: string): boolean {
  const at = line.indexOf(path);
  if (at < 0) return false;
  const before = line.slice(0, at).replace(/(?:file|filename|filepath|path):\s*/i, '');
  const after = line.slice(at + path.length).replace(/^(?::\d+(?:[-–:]\d+)*|#L\d+(?:-L?\d+)?)/, '');
  const isComment = /^\s*(?:\/\/+|\/\*+|<!--|\(\*|#+|--+|;+|%+)\s*(?:\.[\\/])?$/.test(before);
  return isComment && /^\s*(?:\*+\/|-->|\*\))?\s*$/.test(after);
}

function hasLine(file: string, line: string): boolean {
  return file.split(/\r?\n/, 3).includes(line);
}

function withoutBlankStart(lines: readonly string[]): readonly string[] {
  const first = lines.findIndex((line) => line.trim() !== '');
  return first < 0 ? [] : lines.slice(first);
}
