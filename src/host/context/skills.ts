import * as vscode from 'vscode';
import type { Attachment } from '../../core/conversation/conversation.ts';
import { reported } from '../../core/support/background.ts';
import { counted } from '../../core/support/counted.ts';
import { hashOf, newId } from '../../core/support/id.ts';
import { visibleName } from '../../core/support/text.ts';
import type { InstructionFile } from '../../core/turn/messagePieces.ts';
import type { ParsedSkill } from '../../core/turn/skillFile.ts';
import { listedSkill, mostListedSkills } from '../../core/turn/skillLine.ts';
import { isBroadRoot } from '../../core/workspace/broadRoots.ts';
import { fullPath, relativeSegments, type Location } from '../../core/workspace/places.ts';
import { resolveLocation } from '../../core/workspace/resolveTarget.ts';
import type { Consents } from '../approval/consents.ts';
import { isThere } from '../missingFile.ts';
import { labelFor, toLocation, toUri, type Machine } from '../workspace/location.ts';
import { RegularFiles } from '../workspace/workspacePlaces.ts';
import { fileProblemText, readCustomFile } from './customFiles.ts';

/** The file of a skill in its folder. */
const skillFile = 'SKILL.md';
/** Folders of a workspace folder, and of the home folder, that hold the folders of skills. */
const skillFolders = ['.agents/skills', '.claude/skills', '.github/skills'] as const;
/** The most skills that are read, and paths that a dialog shows. */
const mostSkills = 200;
const mostPaths = 10;

interface SkillsOptions {
  readonly consents: Consents;
  /** Undefined where there is no Node, and so no folder of the person. */
  readonly machine: Machine | undefined;
  /** Removes the person's keys from a text, and masks other secrets. */
  readonly redact: (text: string) => string;
}

/** A skill that exists, with the person's decision about its content. */
export interface Skill extends ParsedSkill {
  readonly uri: vscode.Uri;
  /** True outside the workspace, in the person's home folder, where the folder may be a link. */
  readonly isOwn: boolean;
  /** Path of its file, as the model and the person see it. */
  readonly path: string;
  readonly hash: string;
  readonly line: ReturnType<typeof listedSkill>;
  /** Reason why it can't be used. */
  readonly problem?: string;
  /** The person's own folder of it, with links followed: the model may read what is in it. */
  readonly root: Location | undefined;
  /** Undefined if the person hasn't decided, or the file has changed since it was allowed. */
  readonly isAllowed?: boolean | undefined;
}

/**
 * The skills of the workspace and of the person's own folder. Each is used once the person allowed its
 * content. There are none in an untrusted workspace.
 */
export class Skills {
  readonly #options: SkillsOptions;
  #skills: readonly Skill[] = [];
  /** The contents about which this window has asked, even if the person didn't answer. */
  readonly #prompted = new Set<string>();

  constructor(options: SkillsOptions) {
    this.#options = options;
  }

  /** The allowed skills that requests list, in the order of their paths. */
  get listed(): readonly InstructionFile[] {
    const allowed = vscode.workspace.isTrusted ? this.#skills.filter(isUsedSkill) : [];
    const lines = allowed.slice(0, mostListedSkills).map(({ line }) => line);
    return lines.map(({ path, text }) => ({ path, text: this.#options.redact(text) }));
  }

  /** Reads all skills again. */
  async read(): Promise<readonly Skill[]> {
    if (!vscode.workspace.isTrusted) return [];
    await reported(findSkills(this.#options.machine).then((skills) => this.#setSkills(skills)));
    return this.#skills;
  }

  /** Reads all skills again, and asks once about those without a decision, all together. */
  async prepare(): Promise<void> {
    const open = (await this.read()).filter(
      ({ isAllowed, problem, path, hash }) =>
        isAllowed === undefined && problem === undefined && !this.#prompted.has(path + hash),
    );
    // A dialog that fails must not keep the message from being sent.
    await reported(this.#ask(open));
  }

  /** The current instructions of a skill; undefined if the person doesn't allow them. */
  async attachmentOf(path: string): Promise<Attachment | undefined> {
    const skill = (await this.read()).find((candidate) => candidate.path === path);
    if (skill !== undefined && skill.isAllowed === undefined) await this.#ask([skill]);
    const now = this.#skills.find((candidate) => candidate.path === path);
    if (now === undefined || !isUsedSkill(now)) return undefined;
    const text = this.#options.redact(now.body);
    return { id: newId(), kind: 'file', name: now.name, path, language: 'markdown', text };
  }

  /** Allows the current content of skills, or turns them off for good. */
  async decide(skills: readonly Skill[], isAllowed: boolean): Promise<void> {
    for (const skill of skills) await this.#options.consents.set(subjectOf(skill), isAllowed);
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
    const now = skill && (await readSkill(skill.uri, this.#options.machine));
    return now?.root !== undefined && now.hash === skill?.hash && isIn(now.root, location);
  }

  async #ask(skills: readonly Skill[]): Promise<void> {
    const [first, ...others] = skills;
    if (first === undefined) return;
    for (const { path, hash } of skills) this.#prompted.add(path + hash);
    const message =
      others.length === 0
        ? vscode.l10n.t('Use the skill {0}?', visibleName(first.name))
        : counted(vscode.l10n.t('Use {0} skills?'), skills.length, vscode.env.language);
    const [yes, no] = [vscode.l10n.t('Use'), vscode.l10n.t("Don't Use")];
    const question = { message, detail: detailOf(skills), yes, no };
    const isAllowed = await this.#options.consents.ask(subjectOf(first), question);
    if (isAllowed !== undefined) await this.decide(others, isAllowed);
  }

  async #setSkills(skills: readonly Skill[]): Promise<void> {
    const { consents } = this.#options;
    const ofWorkspace = await consents.list('skill');
    const known = [...ofWorkspace, ...(await consents.list('skill', true))];
    this.#skills = skills.map((skill) => {
      const { isAllowed, hash } = known.find(({ path }) => path === skill.path) ?? {};
      // A skill that is turned off stays so, whatever it says later.
      const hasChanged = isAllowed === true && hash !== skill.hash;
      return { ...skill, isAllowed: hasChanged ? undefined : isAllowed };
    });
  }
}

/** True if requests may list a skill, and the model may read it. */
export function isUsedSkill({ isAllowed, problem }: Skill): boolean {
  return isAllowed === true && problem === undefined;
}

function subjectOf({ path, hash, isOwn }: Skill) {
  return { kind: 'skill', path, hash, isOwn } as const;
}

function detailOf(skills: readonly Skill[]): string {
  const about = vscode.l10n.t(
    'A skill has instructions for a kind of task. Its name and description would be sent with every message that has tools, and the model could read the files in its folder. It grants no other permissions. Manage Tools turns it off.',
  );
  const paths = skills.map(({ path }) => visibleName(path)).slice(0, mostPaths);
  return [about, '', ...paths, ...(skills.length > mostPaths ? ['…'] : [])].join('\n');
}

async function findSkills(machine: Machine | undefined): Promise<readonly Skill[]> {
  const roots = (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri);
  // Paths of the disk can't be named where the workspace isn't on it.
  const [home] = roots.every(({ scheme }) => scheme === 'file') ? (machine?.homes ?? []) : [];
  const places = [...roots, ...(home === undefined ? [] : [toUri(home)])].flatMap((root) =>
    skillFolders.map((below) => vscode.Uri.joinPath(root, below)),
  );
  const folders = (await Promise.all(places.map(foldersIn))).flat();
  // The home folder may be open as a folder of the workspace.
  const unique = [...new Map(folders.map((folder) => [folder.toString(), folder])).values()];
  const skills = await Promise.all(
    unique.slice(0, mostSkills).map((folder) => reported(readSkill(folder, machine))),
  );
  return skills
    .filter((skill) => skill !== undefined)
    .toSorted((first, second) => (first.path < second.path ? -1 : 1));
}

/** The folders in a folder, in the order of their names. */
async function foldersIn(uri: vscode.Uri): Promise<readonly vscode.Uri[]> {
  // Most workspaces have none.
  const entries = await vscode.workspace.fs.readDirectory(uri).then(undefined, () => []);
  const folders = entries.filter(([, type]) => (type & vscode.FileType.Directory) !== 0);
  const names = folders.map(([name]) => name).toSorted();
  return names.map((name) => vscode.Uri.joinPath(uri, name));
}

/** Reads the skill in a folder; undefined if there is none. */
async function readSkill(
  uri: vscode.Uri,
  machine: Machine | undefined,
): Promise<Skill | undefined> {
  const isOwn = vscode.workspace.getWorkspaceFolder(uri) === undefined;
  const file = vscode.Uri.joinPath(uri, skillFile);
  if (!(await isThere(file))) return undefined;
  const path = isOwn ? fullPath(toLocation(file)) : labelFor(file);
  const root = isOwn ? await rootOf(uri, machine) : undefined;
  const isReached = isOwn ? root !== undefined : await new RegularFiles().has(file);
  const read = isReached ? await readCustomFile(file, isOwn) : ({ problem: 'link' } as const);
  const text = 'text' in read ? read.text : '';
  const name = uri.path.slice(uri.path.lastIndexOf('/') + 1);
  // The module parses YAML, which takes time to load.
  const { parseSkill } = await import('../../core/turn/skillFile.ts');
  const parsed = 'text' in read ? parseSkill(name, text) : read;
  const content =
    'problem' in parsed
      ? { name, description: '', body: '', problem: fileProblemText(file, parsed.problem) }
      : parsed;
  const hash = await hashOf(new TextEncoder().encode(text));
  const line = listedSkill(path, content.description);
  return { uri, isOwn, path, root, hash, ...content, line };
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
