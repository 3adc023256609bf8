import type { Clock } from '../../core/support/clock.ts';
import type { Disposable } from '../../core/support/event.ts';
import type { ReadOnlyDocuments } from '../workspace/readOnlyDocuments.ts';
import { PromptTerminals, runInTerminal } from '../terminal/promptTerminals.ts';
import { applyToFile, type ApplyToFileOptions } from './applyToFile.ts';
import { insertAtCursor, openReplyAsFile, openReplyFile, type ReplyCode } from './replyFiles.ts';
import * as vscode from 'vscode';
import { diagramDocument, mayLoadAddress } from '../../core/code/diagrams.ts';
import { UserError } from '../errors.ts';

/**
 * The actions of a code block in a reply, besides copying. Errors are reported as
 * `UserError`.
 */
export interface ReplyActions {
  /** Opens the file of the code block at a 1-based line. */
  open(path: string, line: number | undefined): Promise<void>;
  apply(code: ReplyCode): Promise<void>;
  newFile(code: ReplyCode): Promise<void>;
  insert(text: string): Promise<void>;
  /** Inserts a command into a terminal, and never runs it. */
  runInTerminal(text: string): Promise<void>;
  preview(diagram: string): Promise<void>;
}

export interface ReplyActionsOptions extends ApplyToFileOptions {
  readonly clock: Clock;
  readonly texts: ReadOnlyDocuments;
}

export function createReplyActions(options: ReplyActionsOptions): ReplyActions & Disposable {
  const { find, clock, gate, texts } = options;
  const terminals = new PromptTerminals(clock);
  return {
    open: (path, line) => openReplyFile(path, line, find),
    apply: (code) => applyToFile(code, options),
    newFile: (code) => openReplyAsFile(code, options),
    insert: (text) => insertAtCursor(text, gate),
    runInTerminal: (text) => runInTerminal(text, terminals),
    preview: (diagram) => previewDiagram(diagram, texts),
    dispose: () => terminals.dispose(),
  };
}

/**
 * Shows a diagram of a reply in the Markdown preview, as a read-only document.
 *
 * @throws {UserError} if the diagram contains an address, since the preview may load images
 */
async function previewDiagram(diagram: string, texts: ReadOnlyDocuments): Promise<void> {
  if (mayLoadAddress(diagram)) {
    throw new UserError(
      vscode.l10n.t(
        "Diagrams with addresses or images aren't previewed: the preview could load these from the network.",
      ),
    );
  }
  const uri = texts.keep(`${vscode.l10n.t('Diagram')}.md`, diagramDocument(diagram));
  await vscode.commands.executeCommand('markdown.showPreview', uri);
}
