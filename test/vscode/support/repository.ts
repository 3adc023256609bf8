import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { gitRepositories, type GitRepository } from '../../../src/host/platform/git.ts';

/** Opens a repository in Source Control. */
export async function openRepository(folder: string): Promise<GitRepository> {
  await vscode.commands.executeCommand('git.openRepository', folder);
  const repository = (await gitRepositories()).find(({ rootUri }) => rootUri.fsPath === folder);
  assert.ok(repository, 'The repository was not opened.');
  return repository;
}

/** Closes a repository before its folder is removed, in which VS Code would go on starting Git. */
export async function closeRepository(folder: string): Promise<void> {
  await vscode.commands.executeCommand('git.close', vscode.Uri.file(folder));
}
