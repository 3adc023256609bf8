import * as vscode from 'vscode';
import { Refusal } from '../refusal.ts';
import type { Connection } from './connection.ts';
import type { ModelChoice } from './modelChoice.ts';

export interface RequireModelOptions {
  readonly connection: Connection;
  readonly choice: ModelChoice;
  readonly connect: () => Promise<unknown>;
  readonly selectModel: () => Promise<unknown>;
}

/**
 * The model that is asked next. Whoever has none yet is led to connecting and choosing; rejects
 * with words for the person where that led nowhere.
 */
export async function requireModel(options: RequireModelOptions): Promise<string> {
  const { connection, choice, connect, selectModel } = options;
  if (connection.state.kind === 'none') await connect();
  if (connection.state.kind === 'none') {
    throw new Refusal(vscode.l10n.t('Connect to a service, or try the demo, then send again.'));
  }
  if (choice.current().id === '') await selectModel();
  const { id } = choice.current();
  if (id === '') throw new Refusal(vscode.l10n.t('Choose a model, then send again.'));
  return id;
}
