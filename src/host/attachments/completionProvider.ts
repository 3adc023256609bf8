import * as vscode from 'vscode';
import type { Clock } from '../../core/support/clock.ts';
import type { FoundCompletions } from '../../protocol/hostChannel.ts';
import type { CompletionItem } from '../../protocol/messages.ts';
import { UserError } from '../errors.ts';
import { labelFor } from '../workspace/location.ts';
import { symbolKindName } from '../workspace/symbols.ts';
import type { WorkspaceIndex } from '../workspace/workspaceIndex.ts';
import type { AttachmentResolver } from './attachmentResolver.ts';
import {
  attachmentIcons,
  openEditorsIcon,
  openPromptsIcon,
  presetIcon,
  promptIcon,
} from './contextChips.ts';
import type { EditorContext } from './editorContext.ts';

/** The maximum number of items, and the letters from which on symbols are searched. */
const maxItems = 50;
const maxSymbols = 10;
const minSymbolQueryLength = 2;

/** A command of the composer: `/name`. */
export interface SlashCommand {
  readonly name: string;
  readonly description: string;
}

interface CompletionProviderOptions {
  readonly index: Pick<WorkspaceIndex, 'find' | 'uriOf' | 'renew' | 'renewal'>;
  readonly resolver: Pick<AttachmentResolver, 'attach'>;
  readonly editorContext: Pick<
    EditorContext,
    'attachSelection' | 'attachProblems' | 'attachChanges' | 'attachTerminal' | 'attachOpenEditors'
  >;
  readonly prompts: () => Promise<readonly SlashCommand[]>;
  readonly openPrompts: () => Promise<void>;
  readonly choosePreset: () => Promise<void>;
  readonly clock: Clock;
}

/** What somebody types letter by letter: so many at a time, and so many milliseconds apart. */
const maxLetters = 2;
const maxPause = 2000;

/** Completions of the composer: attachments after `@`, commands after `/`. */
export class CompletionProvider {
  readonly #options: CompletionProviderOptions;
  readonly #choices = new CompletionChoices();
  /** Number of requests so far. */
  #asked = 0;
  /** What was asked last after `@`, and when the files were last listed for that. */
  #last = '';
  #renewedAt = Number.NEGATIVE_INFINITY;

  constructor(options: CompletionProviderOptions) {
    this.#options = options;
  }

  async complete(trigger: '@' | '/', query: string): Promise<FoundCompletions> {
    const number = ++this.#asked;
    if (trigger === '/') return { items: this.#choices.register(await this.#commands(query)) };
    if (query.startsWith('#')) {
      return { items: this.#choices.register(await this.#symbols(query.slice(1), maxItems)) };
    }
    this.#renewFor(query);
    const { index } = this.#options;
    // It may end while the list before it is searched, which begins one where there is none.
    const running = index.renewal;
    const found = await this.contextChoices(query);
    const renewal = index.renewal ?? running;
    const items = this.#choices.register(found);
    const offer = (choices: readonly CompletionChoice[]): readonly CompletionItem[] | undefined =>
      // The choices of earlier words would push out those that are shown.
      number === this.#asked ? this.#choices.register(choices) : undefined;
    const renewed = renewal === undefined ? undefined : this.#renewed(renewal, found, query);
    const later = [renewed?.then((all) => (all === found ? undefined : offer(all)))];
    if (query.length >= minSymbolQueryLength)
      later.push(this.#withSymbols(renewed ?? found, query).then(offer));
    return { items, later: later.filter((one) => one !== undefined) };
  }

  /** @throws {UserError} for an id that was not offered */
  async choose(id: string): Promise<void> {
    const offer = this.#choices.find(id);
    if (offer === undefined) {
      throw new UserError(vscode.l10n.t('This is no longer in the list. Type @ again.'));
    }
    await offer.choose();
  }

  /** Kinds of context by their names, and the files and folders that match. */
  async contextChoices(query: string): Promise<readonly CompletionChoice[]> {
    const { index } = this.#options;
    const typed = query.toLowerCase();
    // What is typed ends at a space, so labels are found without theirs.
    const named = this.#named().filter(({ item }) =>
      item.label.replaceAll(' ', '').startsWith(typed),
    );
    const paths = await index.find(query, maxItems - named.length, recentPaths());
    return [...named, ...paths.flatMap((path) => this.#file(path))];
  }

  /**
   * Lists the files when a word is begun, and not for each of its letters, so that it has also those
   * of which nobody has told.
   */
  #renewFor(query: string): void {
    const { clock, index } = this.#options;
    const letters = query.length - this.#last.length;
    const goesOn = query.startsWith(this.#last) && letters > 0 && letters <= maxLetters;
    this.#last = query;
    if (goesOn && clock.monotonic() - this.#renewedAt < maxPause) return;
    this.#renewedAt = clock.monotonic();
    index.renew();
  }

  /** What is found in the list that is being made; the same as before if nothing else is. */
  async #renewed(
    renewal: Promise<void>,
    found: readonly CompletionChoice[],
    query: string,
  ): Promise<readonly CompletionChoice[]> {
    await renewal.catch(() => undefined);
    const all = await this.contextChoices(query).catch(() => found);
    return isSame(all, found) ? found : all;
  }

  async #withSymbols(
    found: readonly CompletionChoice[] | Promise<readonly CompletionChoice[]>,
    query: string,
  ): Promise<readonly CompletionChoice[]> {
    const [choices, symbols] = await Promise.all([found, this.#symbols(query, maxSymbols)]);
    return [...choices.slice(0, maxItems - symbols.length), ...symbols];
  }

  #named(): readonly CompletionChoice[] {
    const { editorContext } = this.#options;
    const { l10n } = vscode;
    const offer = (
      label: string,
      detail: string,
      icon: string,
      choose: CompletionChoice['choose'],
    ): CompletionChoice => ({
      item: { id: `@${label}`, label, detail, icon },
      choose,
    });
    return [
      offer('selection', l10n.t('Selected lines in the editor'), attachmentIcons.selection, () =>
        editorContext.attachSelection(),
      ),
      offer('problems', l10n.t('Errors and warnings'), attachmentIcons.problems, () =>
        editorContext.attachProblems(),
      ),
      offer('changes', l10n.t('Changes since the last commit'), attachmentIcons.changes, () =>
        editorContext.attachChanges(),
      ),
      offer('terminal', l10n.t('Last command and its output'), attachmentIcons.terminal, () =>
        editorContext.attachTerminal(),
      ),
      offer('open files', l10n.t('All files that are open in editors'), openEditorsIcon, () =>
        editorContext.attachOpenEditors(),
      ),
    ];
  }

  #file(path: string): readonly CompletionChoice[] {
    const { index, resolver } = this.#options;
    const uri = index.uriOf(path);
    if (uri === undefined) return [];
    const isFolder = path.endsWith('/');
    const start = path.lastIndexOf('/', path.length - 2) + 1;
    const icon = isFolder ? attachmentIcons.folder : attachmentIcons.file;
    const detail = path.slice(0, Math.max(0, start - 1));
    return [
      {
        item: { id: path, label: path.slice(start), detail, icon },
        choose: () => resolver.attach(uri),
      },
    ];
  }

  async #symbols(query: string, most: number): Promise<readonly CompletionChoice[]> {
    if (query === '') return [];
    const found = await symbolsNamed(query);
    return found.slice(0, most).map(({ name, kind, location }) => {
      const { uri, range } = location;
      const label = labelFor(uri);
      return {
        item: {
          id: `#${label}:${range.start.line}:${name}`,
          label: name,
          detail: `${symbolKindName(kind)}, ${label}`,
          icon: attachmentIcons.symbol,
        },
        choose: () => this.#options.resolver.attach(uri, range, 'symbol'),
      };
    });
  }

  async #commands(query: string): Promise<readonly CompletionChoice[]> {
    const { prompts, openPrompts, choosePreset } = this.#options;
    const commands = await prompts();
    const fitting = commands.filter(({ name }) => name.toLowerCase().includes(query.toLowerCase()));
    const offers = fitting.map(({ name, description }) => ({
      item: {
        id: `/${name}`,
        label: name,
        detail: description,
        icon: promptIcon,
        insert: `/${name} `,
      },
      choose: () => Promise.resolve(),
    }));
    const label = vscode.l10n.t('Open My Prompts…');
    const item = { id: '/', label, icon: openPromptsIcon, isAction: true };
    const presets = {
      ...{ id: '/preset', label: vscode.l10n.t('Choose Preset…'), icon: presetIcon },
      isAction: true,
    };
    return [...offers, { item: presets, choose: choosePreset }, { item, choose: openPrompts }];
  }
}

/** The symbols of the workspace. A language service that fails has none. */
async function symbolsNamed(query: string): Promise<readonly vscode.SymbolInformation[]> {
  try {
    const found = await vscode.commands.executeCommand<vscode.SymbolInformation[] | undefined>(
      'vscode.executeWorkspaceSymbolProvider',
      query,
    );
    return (found ?? []).filter(
      ({ location }) => vscode.workspace.getWorkspaceFolder(location.uri) !== undefined,
    );
  } catch {
    return [];
  }
}

/** The files in tabs, that of the active tab first. */
function recentPaths(): readonly string[] {
  const { activeTextEditor, tabGroups } = vscode.window;
  const active = activeTextEditor === undefined ? [] : [activeTextEditor.document.uri];
  const tabs = tabGroups.all.flatMap(({ tabs }) => tabs.map(({ input }) => input));
  const open = tabs.flatMap((input) => (input instanceof vscode.TabInputText ? [input.uri] : []));
  return [...new Set([...active, ...open].map(labelFor))];
}

/** An item of a list, and what choosing it does. */
export interface CompletionChoice {
  readonly item: CompletionItem;
  readonly choose: () => Promise<void>;
}

/** The number of lists from which the view may still choose. */
const keptLists = 4;

/**
 * The items that the view was last offered. It chooses by their ids, so that it can choose nothing else
 * (threats: T04).
 */
export class CompletionChoices {
  readonly #lists: (readonly CompletionChoice[])[] = [];

  /** Remembers the items, and returns them for the view. */
  register(choices: readonly CompletionChoice[]): readonly CompletionItem[] {
    this.#lists.unshift(choices);
    this.#lists.splice(keptLists);
    return choices.map(({ item }) => item);
  }

  /** Undefined for an id that was not offered. */
  find(id: string): CompletionChoice | undefined {
    return this.#lists.flat().find(({ item }) => item.id === id);
  }
}

function isSame(
  choices: readonly CompletionChoice[],
  others: readonly CompletionChoice[],
): boolean {
  const idAt = (index: number): string | undefined => others[index]?.item.id;
  return choices.length === others.length && choices.every(({ item }, at) => item.id === idAt(at));
}
