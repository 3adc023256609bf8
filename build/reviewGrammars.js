import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';

const brackets = [
  ['{', '}'],
  ['[', ']'],
  ['(', ')'],
];

/**
 * Writes the grammars of `package.json`, one for each language of a review: each includes the
 * grammar that its scope is named after. Also writes the brackets that all of them have.
 * @param {string} folder
 */
export async function writeReviewGrammars(folder) {
  const { contributes } = JSON.parse(await readFile('package.json', 'utf8'));
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'brackets.json'), JSON.stringify({ brackets }));
  for (const { scopeName, path } of contributes.grammars) {
    const patterns = [{ include: scopeName.replace(/\.aside-review$/, '') }];
    await writeFile(join(folder, basename(path)), JSON.stringify({ scopeName, patterns }));
  }
}
