import * as vscode from 'vscode';
import { reported } from '../../core/support/background.ts';
import { counted } from '../../core/support/counted.ts';
import { type Dialogs, answerOf } from '../platform/dialogs.ts';
import type { Settings } from '../platform/settings.ts';
import type { ConnectionParts, ConnectionUi } from './connectionUi.ts';
import type { ConnectedService } from './services.ts';

interface ServiceItem extends vscode.QuickPickItem {
  /** Runs when the item is chosen. Absent for a heading. */
  readonly run?: () => Promise<unknown>;
  readonly remove?: () => Promise<unknown>;
}

/** `aside.selectService`: lists the connected services, one of which is current. */
export class ServicePicker {
  readonly #ui: ConnectionUi;
  readonly #parts: ConnectionParts;
  readonly #settings: Pick<Settings, 'current' | 'setBaseUrl'>;
  readonly #dialogs: Dialogs;

  constructor(
    ui: ConnectionUi,
    parts: ConnectionParts,
    settings: Pick<Settings, 'current' | 'setBaseUrl'>,
    dialogs: Dialogs,
  ) {
    this.#ui = ui;
    this.#parts = parts;
    this.#settings = settings;
    this.#dialogs = dialogs;
  }

  /** @param leadOn moves the focus to where the person continues, right after they have chosen */
  async selectService(leadOn: () => unknown): Promise<void> {
    const run = await choose(await this.#items(leadOn));
    await run?.();
  }

  async #items(leadOn: () => unknown): Promise<readonly ServiceItem[]> {
    const { connection } = this.#parts;
    const { QuickPickItemKind } = vscode;
    const services = await Promise.all(
      connection.services.all.map((service) => this.#item(service, leadOn)),
    );
    const demo = {
      label: vscode.l10n.t('Demo'),
      iconPath: new vscode.ThemeIcon(connection.isDemo ? 'check' : 'beaker'),
      description: connection.isDemo ? vscode.l10n.t('current') : '',
      run: async () => Promise.all([connection.useDemo(), leadOn()]),
    };
    const add = {
      label: vscode.l10n.t('Connect to a Service…'),
      iconPath: new vscode.ThemeIcon('add'),
      run: () => this.#ui.connect(leadOn),
    };
    const line = { label: '', kind: QuickPickItemKind.Separator };
    return [...services, ...(services.length > 0 ? [line] : []), demo, add];
  }

  async #item(service: ConnectedService, leadOn: () => unknown): Promise<ServiceItem> {
    const { catalog, connection, keys } = this.#parts;
    const { ThemeIcon } = vscode;
    const { id, name, host } = service;
    const hasKey = (await reported(keys.read(id))) !== undefined;
    const isCurrent = !connection.isDemo && connection.services.current?.id === id;
    const count = catalog.list(id)?.models.length;
    const models =
      count === 1
        ? vscode.l10n.t('1 model')
        : counted(vscode.l10n.t('{0} models'), count ?? 0, vscode.env.language);
    const facts = [
      count === undefined ? '' : models,
      hasKey ? vscode.l10n.t('key stored') : vscode.l10n.t('no key stored'),
    ];
    return {
      label: name,
      iconPath: new ThemeIcon(isCurrent ? 'check' : 'plug'),
      description: isCurrent ? `${host} · ${vscode.l10n.t('current')}` : host,
      detail: facts.filter((fact) => fact !== '').join(' · '),
      buttons: [{ iconPath: new ThemeIcon('trash'), tooltip: vscode.l10n.t('Remove Service') }],
      run: () => this.#use(service, hasKey, leadOn),
      remove: () => this.#remove(service, leadOn),
    };
  }

  async #use(service: ConnectedService, hasKey: boolean, leadOn: () => unknown): Promise<void> {
    const { catalog, connection } = this.#parts;
    const { services } = connection;
    if (!hasKey && !(await this.#ui.setApiKey(undefined, service))) return;
    // The check of a key may have found another path.
    const known = services.all.find(({ id }) => id === service.id) ?? service;
    await services.remember(known);
    await services.select(known);
    await this.#settings.setBaseUrl(known.baseUrl);
    await connection.leaveDemo();
    const chosen = connection.placeOf(this.#settings.current().model);
    const hasModel = chosen.service === known.id && catalog.has(known.id, chosen.id);
    await (hasModel ? leadOn() : this.#ui.offerModels(leadOn));
  }

  async #remove({ id, name, host }: ConnectedService, leadOn: () => unknown): Promise<void> {
    const { connection, keys } = this.#parts;
    const remove = vscode.l10n.t('Remove');
    const answer = await this.#dialogs.choose({
      message: vscode.l10n.t('Remove {0} ({1}) and its API key?', name, host),
      detail: vscode.l10n.t(
        "The stored key can't be shown or restored. It stays valid at the service. Chats and token usage are kept.",
      ),
      buttons: [remove],
    });
    if (answer === remove) {
      const isCurrent = connection.services.current?.id === id;
      await keys.remove(id);
      // While it is connected, so that another account of its address isn't taken for the current one.
      if (isCurrent) await this.#settings.setBaseUrl('');
      await connection.services.remove(id);
    }
    await this.selectService(leadOn);
  }
}

/** Shows the items. Resolves with the action of the chosen one; undefined if the person cancels. */
function choose(items: readonly ServiceItem[]): Promise<(() => Promise<unknown>) | undefined> {
  const pick = vscode.window.createQuickPick<ServiceItem>();
  pick.title = vscode.l10n.t('Select Service');
  pick.placeholder = vscode.l10n.t('Select the current service');
  pick.matchOnDescription = true;
  pick.items = items;
  const choice = answerOf<(() => Promise<unknown>) | undefined>(pick, (answer) => [
    pick.onDidAccept(() => answer(pick.selectedItems[0]?.run)),
    pick.onDidTriggerItemButton(({ item }) => answer(item.remove)),
  ]);
  pick.show();
  return choice;
}
