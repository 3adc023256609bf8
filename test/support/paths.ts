import { join, resolve } from 'node:path';

/** The folder of `package.json`. */
export const projectFolder = resolve(import.meta.dirname, '../..');

/** Downloads that outlive a run: VS Code, and a browser where the machine has none. */
export const downloadsFolder = join(projectFolder, '.vscode-test');

/** What a run leaves behind to look at. */
export const outFolder = join(projectFolder, 'out');
