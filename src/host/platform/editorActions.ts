import * as vscode from 'vscode';
import { restoreMasks } from '../../core/edits/applyEdits.ts';
import { type Splice, splicesBetween } from '../../core/edits/lineDiff.ts';
import { withLineEndings, withoutByteOrderMark } from '../../core/edits/lineEndings.ts';
import { windowDialogs } from './dialogs.ts';
import { UserError } from './errors.ts';

/** The most characters of a query and fragment: longer ones may send data. */
const maxTailLength = 40;

/**
 * Replaces masks in code of a reply by the secrets of a file.
 * @param file the text of the file that it is for; empty for a new one
 * @throws {UserError} if a mask stands for no secret of the file
 */
export function withSecretsOf(file: string, code: string): string {
  const restored = restoreMasks(code, file);
  if (restored !== undefined) return restored;
  throw new UserError(
    vscode.l10n.t(
      "This code has “‹masked …›” in place of a secret that isn't in the file. Copy the code, and fill in the secret yourself.",
    ),
  );
}

export async function openNewFile(text: string, name: string): Promise<void> {
  const content = withSecretsOf('', text);
  const language = aliases[name.toLowerCase()] ?? name.toLowerCase();
  const isKnown = (await vscode.languages.getLanguages()).includes(language);
  const document = await vscode.workspace.openTextDocument(
    isKnown ? { content, language } : { content },
  );
  await vscode.window.showTextDocument(document);
}

/** Opens a link of a reply. Asks first if the address is suspicious. */
export async function openLink(href: string, label: string): Promise<void> {
  const verdict = judgeLink(href, label);
  if (verdict.type === 'refuse') {
    throw new UserError(vscode.l10n.t('Only web links (http and https) can be opened.'));
  }
  if (verdict.type === 'ask') {
    const message = vscode.l10n.t('Open this link from the model?');
    const [open, leave] = [vscode.l10n.t('Open'), vscode.l10n.t("Don't Open")];
    if ((await windowDialogs.decide(message, verdict.address, open, leave)) !== true) return;
  }
  await vscode.env.openExternal(vscode.Uri.parse(verdict.address, true));
}

/** VS Code's ids of languages for which models use other names. */
const aliases: Readonly<Record<string, string>> = {
  bash: 'shellscript',
  cs: 'csharp',
  'c++': 'cpp',
  docker: 'dockerfile',
  js: 'javascript',
  jsx: 'javascriptreact',
  md: 'markdown',
  ps1: 'powershell',
  py: 'python',
  rb: 'ruby',
  rs: 'rust',
  sh: 'shellscript',
  shell: 'shellscript',
  ts: 'typescript',
  tsx: 'typescriptreact',
  yml: 'yaml',
  zsh: 'shellscript',
};

type LinkVerdict =
  | { readonly type: 'refuse' }
  /** Open it. VS Code itself asks if it doesn't trust the host. */
  | { readonly type: 'open'; readonly address: string }
  /** Ask first and show the full address: it may send data, or imitate another address. */
  | { readonly type: 'ask'; readonly address: string };

/** Judges a link that a model wrote, by its address and by the text that names it. */
export function judgeLink(href: string, label: string): LinkVerdict {
  const url = URL.parse(href);
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
    return { type: 'refuse' };
  }
  if (url.username !== '' || url.password !== '') return { type: 'ask', address: url.href };
  const carries = url.search.length + url.hash.length > maxTailLength;
  const foreign = url.hostname.split('.').some((part) => part.startsWith('xn--'));
  const misnamed = namesAnotherHost(label, url);
  return { type: carries || foreign || misnamed ? 'ask' : 'open', address: url.href };
}

/** Characters that change the display order of text, so that it can't be known how it reads. */
const directions = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/;
/** A scheme, or two words with a dot between them. */
const looksLikeAddress = /:[/\\]|[\p{L}\p{N}_-][.\u3002][\p{L}\p{N}_-]/u;

/**
 * True if a word of a link's text looks like an address, and the link leads to another host than
 * that. What only resembles an address counts too: "main.rs" may be a file or a host.
 */
function namesAnotherHost(label: string, url: URL): boolean {
  if (directions.test(label)) return true;
  const visible = label.normalize('NFKC').replace(/[\p{Default_Ignorable_Code_Point}\p{Cf}]/gu, '');
  return visible.split(/\s+/).some((word) => looksLikeAddress.test(word) && !isOfHost(word, url));
}

/** True if a word with any punctuation around it is an address of the same host. */
function isOfHost(word: string, { host }: URL): boolean {
  const address = /[\p{L}\p{N}].*[\p{L}\p{N}/]/u.exec(word)?.[0] ?? '';
  const named = URL.parse(/^https?:\/\//i.test(address) ? address : `https://${address}`);
  if (named === null || named.username + named.password !== '') return false;
  return named.host.replace(/^www\./, '') === host.replace(/^www\./, '');
}

/** The error for a file whose text is no longer the one that a change was made for. */
export function fileChangedError(label: string): UserError {
  return new UserError(vscode.l10n.t('{0} has changed meanwhile. Try again.', label));
}

/** Adds the fewest replacements that give a document a text, with the document's line endings and no byte order mark. */
export function replaceText(
  edit: vscode.WorkspaceEdit,
  document: vscode.TextDocument,
  text: string,
): void {
  const wanted = withLineEndings(
    withoutByteOrderMark(text),
    document.eol === vscode.EndOfLine.CRLF ? '\r\n' : '\n',
  );
  replaceRanges(edit, document, splicesBetween(document.getText(), wanted));
}

export function replaceRanges(
  edit: vscode.WorkspaceEdit,
  document: vscode.TextDocument,
  splices: readonly Splice[],
): void {
  for (const { start, end, text } of splices) {
    const range = new vscode.Range(document.positionAt(start), document.positionAt(end));
    edit.replace(document.uri, range, text);
  }
}
