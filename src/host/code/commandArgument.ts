import * as vscode from 'vscode';
import { isObject } from '../../core/support/json.ts';

/** What a command on code is about, where something else than the cursor says it. */
export interface CodeCommandArgument {
  readonly uri: vscode.Uri;
  readonly range: vscode.Range;
  /** The problems that the command is to deal with. */
  readonly diagnostics?: readonly vscode.Diagnostic[];
  /** What the person wants of it, in words besides the command's own. */
  readonly instruction?: string;
}

/** Whether a command was given that: a menu gives other things, and a key nothing. */
export function isCodeCommandArgument(given: unknown): given is CodeCommandArgument {
  if (!isObject(given)) return false;
  const { uri, range, diagnostics = [] } = given;
  return uri instanceof vscode.Uri && range instanceof vscode.Range && Array.isArray(diagnostics);
}
