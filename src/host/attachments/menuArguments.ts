import type * as vscode from 'vscode';
import { isObject } from '../../core/support/json.ts';

/** The target of a menu, read from the arguments that VS Code passes to its commands. */
export interface MenuArguments {
  /** Files and folders of the explorer or of editor tabs. */
  readonly files: readonly vscode.Uri[];
  readonly changed: readonly vscode.Uri[];
  readonly groups: readonly ChangedGroup[];
  /** True for the menu of an editor's text, which applies to the selection. */
  readonly isInText: boolean;
}

/** The part of `SourceControlResourceGroup` that Aside uses. */
interface ChangedGroup {
  readonly label: string;
  readonly files: readonly vscode.Uri[];
}

/**
 * Reads the arguments of `aside.addToChat`. The explorer passes the clicked file and all selected
 * ones, an editor tab its file and its place, Source Control each selected resource or group, the
 * text of an editor its file alone, and keybindings nothing.
 *
 * @param isUri true for addresses
 */
export function readMenuArguments(
  args: readonly unknown[],
  isUri: (value: unknown) => value is vscode.Uri,
): MenuArguments {
  const all = args.flat();
  const files = all.filter(isUri);
  const changed = all.flatMap((argument) => resourceOf(argument, isUri));
  const groups = all.flatMap((argument) => groupOf(argument, isUri));
  const isInText = args[1] === undefined && changed.length + groups.length === 0;
  return { files: distinct(files), changed: distinct(changed), groups, isInText };
}

/** The file of a `SourceControlResourceState`. */
function resourceOf(
  argument: unknown,
  isUri: (value: unknown) => value is vscode.Uri,
): readonly vscode.Uri[] {
  const uri = isObject(argument) ? argument['resourceUri'] : undefined;
  return isUri(uri) ? [uri] : [];
}

function groupOf(
  argument: unknown,
  isUri: (value: unknown) => value is vscode.Uri,
): readonly ChangedGroup[] {
  if (!isObject(argument)) return [];
  const { label, resourceStates } = argument;
  if (typeof label !== 'string' || !Array.isArray(resourceStates)) return [];
  const states: readonly unknown[] = resourceStates;
  return [{ label, files: distinct(states.flatMap((state) => resourceOf(state, isUri))) }];
}

function distinct(uris: readonly vscode.Uri[]): readonly vscode.Uri[] {
  return [...new Map(uris.map((uri) => [uri.toString(), uri])).values()];
}
