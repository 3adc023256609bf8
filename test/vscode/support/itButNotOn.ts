import * as vscode from 'vscode';
import { versions } from '../../support/vscode/versions.ts';

/** The hosts on which a test may be impossible, and whether this is one. */
const isHere = {
  oldest: vscode.version === versions.oldest.replace(/^4/, '1'),
  virtual: vscode.workspace.workspaceFolders?.[0]?.uri.scheme !== 'file',
};

/** Declares a test of what a host lacks; there the run says so instead. */
export function itButNotOn(
  host: keyof typeof isHere,
  title: string,
  reason: string,
  test: () => Promise<void>,
): void {
  if (!isHere[host]) it(title, test);
  else console.log(`${process.env['ASIDE_REPORT_MARK'] ?? ''}Not on ${host}: ${title}: ${reason}`);
}
