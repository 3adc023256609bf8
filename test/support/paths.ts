import { join, resolve } from 'node:path';

/** Folder of `package.json`. */
export const projectFolder = resolve(import.meta.dirname, '../..');

/** Downloads that are reused between runs: VS Code, and a browser if the machine has none. */
export const downloadsFolder = join(projectFolder, '.vscode-test');

/** Results of a run, for inspection. */
export const outFolder = join(projectFolder, 'out');
