import * as vscode from 'vscode';
import { versions } from '../../support/vscode/versions.ts';

/** Hosts on which a test may be impossible; true for the current one. */
const isHere = {
  oldest: vscode.version === versions.oldest.replace(/^4/, '1'),
  virtual: vscode.workspace.workspaceFolders?.[0]?.uri.scheme !== 'file',
};

/** Declares a test of something that a host lacks. There, the run prints the reason instead. */
export function itButNotOn(
  host: keyof typeof isHere,
  title: string,
  reason: string,
  test: () => Promise<void>,
): void {
  if (!isHere[host]) it(title, test);
  else console.log(`${process.env['ASIDE_REPORT_MARK'] ?? ''}Not on ${host}: ${title}: ${reason}`);
}
