import * as vscode from 'vscode';
import { isObject } from '../../core/support/json.ts';
import { pathBelow } from '../../core/tools/searchScope.ts';
import type { GitRepository } from '../tools/gitApi.ts';

/**
 * The repository of the button that was clicked, else that of the active editor, else the one that
 * the person chooses; undefined where they choose none.
 *
 * @param clicked what the Source Control view gives its buttons
 */
export async function chooseRepository(
  repositories: readonly GitRepository[],
  clicked: unknown,
): Promise<GitRepository | undefined> {
  const [first, ...others] = repositories;
  if (others.length === 0) return first;
  const place = rootOf(clicked) ?? vscode.window.activeTextEditor?.document.uri;
  const found = place === undefined ? undefined : repositoryAround(repositories, place);
  return found ?? pick(repositories);
}

/** The innermost repository in which something lies. */
export function repositoryAround<R extends { readonly rootUri: Pick<vscode.Uri, 'path'> }>(
  repositories: readonly R[],
  { path }: Pick<vscode.Uri, 'path'>,
): R | undefined {
  const around = repositories.filter(({ rootUri }) => pathBelow(rootUri.path, path) !== undefined);
  return around.toSorted((one, other) => other.rootUri.path.length - one.rootUri.path.length)[0];
}

function rootOf(clicked: unknown): vscode.Uri | undefined {
  const root = isObject(clicked) ? clicked['rootUri'] : undefined;
  return root instanceof vscode.Uri ? root : undefined;
}

async function pick(repositories: readonly GitRepository[]): Promise<GitRepository | undefined> {
  const items = repositories.map((repository) => ({
    label: vscode.workspace.asRelativePath(repository.rootUri),
    repository,
  }));
  const placeHolder = vscode.l10n.t('The repository to write a commit message for');
  return (await vscode.window.showQuickPick(items, { placeHolder }))?.repository;
}
