import * as vscode from 'vscode';
import { orUndefined, reported } from '../../core/support/background.ts';
import type { Clock } from '../../core/support/clock.ts';
import type { CompletionItem, Completions } from '../../protocol/rpc.ts';
import type { SlashCommand } from '../context/customFiles.ts';
import { UserError } from '../platform/errors.ts';
import { labelFor } from '../platform/location.ts';
import { ownSymbols, symbolKindName } from '../platform/symbols.ts';
import type { WorkspaceIndex } from '../platform/workspaceIndex.ts';
import type { AttachmentResolver } from './attachmentResolver.ts';
import { attachmentIcons, openEditorsIcon, promptIcon, instructionsIcon } from './contextChips.ts';
import { openPromptsIcon, presetIcon } from '../context/chatPreset.ts';
import type { EarlierChats } from './earlierChats.ts';
import type { EditorContext } from './editorContext.ts';

/** The maximum number of items, and the letters from which on symbols are searched. */
const maxItems = 50;
const maxSymbols = 10;
const minSymbolQueryLength = 2;

/** The word for earlier chats, how many it offers before files, and the words after it. */
const chatWord = 'chat';
const maxChats = 10;
const chatQuery = /^chat\s(.*)$/is;

interface CompletionProviderOptions {
  readonly index: WorkspaceIndex;
  readonly attach: AttachmentResolver['attach'];
  readonly editorContext: Pick<
    EditorContext,
    'attachSelection' | 'attachProblems' | 'attachChanges' | 'attachTerminal' | 'attachOpenEditors'
  >;
  readonly earlierChats: Pick<EarlierChats, 'renew' | 'choices' | 'pick'>;
  readonly prompts: () => Promise<readonly SlashCommand[]>;
  readonly openPrompts: () => Promise<void>;
  readonly attachSkill: (path: string) => Promise<void>;
  readonly choosePreset: () => Promise<void>;
  readonly clock: Clock;
}

/** Typing is recognized by at most this many letters at a time, within this many milliseconds. */
const maxLetters = 2;
const maxPause = 2000;

/** Completions of the composer: attachments after `@`, commands after `/`. */
export class CompletionProvider {
  readonly #options: CompletionProviderOptions;
  readonly #choices = new CompletionChoices();
  /** Number of requests so far. */
  #requestCount = 0;
  /** Lists with items that take longer to find; undefined for no change. Never reject. */
  #later: Promise<readonly CompletionItem[] | undefined>[] = [];
  /** The last query with its trigger, and when the list of the trigger was last read for it. */
  #last = '';
  #renewedAt = Number.NEGATIVE_INFINITY;
  #slashCommands: Promise<readonly SlashCommand[]> = Promise.resolve([]);

  constructor(options: CompletionProviderOptions) {
    this.#options = options;
  }

  async complete(trigger: '@' | '/', query: string): Promise<Completions> {
    const number = ++this.#requestCount;
    this.#later = [];
    if (trigger === '/') return this.#whole(await this.#commands(query));
    if (query.startsWith('#')) return this.#whole(await this.#symbols(query.slice(1), maxItems));
    const { index, earlierChats } = this.#options;
    const isOutdated = this.#isOutdated(`@${query}`);
    if (isOutdated) earlierChats.renew();
    const titleWords = chatQuery.exec(query)?.[1];
    if (titleWords !== undefined)
      return this.#whole((await earlierChats.choices(titleWords)).slice(0, maxItems));
    if (isOutdated) index.renew();
    // A running renewal may end during this search, and the search may begin a new one.
    const running = index.renewal;
    const initial = await this.contextChoices(query);
    const renewal = index.renewal ?? running;
    const items = this.#choices.register(initial);
    const offer = (choices: readonly CompletionChoice[]): readonly CompletionItem[] | undefined =>
      // Items of earlier words would evict the visible ones.
      number === this.#requestCount ? this.#choices.register(choices) : undefined;
    const renewed = renewal === undefined ? undefined : this.#renewed(renewal, initial, query);
    const later = [renewed?.then((all) => (all === initial ? undefined : offer(all)))];
    if (query.length >= minSymbolQueryLength)
      later.push(this.#withSymbols(renewed ?? initial, query).then(offer));
    if (number === this.#requestCount) this.#later = later.filter((list) => list !== undefined);
    return { items, mayGrow: later.some((list) => list !== undefined) };
  }

  /**
   * The next, longer list of the last request; undefined if there is none, or another request came.
   */
  async more(): Promise<Completions | undefined> {
    const later = this.#later;
    for (let next = later.shift(); next !== undefined; next = later.shift()) {
      const items = await next;
      if (items !== undefined) return { items, mayGrow: later.length > 0 };
    }
    return undefined;
  }

  /** @throws {UserError} for an id that was not offered */
  async choose(id: string): Promise<void> {
    const offer = this.#choices.find(id);
    if (offer === undefined) {
      throw new UserError(vscode.l10n.t('This is no longer in the list. Type @ again.'));
    }
    await offer.choose();
  }

  #whole(choices: readonly CompletionChoice[]): Completions {
    return { items: this.#choices.register(choices), mayGrow: false };
  }

  /** Kinds of context that match by name, and matching files and folders. */
  async contextChoices(query: string): Promise<readonly CompletionChoice[]> {
    const { index, earlierChats } = this.#options;
    const typed = query.toLowerCase();
    const chats = typed === chatWord ? await earlierChats.choices('') : [];
    // A query ends at a space, so labels are matched without their spaces.
    const named = [
      ...chats.slice(0, maxChats),
      ...this.#named().filter(({ item }) => item.label.replaceAll(' ', '').startsWith(typed)),
    ];
    const paths = await index.find(query, maxItems - named.length, recentPaths());
    return [...named, ...paths.flatMap((path) => this.#file(path))];
  }

  /**
   * True at the start of a word, but not for each letter: the files or commands must be read again, so
   * that the list has those for which no event came.
   */
  #isOutdated(typed: string): boolean {
    const { clock } = this.#options;
    const letters = typed.length - this.#last.length;
    const goesOn = typed.startsWith(this.#last) && letters > 0 && letters <= maxLetters;
    this.#last = typed;
    if (goesOn && clock.monotonic() - this.#renewedAt < maxPause) return false;
    this.#renewedAt = clock.monotonic();
    return true;
  }

  /** The choices after the list was renewed; the same array as before if nothing changed. */
  async #renewed(
    renewal: Promise<void>,
    initial: readonly CompletionChoice[],
    query: string,
  ): Promise<readonly CompletionChoice[]> {
    // Its error is reported where it began.
    await orUndefined(renewal);
    const all = (await reported(this.contextChoices(query))) ?? initial;
    const idsOf = (choices: readonly CompletionChoice[]): string =>
      JSON.stringify(choices.map(({ item }) => item.id));
    return idsOf(all) === idsOf(initial) ? initial : all;
  }

  async #withSymbols(
    pending: readonly CompletionChoice[] | Promise<readonly CompletionChoice[]>,
    query: string,
  ): Promise<readonly CompletionChoice[]> {
    const [choices, symbols] = await Promise.all([pending, this.#symbols(query, maxSymbols)]);
    return [...choices.slice(0, maxItems - symbols.length), ...symbols];
  }

  #named(): readonly CompletionChoice[] {
    const { editorContext, earlierChats } = this.#options;
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
      offer(
        'selection',
        vscode.l10n.t('Selected lines in the editor'),
        attachmentIcons.selection,
        () => editorContext.attachSelection(),
      ),
      offer('problems', vscode.l10n.t('Errors and warnings'), attachmentIcons.problems, () =>
        editorContext.attachProblems(),
      ),
      offer(
        'changes',
        vscode.l10n.t('Changes since the last commit'),
        attachmentIcons.changes,
        () => editorContext.attachChanges(),
      ),
      offer(
        'terminal',
        vscode.l10n.t('Last command and its output'),
        attachmentIcons.terminal,
        () => editorContext.attachTerminal(),
      ),
      offer(
        'open files',
        vscode.l10n.t('All files that are open in editors'),
        openEditorsIcon,
        () => editorContext.attachOpenEditors(),
      ),
      offer(`${chatWord}…`, vscode.l10n.t('An earlier chat'), attachmentIcons.chat, () =>
        earlierChats.pick(),
      ),
    ];
  }

  #file(path: string): readonly CompletionChoice[] {
    const { index, attach } = this.#options;
    const uri = index.uriOf(path);
    if (uri === undefined) return [];
    const isFolder = path.endsWith('/');
    const start = path.lastIndexOf('/', path.length - 2) + 1;
    const icon = isFolder ? attachmentIcons.folder : attachmentIcons.file;
    const detail = path.slice(0, Math.max(0, start - 1));
    return [
      {
        item: { id: path, label: path.slice(start), detail, icon },
        choose: () => attach(uri),
      },
    ];
  }

  async #symbols(query: string, most: number): Promise<readonly CompletionChoice[]> {
    if (query === '') return [];
    const matches = await ownSymbols(query);
    return matches.slice(0, most).map(({ name, kind, location }) => {
      const { uri, range } = location;
      const label = labelFor(uri);
      return {
        item: {
          id: `#${label}:${range.start.line}:${name}`,
          label: name,
          detail: `${symbolKindName(kind)}, ${label}`,
          icon: attachmentIcons.symbol,
        },
        choose: () => this.#options.attach(uri, range, 'symbol'),
      };
    });
  }

  async #commands(query: string): Promise<readonly CompletionChoice[]> {
    const { prompts, openPrompts, choosePreset, attachSkill } = this.#options;
    if (this.#isOutdated(`/${query}`)) this.#slashCommands = prompts();
    const commands = await this.#slashCommands;
    const fitting = commands.filter(({ name }) => name.toLowerCase().includes(query.toLowerCase()));
    const offers = fitting.map(({ name, description, hint = '', skill }) => ({
      item: {
        id: `/${name}`,
        label: name,
        detail: [hint, description].filter((part) => part !== '').join(' · '),
        icon: skill === undefined ? promptIcon : instructionsIcon,
        insert: `/${name} `,
      },
      choose: () => (skill === undefined ? Promise.resolve() : attachSkill(skill)),
    }));
    const label = vscode.l10n.t('Open My Prompts…');
    const item = { id: '/', label, icon: openPromptsIcon, isAction: true };
    const presets = {
      id: '/preset',
      label: vscode.l10n.t('Choose Preset…'),
      icon: presetIcon,
      isAction: true,
    };
    return [...offers, { item: presets, choose: choosePreset }, { item, choose: openPrompts }];
  }
}

/** The paths of files in tabs, that of the active tab first. */
function recentPaths(): readonly string[] {
  const { activeTextEditor, tabGroups } = vscode.window;
  const active = activeTextEditor === undefined ? [] : [activeTextEditor.document.uri];
  const tabs = tabGroups.all.flatMap(({ tabs }) => tabs.map(({ input }) => input));
  const open = tabs.flatMap((input) => (input instanceof vscode.TabInputText ? [input.uri] : []));
  return [...new Set([...active, ...open].map(labelFor))];
}

/** An item of a list, and the action of choosing it. */
export interface CompletionChoice {
  readonly item: CompletionItem;
  readonly choose: () => Promise<void>;
}

/** Number of lists from which the view may still choose. */
const keptLists = 4;

/** The items last offered to the view, which can choose only among these, by id (threats: T04). */
export class CompletionChoices {
  readonly #lists: (readonly CompletionChoice[])[] = [];

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
