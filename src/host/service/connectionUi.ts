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
import { type EstimateSend, ModelPicker, type PickerSettings } from './modelPicker.ts';
import { ServicePicker } from './servicePicker.ts';
import type { CommandHandlers } from '../platform/commands.ts';
import type { Connection } from './connection.ts';
import type { Keys } from './keys.ts';
import type { ModelCatalog, ReadModels } from './modelCatalog.ts';
import type { ModelChoice } from './models.ts';
import type { ErrorReporter } from '../platform/errorText.ts';
import type { Settings } from '../platform/settings.ts';
import type { Dialogs, PickItem, ValidationMessage } from '../platform/dialogs.ts';
import { type CommandId, commands } from '../contributions.ts';
import { reported } from '../../core/support/background.ts';
import { completeAddress, parseAddress, type ServiceAddress } from '../../core/service/address.ts';
import { serviceName } from '../../core/service/modelReference.ts';
import {
  type PastedService,
  readCopiedService,
  readPastedService,
} from '../../core/service/pastedService.ts';
import { newService, type ConnectedService } from './services.ts';

/** The services of a window, and what is known of them and their models. */
export interface ConnectionParts {
  readonly keys: Keys;
  readonly connection: Connection;
  readonly catalog: ModelCatalog;
  readonly choice: ModelChoice;
  readonly readModels: ReadModels;
  /** The `fetch` of the client. */
  readonly fetch: typeof fetch;
}

/** `aside.manageConnection`: lists the connection commands that are applicable now. */
export async function manageConnection(
  { connection, keys }: Pick<ConnectionParts, 'connection' | 'keys'>,
  dialogs: Dialogs,
  run: (command: CommandId) => PromiseLike<unknown>,
): Promise<void> {
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

/** `aside.openConsole`: asks for the address if the settings have no valid one. */
export async function openConsole(
  settings: UiSettings,
  dialogs: Dialogs,
  open: (address: string) => PromiseLike<unknown>,
): Promise<void> {
  const { consoleUrl } = settings.current();
  if (validateConsoleUrl(consoleUrl) === undefined) {
    await open(consoleUrl);
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
  await open(text.trim());
}

type UiSettings = PickerSettings & Pick<Settings, 'setBaseUrl' | 'setConsoleUrl'>;

interface AskedService extends ServiceAddress {
  /** The key that was pasted with the address. */
  readonly key?: string | undefined;
}

/**
 * The commands that ask for a service, a key and a model. Connecting stores nothing before its last
 * dialog, so that the person can cancel at any step.
 */
export class ConnectionUi {
  readonly picker: ModelPicker;
  readonly #settings: UiSettings;
  readonly #parts: ConnectionParts;
  readonly #dialogs: Dialogs;
  readonly #keyPrompt: KeyPrompt;
  /** The address of a failed attempt, which the next one starts with. */
  #typedAddress: string | undefined;

  constructor(
    settings: UiSettings,
    errors: Pick<ErrorReporter, 'text' | 'show'>,
    parts: ConnectionParts,
    dialogs: Dialogs,
  ) {
    const { keys, readModels, fetch } = parts;
    this.#settings = settings;
    this.#parts = parts;
    this.#dialogs = dialogs;
    this.#keyPrompt = new KeyPrompt(dialogs, keys, readModels, fetch, errors);
    this.picker = new ModelPicker(this, parts, settings, errors);
  }

  /**
   * The handlers of the commands.
   *
   * @param write focuses the composer, where the person continues unless they canceled
   * @param estimateSend for the next message of the chat in focus
   */
  commandsFor(write: () => Promise<void>, estimateSend: () => EstimateSend) {
    const { executeCommand: run } = vscode.commands;
    const [settings, dialogs] = [this.#settings, this.#dialogs];
    const services = new ServicePicker(this, this.#parts, settings, dialogs);
    return {
      connect: () => this.connect(write),
      setApiKey: () => this.setApiKey(write),
      removeApiKey: () => this.removeApiKey(),
      openConsole: () =>
        openConsole(settings, dialogs, (address) =>
          vscode.env.openExternal(vscode.Uri.parse(address, true)),
        ),
      manageConnection: () => manageConnection(this.#parts, dialogs, run),
      useDemo: () => Promise.all([this.#parts.connection.useDemo(), write()]),
      selectModel: () => this.selectModel(write, estimateSend()),
      selectService: () => services.selectService(write),
    } satisfies Partial<CommandHandlers>;
  }

  /** `aside.selectModel`, see {@link ModelPicker.selectModel}. */
  selectModel(leadOn?: () => unknown, estimateSend?: EstimateSend): Promise<boolean> {
    return this.picker.selectModel(leadOn, estimateSend);
  }

  /** Lets the person choose one of the models that were just read, then calls `leadOn`. */
  offerModels(leadOn: () => unknown): Promise<void> {
    return this.picker.offerModels(leadOn);
  }

  /**
   * `aside.connect`. Resolves with true if a service is connected.
   *
   * @param leadOn moves the focus to the next step, right after the last dialog
   */
  async connect(leadOn = (): unknown => undefined): Promise<boolean> {
    const { connection, keys } = this.#parts;
    let last: (AddressCorrection & ServiceAddress) | undefined;
    for (;;) {
      const service = await this.#askAddress(last?.problem);
      if (service === undefined) return false;
      const { key, ...address } = service;
      const { services } = connection;
      const account = services.at(address);
      const known = await reported(keys.read(account.id));
      const result = await this.#keyPrompt.ask(address, {
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
    const { connection, keys } = this.#parts;
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
    const choice = await this.#dialogs.pick<ConnectedService | 'add'>(
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
    const { all } = this.#parts.connection.services;
    const names = all.map(({ name }) => name);
    const text = await this.#dialogs.prompt({
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
    const { catalog, connection } = this.#parts;
    const { address, models } = approved;
    const service = { ...account, baseUrl: address.baseUrl };
    await this.#storeKey(service, approved);
    await connection.services.remember(service);
    await connection.services.select(service);
    await this.#settings.setBaseUrl(service.baseUrl);
    await connection.leaveDemo();
    this.#typedAddress = undefined;
    if (models !== undefined) await catalog.remember(service.id, models);
    const onlyModel = models?.length === 1 ? models[0]?.id : undefined;
    if (onlyModel !== undefined) await this.picker.choose(onlyModel, leadOn);
    else await (models === undefined ? leadOn() : this.offerModels(leadOn));
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
    const { catalog, connection } = this.#parts;
    if (service === undefined) return this.connect(leadOn);
    const { services } = connection;
    const label = services.label(service);
    const approved = await this.#keyPrompt.ask(service, { label });
    if (approved === undefined || 'problem' in approved) return false;

    const { baseUrl } = approved.address;
    await Promise.all([leadOn(), this.#storeKey(service, approved)]);
    const isCurrent = service.id === services.current?.id;
    await services.remember({ ...service, baseUrl });
    if (isCurrent && baseUrl !== service.baseUrl) await this.#settings.setBaseUrl(baseUrl);
    await connection.leaveDemo();
    if (approved.models === undefined) return true;
    await catalog.remember(service.id, approved.models);
    this.#dialogs.showInformation(vscode.l10n.t('{0} accepted the API key.', label));
    return true;
  }

  get #serviceInUse(): ConnectedService | undefined {
    const { choice, connection } = this.#parts;
    const { other } = connection.placeOf(choice.current().id);
    return connection.serviceWithoutKey ?? other ?? connection.services.current;
  }

  /** `aside.removeApiKey`: removes the key of the service in the settings, even during the demo. */
  async removeApiKey(): Promise<void> {
    const { connection, keys } = this.#parts;
    const dialogs = this.#dialogs;
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

  /** @param problem the reason why the last typed address was not accepted */
  async #askAddress(problem: string | undefined): Promise<AskedService | undefined> {
    const { keys } = this.#parts;
    let copied: PastedService | undefined;
    const take = (service: PastedService | undefined): string | undefined => {
      if (service === undefined) return undefined;
      if (service.key !== undefined) keys.guard(service.key);
      copied = service;
      return service.baseUrl;
    };
    const text = await this.#dialogs.prompt({
      title: vscode.l10n.t('Connect to a Service'),
      prompt: vscode.l10n.t(
        "The base URL of the service, up to and including /v1. You'll enter the key next.",
      ),
      value: this.#typedAddress ?? this.#settings.current().baseUrl,
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
    const { keys } = this.#parts;
    const dialogs = this.#dialogs;
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
