import { globSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import ts from 'typescript';

const root = new URL('../../src/', import.meta.url);

/** Every script of `src`, as a relative path with slashes. */
export const sourceFiles: readonly string[] = globSync('**/*.{ts,tsx}', { cwd: root }).map((file) =>
  file.replaceAll('\\', '/'),
);

export function readSource(file: string): string {
  return readFileSync(new URL(file, root), 'utf8');
}

/** Modules that a file imports, including type imports: those in `src` as relative paths. */
export function importsOf(file: string, text: string): string[] {
  const { importedFiles } = ts.preProcessFile(text, true, true);
  return importedFiles.map(({ fileName }) =>
    fileName.startsWith('.') ? posix.join(posix.dirname(file), fileName) : fileName,
  );
}
