import * as vscode from 'vscode';
import { reported } from '../../core/support/background.ts';
import { commands, type CommandId } from '../contributions.ts';
import type { Dialogs, PickItem } from '../dialogs.ts';
import type { Connection } from './connection.ts';
import type { Keys } from './keys.ts';

interface ManageConnectionOptions {
  readonly connection: Connection;
  readonly keys: Keys;
  readonly dialogs: Dialogs;
  readonly run: (command: CommandId) => PromiseLike<unknown>;
}

/** `aside.manageConnection`: lists the connection commands that are applicable now. */
export async function manageConnection(options: ManageConnectionOptions): Promise<void> {
  const { dialogs, run } = options;
  const command = await dialogs.pick(await choices(options), vscode.l10n.t('Manage Connection'));
  if (command !== undefined) await run(command);
}

async function choices({
  connection,
  keys,
}: ManageConnectionOptions): Promise<readonly PickItem<CommandId>[]> {
  const { address, isDemo, services } = connection;
  const key = address && (await reported(keys.read(address.origin)));
  const description = address?.host ?? '';
  const ofServices = { label: vscode.l10n.t('Select Service…'), icon: 'list-selection' };
  const ofKey = { label: vscode.l10n.t('Set API Key…'), icon: 'key', description };
  const ofRemoval = { label: vscode.l10n.t('Remove API Key'), icon: 'trash', description };
  const ofDemo = { label: vscode.l10n.t('Try the Demo Service'), icon: 'beaker' };
  return [
    { label: vscode.l10n.t('Connect to a Service…'), icon: 'plug', value: commands.connect },
    ...(services.all.length > 0 ? [{ ...ofServices, value: commands.selectService }] : []),
    ...(address === undefined ? [] : [{ ...ofKey, value: commands.setApiKey }]),
    ...(key === undefined ? [] : [{ ...ofRemoval, value: commands.removeApiKey }]),
    { label: vscode.l10n.t('Open Console'), icon: 'link-external', value: commands.openConsole },
    ...(isDemo ? [] : [{ ...ofDemo, value: commands.useDemo }]),
  ];
}
