import * as vscode from 'vscode';
import type { ParsedPreset } from '../../core/code/frontMatter.ts';
import type { ChosenPreset } from '../../core/conversation/conversation.ts';
import { reported } from '../../core/support/background.ts';
import { Emitter, type Disposable } from '../../core/support/event.ts';
import type { InstructionFile } from '../../core/turn/messagePieces.ts';
import { ifThere } from '../platform/location.ts';
import { customFilesIn, readCustomFile, type CustomFile } from './customFiles.ts';
import type { AcceptedOffer, FileOffer, FileOffers } from './fileOffers.ts';

/** The end of the names of presets. Other Markdown files are agents of Claude Code. */
const presetSuffix = '.agent.md';
/** The folders of a workspace with presets, and the ends of the names of their files. */
const presetFolders: readonly (readonly [path: string, suffix: string])[] = [
  ['.github/agents', presetSuffix],
  ['.claude/agents', '.md'],
];
export const ownPresetFolder = 'agents';

type PresetPlace = Pick<ChosenPreset, 'isOwn' | 'path' | 'workspace'>;

/** Accepted choices of a preset, for one text of its file and one selected model. */
interface Accepted {
  readonly text: string;
  readonly selected: string;
  readonly offer: AcceptedOffer;
}

export interface Preset extends ParsedPreset, PresetPlace {
  readonly uri: vscode.Uri;
  readonly detail: string;
  readonly text: string;
}

/**
 * Presets for chats: agent files of trusted workspaces, and of a folder in the extension's global
 * storage. A preset's choices apply only if the person accepted them.
 */
export class Presets implements Disposable {
  readonly #storage: vscode.Uri;
  readonly #offers: Pick<FileOffers, 'accept' | 'known'>;
  readonly #workspace: () => Promise<string>;
  readonly #redact: (text: string) => string;
  readonly #changed = new Emitter<undefined>();
  readonly #read = new Map<string, Preset | undefined>();
  /** Accepted choices, each valid for one text of the file. */
  readonly #accepted = new Map<string, Accepted>();

  /** Fires when a preset of a chat was read and has changed. */
  readonly onDidChange = this.#changed.event;

  /**
   * @param workspace the identity of this workspace; empty if it has none
   * @param redact removes the person's keys from a text, and masks other secrets
   */
  constructor(
    storage: vscode.Uri,
    offers: Pick<FileOffers, 'accept' | 'known'>,
    workspace: () => Promise<string>,
    redact: (text: string) => string,
  ) {
    this.#storage = storage;
    this.#offers = offers;
    // Folders without an identity, such as virtual ones, are identified by their URIs.
    this.#workspace = async () => {
      const { workspaceFolders = [] } = vscode.workspace;
      const addresses = workspaceFolders.map(({ uri }) => uri.toString());
      return (await workspace()) || JSON.stringify(addresses);
    };
    this.#redact = redact;
  }

  /** Lists all presets, those of the workspace first. */
  async list(): Promise<readonly Preset[]> {
    const workspace = await this.#workspace();
    const all = await Promise.all((await this.#files()).map((file) => presetOf(file, workspace)));
    return all.filter((preset) => preset !== undefined);
  }

  /** Reads the preset of a chat again, with the choices that the person accepted before. */
  async refresh(chosen: ChosenPreset, selected: string): Promise<Preset | undefined> {
    const workspace = await this.#workspace();
    const key = keyOf(chosen);
    const file = (await this.#files()).find(
      (candidate) => keyOf(placeOf(candidate, workspace)) === key,
    );
    const preset = file && (await presetOf(file, workspace));
    const before = this.#read.get(key);
    this.#read.set(key, preset);
    const known = this.#accepted.get(key);
    let isOther = before?.text !== preset?.text;
    if (preset !== undefined && (known?.text !== preset.text || known.selected !== selected)) {
      const offer = await this.#offers.known(offerOf(preset, chosen, selected), selected);
      if (offer !== undefined) this.#accepted.set(key, { text: preset.text, selected, offer });
      isOther ||= offer !== undefined;
    }
    if (isOther) this.#changed.fire(undefined);
    return preset;
  }

  /** The preset of a chat as last read; undefined if there is none, or no trust. */
  current(chosen: PresetPlace): Preset | undefined {
    return vscode.workspace.isTrusted || chosen.isOwn ? this.#read.get(keyOf(chosen)) : undefined;
  }

  instructions(chosen: PresetPlace): readonly InstructionFile[] {
    const preset = this.current(chosen);
    if (preset === undefined || preset.body === '') return [];
    return [{ path: preset.path, text: this.#redact(preset.body) }];
  }

  /** Choices that the person accepted for the current text of a preset. */
  accepted(chosen: PresetPlace): AcceptedOffer {
    const text = this.current(chosen)?.text;
    const known = this.#accepted.get(keyOf(chosen));
    return text === undefined || known?.text !== text ? {} : known.offer;
  }

  /**
   * Asks the person to accept the choices of a chat's preset, unless that was decided. False if the
   * person cancels.
   */
  async accept(chosen: ChosenPreset, selected: string): Promise<boolean> {
    const preset = await this.refresh(chosen, selected);
    if (preset === undefined) return true;
    const offer = await this.#offers.accept(offerOf(preset, chosen, selected), selected);
    if (offer === undefined) return false;
    this.#accepted.set(keyOf(chosen), { text: preset.text, selected, offer });
    this.#changed.fire(undefined);
    return true;
  }

  dispose(): void {
    this.#changed.dispose();
  }

  async #files(): Promise<readonly CustomFile[]> {
    const { workspaceFolders = [], isTrusted } = vscode.workspace;
    const ofWorkspace = (isTrusted ? workspaceFolders : []).flatMap(({ name, uri }) =>
      presetFolders.map(([path, suffix]) => {
        const folder = vscode.Uri.joinPath(uri, path);
        const detail = vscode.l10n.t('Preset from {0}', name);
        return customFilesIn({ key: name, detail, folder, isOwn: false }, suffix);
      }),
    );
    const folder = vscode.Uri.joinPath(this.#storage, ownPresetFolder);
    const userFolder = { key: 'own', detail: vscode.l10n.t('Your preset'), folder, isOwn: true };
    const files = await Promise.all([...ofWorkspace, customFilesIn(userFolder, presetSuffix)]);
    return files.flat();
  }
}

/** Undefined for an invalid file. */
async function presetOf(file: CustomFile, workspace: string): Promise<Preset | undefined> {
  const read = await reported(ifThere(readCustomFile(file.uri, file.isOwn)));
  if (read === undefined || 'problem' in read) return undefined;
  const { text } = read;
  // The module parses YAML, which takes time to load.
  const { parseClaudeAgent, parsePreset } = await import('../../core/code/frontMatter.ts');
  const parse = file.fileName.endsWith(presetSuffix) ? parsePreset : parseClaudeAgent;
  const parsed = parse(file.fileName, text);
  if (parsed === undefined) return undefined;
  const { uri, detail } = file;
  return { ...parsed, ...placeOf(file, workspace), uri, detail, text };
}

/** The user's own folder isn't in a workspace, so the name identifies its files. */
function placeOf({ isOwn, uri, fileName }: CustomFile, workspace: string): PresetPlace {
  if (isOwn) return { isOwn, path: fileName, workspace: '' };
  return { isOwn, path: vscode.workspace.asRelativePath(uri), workspace };
}

/** Drops the model if the person selected another one after choosing the preset. */
function offerOf(
  { path, text, isOwn, model, options }: Preset,
  { instead }: ChosenPreset,
  selected: string,
): FileOffer {
  const isInstead = instead === '' || instead === selected;
  return { path, text, isOwn, model: isInstead ? model : undefined, options };
}

function keyOf({ isOwn, path, workspace }: PresetPlace): string {
  return JSON.stringify([isOwn, path, workspace]);
}
