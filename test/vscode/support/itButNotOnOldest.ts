import * as vscode from 'vscode';
import { versions } from '../../support/vscode/versions.ts';

const isOldest = vscode.version === versions.oldest.replace(/^4/, '1');

/** Declares a test of what the oldest VS Code lacks; there the run says so instead. */
export function itButNotOnOldest(title: string, reason: string, test: () => Promise<void>): void {
  if (!isOldest) it(title, test);
  else console.log(`${process.env['ASIDE_REPORT_MARK'] ?? ''}Not on oldest: ${title}: ${reason}`);
}
