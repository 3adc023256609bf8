import * as vscode from 'vscode';
import type { AskReason } from '../../core/approval/action.ts';
import { renderFullChange, dialogText, type DialogText } from '../../core/approval/dialogText.ts';
import type { DialogRequest, ApprovalSubject } from '../../core/approval/gate.ts';
import type { Grant, GrantOffer } from '../../core/approval/grantScope.ts';
import { counted } from '../../core/support/counted.ts';
import { visibleText } from '../../core/support/text.ts';
import { isSameLocation, segmentsOf, fullPath, type Target } from '../../core/workspace/places.ts';
import { escapeNotification } from '../dialogs.ts';

/** The machine that a command runs on, and the user. */
export interface RunsAs {
  readonly host: string;
  readonly user: string;
}

export interface DialogContent {
  readonly message: string;
  readonly detail: string;
  /** The full text, to show before the dialog; undefined if the dialog contains all of it. */
  readonly longText: string | undefined;
}

/**
 * The texts of an approval, which state exactly what would happen (threats: I4, T28).
 *
 * @param chat name of the chat, if there are several
 */
export function dialogContent(
  { subject, reason }: DialogRequest,
  runsAs: RunsAs,
  language: string,
  chat = '',
): DialogContent {
  const text = textOf(subject, language);
  const excerpt = dialogText(text);
  const about = aboutOf(subject).map((line) => visibleText(line).replaceAll('\n', '\\u{a}'));
  const how = subject.type === 'run' ? runsAsText(subject.shell, runsAs) : '';
  const warning = [how, reasonOf(reason)].filter((part) => part !== '').join(' ');
  const what = textPart(excerpt);
  // The subject of the decision comes first, and text that every dialog has comes last.
  const parts =
    subject.type === 'run' ? [what, about.join('\n'), warning] : [about.join('\n'), what, warning];
  const from = chat === '' ? '' : escapeNotification(vscode.l10n.t('Chat: {0}', short(chat)));
  return {
    message: escapeNotification(messageOf(subject, reason)),
    detail: [...parts, from].filter((part) => part !== '').join('\n\n'),
    longText: excerpt.whole ? undefined : visibleText(text),
  };
}

/** The text that the person must be able to check word by word. */
function textOf(subject: ApprovalSubject, language: string): string {
  switch (subject.type) {
    case 'read':
      return '';
    case 'open':
      return subject.addresses.join('\n');
    case 'edit':
      return renderFullChange(
        subject.change.target.location.path,
        subject.change.before,
        subject.change.after,
        (count) => counted(vscode.l10n.t('{0} more scripts'), count, language),
      );
    case 'run':
      return subject.command;
    case 'external':
      return subject.call.input;
  }
}

function textPart({ text, whole, lines, characters }: DialogText): string {
  if (whole) return text;
  const begins =
    lines === 1
      ? vscode.l10n.t('Truncated: {0} characters in total.', characters)
      : vscode.l10n.t('Truncated: {0} lines in total.', lines);
  return `${text}\n\n${begins} ${vscode.l10n.t('The full text is open in the editor.')}`;
}

function messageOf(subject: ApprovalSubject, reason: AskReason): string {
  switch (subject.type) {
    case 'read':
      if (reason === 'secret')
        return vscode.l10n.t('Allow the model to read a file that may contain secrets?');
      if (reason === 'outside')
        return vscode.l10n.t('Allow the model to read outside the workspace?');
      return vscode.l10n.t('Allow the model to read this?');
    case 'open':
      return vscode.l10n.t('Allow the model to open this file?');
    case 'edit':
      return reason === 'outside'
        ? vscode.l10n.t('Allow a change to a file outside the workspace?')
        : vscode.l10n.t('Allow a change to a protected file?');
    case 'run':
      return vscode.l10n.t('Run this command in {0}?', short(folderName(subject.cwd)));
    case 'external':
      return vscode.l10n.t('Run “{0}”, a tool from another extension?', short(subject.call.tool));
  }
}

/** States the user, the machine and the shell of a command. */
function runsAsText(shell: string, { host, user }: RunsAs): string {
  const text = vscode.l10n.t(
    'Runs with your permissions as {0} on {1}, using {2}.',
    short(user),
    short(host),
    short(shell),
  );
  return escapeNotification(text);
}

/** A workspace folder has no relative path, so its name is used. */
function folderName({ label, location }: Target): string {
  return label === '.' ? (segmentsOf(location.path).at(-1) ?? label) : label;
}

function short(name: string): string {
  const text = visibleText(name).replaceAll('\n', ' ');
  return text.length > 60 ? `…${text.slice(-60)}` : text;
}

/** The file, folder or tool that the approval is for. */
function aboutOf(subject: ApprovalSubject): readonly string[] {
  switch (subject.type) {
    case 'read':
    case 'open':
      return placesOf(subject.target);
    case 'edit':
      return placesOf(subject.change.target);
    case 'run':
      return placesOf(subject.cwd);
    case 'external':
      return [subject.call.tool];
  }
}

/** The path, and the path that the model used if that is a link to it. */
function placesOf({ location, named, kind }: Target): readonly string[] {
  const path = fullPath(location);
  const all = kind === 'folder' ? `${path} ${vscode.l10n.t('(folder)')}` : path;
  if (isSameLocation(named, location)) return [all];
  return [all, vscode.l10n.t('The model used the path {0}, which resolves here.', fullPath(named))];
}

function reasonOf(reason: AskReason): string {
  switch (reason) {
    case 'protected':
      return vscode.l10n.t('Changing this file can run code later or affect other tools.');
    case 'hard-links':
      return vscode.l10n.t(
        'This file has other names on this disk (hard links), which will change too.',
      );
    case 'addresses':
      return vscode.l10n.t('Opening it may load URLs that it contains, which can send data.');
    case 'run':
      return vscode.l10n.t('It can access anything you can, including the network.');
    case 'secret':
    case 'outside':
    case 'unprotected':
    case 'untracked':
    case 'external':
    case 'ask-all':
      return '';
  }
}

export function offerButton({ lifetime, scope }: GrantOffer): string {
  if (lifetime === 'workspace') return vscode.l10n.t('Always Allow in This Workspace');
  return scope.type === 'folder'
    ? vscode.l10n.t('Allow Folder in This Chat')
    : vscode.l10n.t('Allow in This Chat');
}

/** Describes a grant, on the card of a call that it allowed and in the list of grants. */
export function grantLabel({ lifetime, scope }: Grant): string {
  switch (scope.type) {
    case 'edits':
      return vscode.l10n.t('This chat can edit unprotected files');
    case 'file':
      return vscode.l10n.t('This chat can read {0}', visibleText(fullPath(scope.file)));
    case 'folder':
      return vscode.l10n.t('This chat can read files in {0}', visibleText(fullPath(scope.folder)));
    case 'command':
      return lifetime === 'workspace'
        ? vscode.l10n.t('This workspace can always run {0}', visibleText(scope.command))
        : vscode.l10n.t('This chat can run {0}', visibleText(scope.command));
    case 'tool':
      return vscode.l10n.t('This chat can use {0}', visibleText(scope.tool));
  }
}
