import * as vscode from 'vscode';
import type { Attachment } from '../../core/conversation/conversation.ts';
import { reported } from '../../core/support/background.ts';
import { counted } from '../../core/support/counted.ts';
import { hashOf, newId } from '../../core/support/id.ts';
import { lastSegment, oneLine, visibleName } from '../../core/support/text.ts';
import type { InstructionFile } from '../../core/turn/messagePieces.ts';
import type { ParsedSkill } from '../../core/turn/instructionFile.ts';
import { listedSkill, mostListedSkills } from '../../core/turn/instructionScope.ts';
import { isBroadRoot, resolveLocation } from '../../core/files/resolveTarget.ts';
import { fullPath, relativeSegments, type Location } from '../../core/files/places.ts';
import { decisionAbout, type ConsentDecision, type Consents } from '../approval/consents.ts';
import type { Dialogs } from '../platform/dialogs.ts';
import { UserError } from '../platform/errors.ts';
import { labelFor, toLocation, toUri, type Machine, isThere } from '../platform/location.ts';
import { RegularFiles } from '../platform/workspacePlaces.ts';
import type { ConsentPreviews } from './consentPreviews.ts';
import { fileProblemText, ownFirst, readCustomFile } from './customFiles.ts';

/** The file of a skill in its folder. */
const skillFile = 'SKILL.md';
/** Folders of a workspace folder, and of the home folder, that hold the folders of skills. */
const skillFolders = ['.agents/skills', '.claude/skills', '.github/skills'] as const;
/** The most skills that are read of the person's home folder, and of each folder of the workspace. */
const mostSkills = 200;
/** The most skills that one dialog allows. It names each of them. */
const mostAtOnce = 10;
/** Characters of a skill's text that are stored with its consent, to show later changes of it. */
const mostStored = 30_000;

/** A skill that exists, with the person's decision about its content. */
export interface Skill extends ParsedSkill, ConsentDecision {
  readonly uri: vscode.Uri;
  /** True outside the workspace, in the person's home folder, where the folder may be a link. */
  readonly isOwn: boolean;
  /** Prefix that distinguishes skills of the same name. */
  readonly key: string;
  /** Path of its file, as the model and the person see it. */
  readonly path: string;
  /** The whole file. */
  readonly text: string;
  readonly hash: string;
  readonly line: ReturnType<typeof listedSkill>;
  /** Reason why it can't be used. */
  readonly problem?: string;
  /** The person's own folder of it, with links followed: the model may read what is in it. */
  readonly root: Location | undefined;
}

type UndecidedSkill = Omit<Skill, keyof ConsentDecision>;

/**
 * The skills of the workspace and of the person's own folder. Each is used once the person allowed its
 * content. There are none in an untrusted workspace.
 */
export class Skills {
  readonly #consents: Consents;
  readonly #dialogs: Pick<Dialogs, 'pickSeveral'>;
  readonly #previews: Pick<ConsentPreviews, 'of'>;
  readonly #machine: Machine | undefined;
  readonly #redact: (text: string) => string;
  #skills: readonly Skill[] = [];
  /** The contents about which this window has asked, even if the person didn't answer. */
  readonly #prompted = new Set<string>();

  /**
   * @param machine undefined where there is no Node, and so no folder of the person
   * @param redact removes the person's keys from a text, and masks other secrets
   */
  constructor(
    consents: Consents,
    dialogs: Pick<Dialogs, 'pickSeveral'>,
    previews: Pick<ConsentPreviews, 'of'>,
    machine: Machine | undefined,
    redact: (text: string) => string,
  ) {
    this.#consents = consents;
    this.#dialogs = dialogs;
    this.#previews = previews;
    this.#machine = machine;
    this.#redact = redact;
  }

  /** The allowed skills that requests list: the person's own first, each in the order of their paths. */
  get listed(): readonly InstructionFile[] {
    const listed = vscode.workspace.isTrusted ? this.#skills.filter(isListedSkill) : [];
    const lines = listed.slice(0, mostListedSkills).map(({ line }) => line);
    return lines.map(({ path, text }) => ({ path, text: this.#redact(text) }));
  }

  /** Reads all skills again. */
  async read(): Promise<readonly Skill[]> {
    if (!vscode.workspace.isTrusted) return [];
    await reported(findSkills(this.#machine).then((skills) => this.#setSkills(skills)));
    return this.#skills;
  }

  /**
   * Reads all skills again, and asks once about those without a decision that requests would list, all
   * together.
   */
  async prepare(): Promise<void> {
    const open = (await this.read()).filter(
      ({ isAllowed, isListed, problem, path, hash }) =>
        isAllowed === undefined &&
        isListed &&
        problem === undefined &&
        !this.#prompted.has(path + hash),
    );
    // A dialog that fails must not keep the message from being sent.
    await reported(this.#ask(open));
  }

  /**
   * The current instructions of a skill that the person chose. Asks unless they are allowed, also if
   * they were refused before; undefined if they still aren't.
   * @throws {UserError} if the skill can't be used
   */
  async attachmentOf(path: string): Promise<Attachment | undefined> {
    const skill = (await this.read()).find((candidate) => candidate.path === path);
    if (skill?.problem !== undefined) throw new UserError(skill.problem);
    if (skill !== undefined && skill.isAllowed !== true) await this.#ask([skill]);
    const now = this.#skills.find((candidate) => candidate.path === path);
    if (now === undefined || !isUsedSkill(now)) return undefined;
    const text = this.#redact(now.body);
    return { id: newId(), kind: 'file', name: now.name, path, language: 'markdown', text };
  }

  /** Allows the current content of skills, or turns them off for good. */
  async decide(skills: readonly Skill[], isAllowed: boolean): Promise<void> {
    for (const skill of skills) {
      const text = isAllowed && skill.text.length <= mostStored ? skill.text : undefined;
      await this.#consents.set(subjectOf(skill), isAllowed, text);
    }
    await this.#setSkills(this.#skills);
  }

  /**
   * True if a file or folder outside of the workspace is part of a skill of the person's own that is
   * allowed as it is now (threats: T52).
   * @param location with links followed
   */
  async isOfSkill(location: Location): Promise<boolean> {
    const skill = this.#skills.find(
      (candidate) =>
        isUsedSkill(candidate) && candidate.root !== undefined && isIn(candidate.root, location),
    );
    const now = skill && (await readSkill(skill.uri, this.#machine));
    return now?.root !== undefined && now.hash === skill?.hash && isIn(now.root, location);
  }

  async #ask(skills: readonly Skill[]): Promise<void> {
    if (skills.length === 0) return;
    for (const { path, hash } of skills) this.#prompted.add(path + hash);
    const message = messageOf(skills);
    const isList = skills.length > mostAtOnce;
    const answer = await this.#consents.answer({
      message,
      detail: isList ? aboutSkills(skills) : detailOf(skills),
      yes: isList ? vscode.l10n.t('Select…') : vscode.l10n.t('Use'),
      no: vscode.l10n.t("Don't Use"),
      preview: this.#previews.of(message, skills),
    });
    if (answer === true && isList) await this.#select(skills);
    else if (answer !== undefined) await this.decide(skills, answer);
  }

  /** Lets the person select the skills to use. The others are turned off, unless none is selected. */
  async #select(skills: readonly Skill[]): Promise<void> {
    const items = skills.map((skill) => ({
      label: visibleName(skill.name),
      description: `${visibleName(skill.path)} · ${oneLine(skill.description, mostOfDescription)}`,
      value: skill,
    }));
    const title = vscode.l10n.t('Select the skills to use');
    const selected = await this.#dialogs.pickSeveral(items, title);
    if (selected.length === 0) return;
    await this.decide(selected, true);
    await this.decide(
      skills.filter((skill) => !selected.includes(skill)),
      false,
    );
  }

  async #setSkills(skills: readonly UndecidedSkill[]): Promise<void> {
    const ofWorkspace = await this.#consents.list('skill');
    const known = [...ofWorkspace, ...(await this.#consents.list('skill', true))];
    this.#skills = skills.map((skill) => ({ ...skill, ...decisionAbout(skill, known) }));
  }
}

/** True if a skill may be attached, and the model may read it. */
function isUsedSkill({ isAllowed, problem }: Skill): boolean {
  return isAllowed === true && problem === undefined;
}

/** True if requests may list a skill, too. */
export function isListedSkill(skill: Skill): boolean {
  return isUsedSkill(skill) && skill.isListed;
}

function subjectOf({ path, hash, isOwn }: Skill) {
  return { kind: 'skill', path, hash, isOwn } as const;
}

function messageOf(skills: readonly Skill[]): string {
  const [first, ...others] = skills;
  const name = visibleName(first?.name ?? '');
  if (others.length > 0)
    return counted(vscode.l10n.t('Use {0} skills?'), skills.length, vscode.env.language);
  return first?.isAllowed === false
    ? vscode.l10n.t("The skill {0} isn't allowed. Use it?", name)
    : vscode.l10n.t('Use the skill {0}?', name);
}

/** Characters of each description where a question is about several skills. */
const mostOfDescription = 200;

/** Every skill with its path, which ends with its folder, and its description. */
function detailOf(skills: readonly Skill[]): string {
  const isOnly = skills.length === 1;
  const lines = skills.flatMap(({ path, description, hasChanged }) => [
    visibleName(path),
    `“${isOnly ? description : oneLine(description, mostOfDescription)}”`,
    ...(hasChanged ? [vscode.l10n.t('Changed since you allowed it.')] : []),
    '',
  ]);
  return [...lines, aboutSkills(skills)].join('\n');
}

function aboutSkills(skills: readonly Skill[]): string {
  if (!skills.some(({ isListed }) => isListed))
    return vscode.l10n.t(
      'A skill has instructions for a kind of task. This one is only sent with messages that you attach it to, and the model could then read the files in its folder. It grants no other permissions. Manage Tools turns it off.',
    );
  return vscode.l10n.t(
    'A skill has instructions for a kind of task. Its name and description would be sent with every message that has tools, and the model could read the files in its folder. It grants no other permissions. Manage Tools turns it off.',
  );
}

/** The skills of all places, the person's own first: no repository crowds them out. */
async function findSkills(machine: Machine | undefined): Promise<readonly UndecidedSkill[]> {
  const roots = (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri);
  // Paths of the disk can't be named where the workspace isn't on it.
  const [home] = roots.every(({ scheme }) => scheme === 'file') ? (machine?.homes ?? []) : [];
  const folders = await Promise.all(
    [...(home === undefined ? [] : [toUri(home)]), ...roots].map(async (root) => {
      const places = skillFolders.map((below) => vscode.Uri.joinPath(root, below));
      return (await Promise.all(places.map(foldersIn))).flat().slice(0, mostSkills);
    }),
  );
  // The home folder may be open as a folder of the workspace.
  const unique = new Map(folders.flat().map((folder) => [folder.toString(), folder]));
  const skills = await Promise.all(
    [...unique.values()].map((folder) => reported(readSkill(folder, machine))),
  );
  const sorted = skills
    .filter((skill) => skill !== undefined)
    .toSorted((first, second) => (first.path < second.path ? -1 : 1));
  return ownFirst(sorted);
}

/** The folders in a folder, in the order of their names. */
async function foldersIn(uri: vscode.Uri): Promise<readonly vscode.Uri[]> {
  // Most workspaces have none.
  const entries = await vscode.workspace.fs.readDirectory(uri).then(undefined, () => []);
  const folders = entries.filter(([, type]) => (type & vscode.FileType.Directory) !== 0);
  const names = folders.map(([name]) => name).toSorted();
  return names.map((name) => vscode.Uri.joinPath(uri, name));
}

const unusable = { description: '', body: '', hint: '', isCommand: true, isListed: true } as const;

/** Reads the skill in a folder; undefined if there is none. */
async function readSkill(
  uri: vscode.Uri,
  machine: Machine | undefined,
): Promise<UndecidedSkill | undefined> {
  const folder = vscode.workspace.getWorkspaceFolder(uri);
  const [isOwn, key] = [folder === undefined, folder?.name ?? 'own'];
  const file = vscode.Uri.joinPath(uri, skillFile);
  if (!(await isThere(file))) return undefined;
  const path = isOwn ? fullPath(toLocation(file)) : labelFor(file);
  const root = isOwn ? await rootOf(uri, machine) : undefined;
  const isReached = isOwn ? root !== undefined : await new RegularFiles().has(file);
  const read = isReached ? await readCustomFile(file, isOwn) : ({ problem: 'link' } as const);
  const text = 'text' in read ? read.text : '';
  const name = lastSegment(uri.path);
  // The module parses YAML, which takes time to load.
  const { parseSkill } = await import('../../core/turn/instructionFile.ts');
  const parsed = 'text' in read ? parseSkill(name, text) : read;
  const content =
    'problem' in parsed
      ? { ...unusable, name, problem: fileProblemText(file, parsed.problem) }
      : parsed;
  const hash = await hashOf(new TextEncoder().encode(text));
  const line = listedSkill(path, content.description);
  return { uri, isOwn, key, path, root, text, hash, ...content, line };
}

/**
 * The folder of a skill of the person's own, with links followed. Undefined if its file is elsewhere,
 * or if it is around others: a link may lead to any folder.
 */
async function rootOf(
  uri: vscode.Uri,
  machine: Machine | undefined,
): Promise<Location | undefined> {
  const real = async (path: string): Promise<Location> => {
    const named = toLocation(vscode.Uri.joinPath(uri, path));
    return (await resolveLocation(named, machine?.view)).location;
  };
  const [around, root, file] = [await real('..'), await real('.'), await real(skillFile)];
  const isBroad = await isBroadRoot(root, machine?.homes.at(-1), machine?.view);
  return isBroad || isIn(root, around) || !isIn(root, file) ? undefined : root;
}

function isIn(folder: Location, location: Location): boolean {
  return relativeSegments(folder, location) !== undefined;
}
