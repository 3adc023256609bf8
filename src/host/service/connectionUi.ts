import * as vscode from 'vscode';
import {
  accountNameIn,
  type AddressCorrection,
  type ApprovedKey,
  KeyPrompt,
  validateAccountName,
  validateBaseUrl,
  validateConsoleUrl,
} from './keyPrompt.ts';
import { showModelDetails } from './modelDetails.ts';
import { type EstimateSend, ModelPicker } from './modelPicker.ts';
import { ServicePicker } from './servicePicker.ts';
import type { CommandHandlers } from '../platform/commands.ts';
import type { Connection } from './connection.ts';
import type { Keys } from './keys.ts';
import type { ModelCatalog, ReadModels } from './modelCatalog.ts';
import type { ModelChoice } from './models.ts';
import type { HostWindow } from '../platform/window.ts';
import {
  type Dialogs,
  type PickItem,
  type ValidationMessage,
  windowDialogs as dialogs,
} from '../platform/dialogs.ts';
import { type CommandId, commands, settingIds } from '../contributions.ts';
import { reported } from '../../core/support/background.ts';
import { completeAddress, parseAddress, type ServiceAddress } from '../../core/service/address.ts';
import { serviceName } from '../../core/service/modelReference.ts';
import {
  type PastedService,
  readCopiedService,
  readPastedService,
} from '../../core/service/pastedService.ts';
import { newService, type ConnectedService } from './services.ts';

export interface ConnectionParts {
  readonly keys: Keys;
  readonly connection: Connection;
  readonly catalog: ModelCatalog;
  readonly choice: ModelChoice;
  readonly readModels: ReadModels;
  /** The `fetch` of the client. */
  readonly fetch: typeof fetch;
}

/** The commands that ask for a service, a key and a model. */
export interface ConnectionUi {
  readonly connect: () => Promise<boolean>;
  readonly selectModel: () => Promise<boolean>;
  readonly picker: ModelPicker;
  /**
   * @param write focuses the composer, where the person continues unless they canceled
   * @param estimateSend for the next message of the chat in focus
   */
  readonly commandsFor: (
    write: () => Promise<void>,
    estimateSend: () => EstimateSend,
  ) => Pick<
    CommandHandlers,
    | 'connect'
    | 'setApiKey'
    | 'removeApiKey'
    | 'openConsole'
    | 'manageConnection'
    | 'useDemo'
    | 'selectModel'
    | 'selectService'
  >;
}

export function createConnectionUi(
  { settings, errors }: HostWindow,
  { keys, connection, catalog, choice, readModels, fetch }: ConnectionParts,
): ConnectionUi {
  const { executeCommand: run } = vscode.commands;
  const errorText = errors.text.bind(errors);
  const commands = new ConnectionCommands({
    dialogs,
    settings,
    keys,
    connection,
    catalog,
    keyPrompt: new KeyPrompt({ dialogs, keys, readModels, fetch, errorText }),
    otherService: () => connection.placeOf(choice.current().id).other,
    offerModels: (leadOn) => picker.offerModels(leadOn),
    chooseModel: (model, leadOn) => picker.choose(model, leadOn),
    openExternal: (address) => vscode.env.openExternal(vscode.Uri.parse(address, true)),
  });
  const picker: ModelPicker = new ModelPicker({
    settings,
    connection,
    catalog,
    choice,
    connect: (leadOn) => commands.connect(leadOn),
    setApiKey: () => commands.setApiKey(undefined, connection.services.current),
    describe: (error) => errors.text(error).message,
    showDetails(model) {
      const { id, service = '' } = connection.placeOf(model);
      return showModelDetails({
        model: id,
        known: {
          settings: settings.ofPerson(model),
          listed: catalog.listedFacts(service, id),
          learned: catalog.learned.details(service, id),
          currency: settings.current().currency,
        },
        forget: () => catalog.learned.forget(service, id),
        openSettings: () => run('workbench.action.openSettings', settingIds.models),
      });
    },
    showError: (error, tryAgain) => errors.show(error, 'Reading the model list', tryAgain),
  });
  const services = new ServicePicker({
    connection,
    keys,
    catalog,
    settings,
    dialogs,
    connect: (leadOn) => commands.connect(leadOn),
    useDemo: () => connection.useDemo(),
    setApiKey: (service) => commands.setApiKey(undefined, service),
    offerModels: (leadOn) => picker.offerModels(leadOn),
  });
  return {
    connect: () => commands.connect(),
    selectModel: () => picker.selectModel(),
    picker,
    commandsFor: (write, estimateSend) => ({
      connect: () => commands.connect(write),
      setApiKey: () => commands.setApiKey(write),
      removeApiKey: () => commands.removeApiKey(),
      openConsole: () => commands.openConsole(),
      manageConnection: () => manageConnection({ connection, keys, dialogs, run }),
      useDemo: () => Promise.all([connection.useDemo(), write()]),
      selectModel: () => picker.selectModel(write, estimateSend()),
      selectService: () => services.selectService(write),
    }),
  };
}

interface ManageConnectionOptions {
  readonly connection: Connection;
  readonly keys: Keys;
  readonly dialogs: Dialogs;
  readonly run: (command: CommandId) => PromiseLike<unknown>;
}

/** `aside.manageConnection`: lists the connection commands that are applicable now. */
export async function manageConnection({
  connection,
  keys,
  dialogs,
  run,
}: ManageConnectionOptions): Promise<void> {
  const { isDemo, services } = connection;
  const { current } = services;
  const key = current && (await reported(keys.read(current.id)));
  const description = current === undefined ? '' : services.label(current);
  const ofServices = { label: vscode.l10n.t('Select Service…'), icon: 'list-selection' };
  const ofKey = { label: vscode.l10n.t('Set API Key…'), icon: 'key', description };
  const ofRemoval = { label: vscode.l10n.t('Remove API Key'), icon: 'trash', description };
  const ofDemo = { label: vscode.l10n.t('Try the Demo Service'), icon: 'beaker' };
  const choices: readonly PickItem<CommandId>[] = [
    { label: vscode.l10n.t('Connect to a Service…'), icon: 'plug', value: commands.connect },
    ...(services.all.length > 0 ? [{ ...ofServices, value: commands.selectService }] : []),
    ...(current === undefined ? [] : [{ ...ofKey, value: commands.setApiKey }]),
    ...(key === undefined ? [] : [{ ...ofRemoval, value: commands.removeApiKey }]),
    { label: vscode.l10n.t('Open Console'), icon: 'link-external', value: commands.openConsole },
    ...(isDemo ? [] : [{ ...ofDemo, value: commands.useDemo }]),
  ];
  const command = await dialogs.pick(choices, vscode.l10n.t('Manage Connection'));
  if (command !== undefined) await run(command);
}

interface ConnectionSettings {
  current(): { readonly baseUrl: string; readonly consoleUrl: string };
  setBaseUrl(baseUrl: string): Promise<void>;
  setConsoleUrl(consoleUrl: string): Promise<void>;
}

interface ConnectionCommandsOptions {
  readonly dialogs: Dialogs;
  readonly settings: ConnectionSettings;
  readonly keys: Keys;
  readonly keyPrompt: KeyPrompt;
  readonly connection: Connection;
  readonly catalog: ModelCatalog;
  /** The service of the chosen model, unless it is the one in the settings. */
  readonly otherService?: () => ConnectedService | undefined;
  /** Lets the person choose one of the models that were just read, then calls `leadOn`. */
  readonly offerModels: (leadOn: () => unknown) => Promise<unknown>;
  /** Chooses a model, then calls `leadOn`. */
  readonly chooseModel: (model: string, leadOn: () => unknown) => Promise<unknown>;
  readonly openExternal: (address: string) => PromiseLike<unknown>;
}

interface AskedService extends ServiceAddress {
  /** The key that was pasted with the address. */
  readonly key?: string | undefined;
}

/**
 * The commands to connect and to manage the key. Nothing is stored before the last dialog, so that
 * the person can cancel at any step.
 */
export class ConnectionCommands {
  readonly #options: ConnectionCommandsOptions;
  /** The address of a failed attempt, which the next one starts with. */
  #typedAddress: string | undefined;

  constructor(options: ConnectionCommandsOptions) {
    this.#options = options;
  }

  /**
   * `aside.connect`. Resolves with true if a service is connected.
   *
   * @param leadOn moves the focus to the next step, right after the last dialog
   */
  async connect(leadOn = (): unknown => undefined): Promise<boolean> {
    const { connection, keyPrompt, keys } = this.#options;
    let last: (AddressCorrection & ServiceAddress) | undefined;
    for (;;) {
      const service = await this.#askAddress(last?.problem);
      if (service === undefined) return false;
      const { key, ...address } = service;
      const { services } = connection;
      const account = services.at(address);
      const known = await reported(keys.read(account.id));
      const result = await keyPrompt.ask(address, {
        known,
        label: services.label(account),
        typed: key ?? (last?.origin === address.origin ? last.key : undefined),
        address: last?.baseUrl === address.baseUrl ? 'confirmed' : 'typed',
      });
      if (result === undefined) return false;
      if ('problem' in result) last = { ...result, ...address };
      else {
        const chosen = await this.#chooseAccount(result);
        return chosen !== undefined && this.#connectTo(chosen, result, leadOn);
      }
    }
  }

  /**
   * The account that a key is for; undefined if the person cancels. They are asked if its origin has
   * other keys already.
   */
  async #chooseAccount({ address, key }: ApprovedKey): Promise<ConnectedService | undefined> {
    const { connection, dialogs, keys } = this.#options;
    const { services } = connection;
    const accounts = await Promise.all(
      services.accountsOf(address.origin).map(async (account) => ({
        account,
        key: await reported(keys.read(account.id)),
      })),
    );
    const known = accounts.find((candidate) => candidate.key === key)?.account;
    if (known !== undefined || accounts.every((candidate) => candidate.key === undefined))
      return known ?? services.at(address);
    const replace = vscode.l10n.t('Replace Key');
    const choice = await dialogs.pick<ConnectedService | 'add'>(
      [
        ...accounts.map(({ account }) => ({
          label: replace,
          description: account.name,
          icon: 'key',
          value: account,
        })),
        { label: vscode.l10n.t('Add as Another Account…'), icon: 'add', value: 'add' },
      ],
      vscode.l10n.t('{0} is connected with another key', address.host),
    );
    return choice === 'add' ? this.#askAccount(address) : choice;
  }

  async #askAccount(address: ServiceAddress): Promise<ConnectedService | undefined> {
    const { connection, dialogs } = this.#options;
    const { all } = connection.services;
    const names = all.map(({ name }) => name);
    const text = await dialogs.prompt({
      title: vscode.l10n.t('Name of the Account at {0}', address.host),
      prompt: vscode.l10n.t('Models of this account are listed with its name, as in model@work.'),
      value: serviceName('work', names),
      placeholder: 'work',
      check: (typed) => validateAccountName(typed, names),
    });
    return text === undefined ? undefined : newService(address, all, accountNameIn(text));
  }

  /** Chooses the model if the service has only one; otherwise the person picks one. */
  async #connectTo(
    account: ConnectedService,
    approved: ApprovedKey,
    leadOn: () => unknown,
  ): Promise<boolean> {
    const { catalog, chooseModel, connection, offerModels, settings } = this.#options;
    const { address, models } = approved;
    const service = { ...account, baseUrl: address.baseUrl };
    await this.#storeKey(service, approved);
    await connection.services.remember(service);
    await connection.services.select(service);
    await settings.setBaseUrl(service.baseUrl);
    await connection.leaveDemo();
    this.#typedAddress = undefined;
    if (models !== undefined) await catalog.remember(service.id, models);
    const onlyModel = models?.length === 1 ? models[0]?.id : undefined;
    if (onlyModel !== undefined) await chooseModel(onlyModel, leadOn);
    else await (models === undefined ? leadOn() : offerModels(leadOn));
    return true;
  }

  /**
   * `aside.setApiKey`. Resolves with true if there is a new key; calls `leadOn` like connecting.
   *
   * @param service by default, the one that an error was about, otherwise the chosen model's
   */
  async setApiKey(
    leadOn = (): unknown => undefined,
    service = this.#serviceInUse,
  ): Promise<boolean> {
    const { catalog, connection, dialogs, keyPrompt, settings } = this.#options;
    if (service === undefined) return this.connect(leadOn);
    const { services } = connection;
    const label = services.label(service);
    const approved = await keyPrompt.ask(service, { label });
    if (approved === undefined || 'problem' in approved) return false;

    const { baseUrl } = approved.address;
    await Promise.all([leadOn(), this.#storeKey(service, approved)]);
    const isCurrent = service.id === services.current?.id;
    await services.remember({ ...service, baseUrl });
    if (isCurrent && baseUrl !== service.baseUrl) await settings.setBaseUrl(baseUrl);
    await connection.leaveDemo();
    if (approved.models === undefined) return true;
    await catalog.remember(service.id, approved.models);
    dialogs.showInformation(vscode.l10n.t('{0} accepted the API key.', label));
    return true;
  }

  get #serviceInUse(): ConnectedService | undefined {
    const { connection, otherService } = this.#options;
    return connection.serviceWithoutKey ?? otherService?.() ?? connection.services.current;
  }

  /** `aside.removeApiKey`: removes the key of the service in the settings, even during the demo. */
  async removeApiKey(): Promise<void> {
    const { connection, dialogs, keys } = this.#options;
    const { services } = connection;
    const { current } = services;
    if (current === undefined) {
      dialogs.showInformation(
        vscode.l10n.t("Aside isn't connected to a service, so there's no key to remove."),
      );
      return;
    }
    const label = services.label(current);
    // A key that can't be read can still be removed.
    if ((await keys.read(current.id).catch(() => '')) === undefined) {
      dialogs.showInformation(vscode.l10n.t('No key is stored for {0}.', label));
      return;
    }
    const remove = vscode.l10n.t('Remove Key');
    const answer = await dialogs.choose({
      message: vscode.l10n.t('Remove the API key for {0}?', label),
      detail: vscode.l10n.t(
        "The stored key can't be shown or restored. It stays valid at the service.",
      ),
      buttons: [remove],
    });
    if (answer !== remove) return;
    await keys.remove(current.id);
    dialogs.showInformation(vscode.l10n.t('The key for {0} was removed.', label));
  }

  /** `aside.openConsole`: asks for the address if the settings have no valid one. */
  async openConsole(): Promise<void> {
    const { dialogs, openExternal, settings } = this.#options;
    const { consoleUrl } = settings.current();
    if (validateConsoleUrl(consoleUrl) === undefined) {
      await openExternal(consoleUrl);
      return;
    }
    const text = await dialogs.prompt({
      title: vscode.l10n.t('Console Address'),
      prompt: vscode.l10n.t('The web page where you manage your keys and wallet.'),
      value: consoleUrl,
      placeholder: 'https://console.example.com',
      check: (typed) => validateConsoleUrl(typed),
    });
    if (text === undefined) return;
    await settings.setConsoleUrl(text.trim());
    await openExternal(text.trim());
  }

  /** @param problem the reason why the last typed address was not accepted */
  async #askAddress(problem: string | undefined): Promise<AskedService | undefined> {
    const { dialogs, keys, settings } = this.#options;
    let copied: PastedService | undefined;
    const take = (service: PastedService | undefined): string | undefined => {
      if (service === undefined) return undefined;
      if (service.key !== undefined) keys.guard(service.key);
      copied = service;
      return service.baseUrl;
    };
    const text = await dialogs.prompt({
      title: vscode.l10n.t('Connect to a Service'),
      prompt: vscode.l10n.t(
        "The base URL of the service, up to and including /v1. You'll enter the key next.",
      ),
      value: this.#typedAddress ?? settings.current().baseUrl,
      placeholder: 'https://api.example.com/v1',
      problem,
      check: (typed) => validateBaseUrl(typed) ?? noticeOf(copied, typed),
      propose: (clipboard) => take(readCopiedService(clipboard)),
      // Only the address of a pasted sample stays, and a key that was pasted with it isn't shown.
      replace: (typed) => {
        const pasted = readPastedService(typed);
        const isSample = pasted?.key !== undefined || /\S\s+\S/.test(typed);
        return isSample ? take(pasted) : undefined;
      },
    });
    if (text === undefined) return undefined;
    this.#typedAddress = text;
    const address = parseAddress(completeAddress(text));
    const isCopied = copied?.baseUrl === address.baseUrl;
    return isCopied ? { ...address, key: copied?.key } : address;
  }

  async #storeKey({ id }: ConnectedService, { key, notice }: ApprovedKey): Promise<void> {
    const { dialogs, keys } = this.#options;
    const isStored = (await reported(keys.read(id))) === key;
    const outcome = isStored ? 'stored' : await keys.store(id, key);
    if (outcome === 'session-only') {
      dialogs.showInformation(
        vscode.l10n.t(
          "VS Code's secret storage isn't available, so the key is kept in memory until this window closes.",
        ),
      );
    }
    if (notice !== undefined)
      dialogs.showInformation(vscode.l10n.t('The key was accepted. {0}', notice));
  }
}

/** Explains the origin of an address that the person hasn't typed. */
function noticeOf(copied: PastedService | undefined, typed: string): ValidationMessage | undefined {
  if (copied?.baseUrl !== typed) return undefined;
  const text =
    copied.key === undefined
      ? vscode.l10n.t('This address was in the clipboard.')
      : vscode.l10n.t("Uses the key that was copied with this address. It's sent only there.");
  return { text, severity: 'information' };
}
