import * as vscode from 'vscode';
import type { ApprovalSubject, DialogRequest } from '../../core/approval/gate.ts';
import type { Grant, GrantOffer } from '../../core/approval/grants.ts';
import type { AskReason } from '../../core/approval/policy.ts';
import { counted } from '../../core/support/counted.ts';
import { isObject, parseJson } from '../../core/support/json.ts';
import { visibleName, visibleText } from '../../core/support/text.ts';
import { fullPath, isSameLocation, segmentsOf, type Target } from '../../core/files/places.ts';
import { escapeNotification } from '../platform/dialogs.ts';

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
  chat = '',
): DialogContent {
  const { message, text, about } = wordsOf(subject, reason);
  const excerpt = dialogText(text);
  const { lines, characters } = excerpt;
  const size =
    lines === 1
      ? vscode.l10n.t('Truncated: {0} characters in total.', characters)
      : vscode.l10n.t('Truncated: {0} lines in total.', lines);
  const what = excerpt.whole
    ? excerpt.text
    : `${excerpt.text}\n\n${size} ${vscode.l10n.t('The full text is open in the editor.')}`;
  const places = about.map((line) => visibleName(line)).join('\n');
  const warning = [
    subject.type === 'run' ? runsAsText(subject.shell, runsAs) : '',
    reasonOf(reason),
  ];
  // The subject of the decision comes first, and text that every dialog has comes last.
  const parts = [
    ...(subject.type === 'run' ? [what, places] : [places, what]),
    warning.filter((part) => part !== '').join(' '),
    chat === '' ? '' : escapeNotification(vscode.l10n.t('Chat: {0}', short(chat))),
  ];
  return {
    message: escapeNotification(message),
    detail: parts.filter((part) => part !== '').join('\n\n'),
    longText: excerpt.whole ? undefined : visibleText(text),
  };
}

interface SubjectWords {
  readonly message: string;
  /** The text that the person must be able to check word by word. */
  readonly text: string;
  /** The file, folder or tool that the approval is for. */
  readonly about: readonly string[];
}

function wordsOf(subject: ApprovalSubject, reason: AskReason): SubjectWords {
  switch (subject.type) {
    case 'read': {
      let message = vscode.l10n.t('Allow the model to read this?');
      if (reason === 'secret')
        message = vscode.l10n.t('Allow the model to read a file that may contain secrets?');
      if (reason === 'outside')
        message = vscode.l10n.t('Allow the model to read outside the workspace?');
      return { message, text: '', about: placesOf(subject.target) };
    }
    case 'open':
      return {
        message: vscode.l10n.t('Allow the model to open this file?'),
        text: subject.addresses.join('\n'),
        about: placesOf(subject.target),
      };
    case 'edit': {
      const { target, before, after } = subject.change;
      return {
        message:
          reason === 'outside'
            ? vscode.l10n.t('Allow a change to a file outside the workspace?')
            : vscode.l10n.t('Allow a change to a protected file?'),
        text: renderFullChange(target.location.path, before, after),
        about: placesOf(target),
      };
    }
    case 'run': {
      const { label, location } = subject.cwd;
      // A workspace folder has no relative path, so its name is used.
      const name = label === '.' ? segmentsOf(location.path).at(-1) : undefined;
      return {
        message: vscode.l10n.t('Run this command in {0}?', short(name ?? label)),
        text: subject.command,
        about: placesOf(subject.cwd),
      };
    }
    case 'external': {
      const { tool, input } = subject.call;
      const message = vscode.l10n.t('Run “{0}”, a tool from another extension?', short(tool));
      return { message, text: input, about: [tool] };
    }
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

function short(name: string): string {
  const text = visibleText(name).replaceAll('\n', ' ');
  return text.length > 60 ? `…${text.slice(-60)}` : text;
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

/** A text within these limits is shown in full; otherwise its first lines are (threats: T28). */
const maxLines = 12;
const maxCharacters = 800;

/** Number of lines of a longer text that are shown, and of characters in these lines. */
const firstOf = { lines: 6, characters: 600 };

/** The part of a text that a dialog shows. */
export interface DialogText {
  readonly text: string;
  /** False if these are only the first lines, so that the full text must be shown elsewhere. */
  readonly whole: boolean;
  readonly lines: number;
  readonly characters: number;
}

/** The text as a dialog shows it. */
export function dialogText(text: string): DialogText {
  const visible = visibleText(text);
  const lines = visible.split('\n');
  const whole = lines.length <= maxLines && visible.length <= maxCharacters;
  const sizes = { whole, lines: lines.length, characters: visible.length };
  if (whole) return { text: visible, ...sizes };
  const first = lines.slice(0, firstOf.lines);
  const longest = firstOf.characters / first.length;
  const shortened = first.map((line) =>
    line.length > longest ? line.slice(0, longest) + '…' : line,
  );
  return { text: (lines.length === 1 ? shortened : [...shortened, '…']).join('\n'), ...sizes };
}

/**
 * A change of a file as one block of lines marked `-` and `+`, from the first to the last
 * difference. Changed scripts of a `package.json` come first, since they run: automatic ones before
 * the others, then the number of those that are only shown in the block.
 */
export function renderFullChange(path: string, before: string, after: string): string {
  const scripts = /(^|\/)package\.json$/i.test(path) ? changedScripts(before, after) : [];
  const isTooLong = scripts.length > firstOf.lines;
  const firstScripts = isTooLong ? scripts.slice(0, firstOf.lines - 1) : scripts;
  const others = counted(
    vscode.l10n.t('{0} more scripts'),
    scripts.length - firstScripts.length,
    vscode.env.language,
  );
  const isWindows = [before, after].every((text) => !/(?<!\r)\n/.test(text));
  // Lines without their line ends, unless the change mixes several kinds.
  const [old = [], now = []] = [before, after].map((text) =>
    text === '' ? [] : text.split(isWindows ? '\r\n' : '\n'),
  );
  const start = old.findIndex((line, index) => line !== now[index]);
  const same = start < 0 ? old.length : start;
  let end = 0;
  const most = Math.min(old.length, now.length) - same;
  while (end < most && old.at(-1 - end) === now.at(-1 - end)) end++;
  return [
    ...firstScripts,
    ...(isTooLong ? [`! ${others}`] : []),
    ...old.slice(same, old.length - end).map((line) => `- ${line}`),
    ...now.slice(same, now.length - end).map((line) => `+ ${line}`),
  ].join('\n');
}

/** Scripts that package managers run automatically: on installing, then on publishing. */
const lifeCycle =
  'pnpm:devPreinstall preinstall install postinstall preprepare prepare postprepare prepublish dependencies prepublishOnly prepack pack postpack publish postpublish preversion version postversion preuninstall uninstall postuninstall'.split(
    ' ',
  );

/** Pre- and post-scripts run with the script they are named after. */
function rankOf(name: string): number {
  const index = lifeCycle.indexOf(name);
  if (index >= 0) return index;
  return lifeCycle.length + (/^(?:pre|post)/.test(name) ? 0 : 1);
}

function changedScripts(before: string, after: string): readonly string[] {
  const old = scriptsOf(before);
  return Object.entries(scriptsOf(after))
    .filter(([name, script]) => old[name] !== script)
    .toSorted(([name], [other]) => rankOf(name) - rankOf(other))
    .map(([name, script]) => `! ${name}: ${JSON.stringify(script)}`);
}

function scriptsOf(text: string): Readonly<Record<string, unknown>> {
  // Package managers ignore a byte order mark.
  const value = parseJson(text.replace(/^\u{feff}/u, ''));
  return isObject(value) && isObject(value['scripts']) ? value['scripts'] : {};
}
