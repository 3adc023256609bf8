import type * as vscode from 'vscode';
import { isObject } from '../../core/support/json.ts';

/** What a menu was opened on, read from the arguments that VS Code passes to its commands. */
export interface MenuArguments {
  /** Files and folders of the explorer or of editor tabs. */
  readonly files: readonly vscode.Uri[];
  /** Changed files of Source Control. */
  readonly changed: readonly vscode.Uri[];
  /** Groups of changed files of Source Control. */
  readonly groups: readonly ChangedGroup[];
  /** Whether it is the menu of an editor's text, where a selection is what is meant. */
  readonly isInText: boolean;
}

/** As much as is used of `SourceControlResourceGroup`. */
interface ChangedGroup {
  readonly label: string;
  readonly files: readonly vscode.Uri[];
}

/**
 * Reads the arguments of `aside.addToChat`. The explorer passes the clicked file and all selected
 * ones, an editor tab its file and its place, Source Control each selected resource or group, the
 * text of an editor its file alone, and keybindings nothing.
 *
 * @param isUri tells addresses from other objects
 */
export function readMenuArguments(
  given: readonly unknown[],
  isUri: (value: unknown) => value is vscode.Uri,
): MenuArguments {
  const all = given.flat();
  const files = all.filter(isUri);
  const changed = all.flatMap((one) => resourceOf(one, isUri));
  const groups = all.flatMap((one) => groupOf(one, isUri));
  const isInText = given[1] === undefined && changed.length + groups.length === 0;
  return { files: distinct(files), changed: distinct(changed), groups, isInText };
}

/** The file of a `SourceControlResourceState`. */
function resourceOf(
  given: unknown,
  isUri: (value: unknown) => value is vscode.Uri,
): readonly vscode.Uri[] {
  const uri = isObject(given) ? given['resourceUri'] : undefined;
  return isUri(uri) ? [uri] : [];
}

function groupOf(
  given: unknown,
  isUri: (value: unknown) => value is vscode.Uri,
): readonly ChangedGroup[] {
  if (!isObject(given)) return [];
  const { label, resourceStates } = given;
  if (typeof label !== 'string' || !Array.isArray(resourceStates)) return [];
  const states: readonly unknown[] = resourceStates;
  return [{ label, files: distinct(states.flatMap((state) => resourceOf(state, isUri))) }];
}

function distinct(uris: readonly vscode.Uri[]): readonly vscode.Uri[] {
  return [...new Map(uris.map((uri) => [uri.toString(), uri])).values()];
}
