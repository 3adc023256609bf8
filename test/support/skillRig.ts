import { mkdir, realpath, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import * as z from 'zod/mini';
import type { Consents } from '../../src/host/approval/consents.ts';
import type { PreviewedFile } from '../../src/host/context/consentPreviews.ts';
import type { Skill, Skills } from '../../src/host/context/skills.ts';
import type { FileStatus } from '../../src/core/files/disk.ts';
import type { Location } from '../../src/core/files/places.ts';
import { consentsWith } from './consentsWith.ts';
import { vscodeOnDisk } from './vscodeOnDisk.ts';
import { withFakeVsCode } from './withFakeVsCode.ts';

/** The subset of the file system that skills use. */
const view = {
  realPath: async (location: Location) => ({ ...location, path: await realpath(location.path) }),
  async status({ path }: Location): Promise<FileStatus> {
    const stats = await stat(path);
    const kind = stats.isDirectory() ? 'folder' : 'file';
    return { kind, identity: `${stats.dev}-${stats.ino}-0`, hardLinks: 1, executable: false };
  },
  links: () => Promise.resolve([]),
  read: () => Promise.resolve(undefined),
};

/** True uses skills, false doesn't, and undefined closes the dialog. */
type Answer = boolean | 'preview' | undefined;

interface SkillRigOptions {
  /** Workspace folder. */
  readonly folder: string;
  /** Home folder. Undefined without Node. */
  readonly home?: string | undefined;
  readonly isTrusted?: boolean;
  /** Answers to dialogs, in order. Later dialogs get no answer. */
  readonly answers?: Answer[];
  /** Which skills are selected in a list of them. */
  readonly select?: (name: string) => boolean;
  readonly stored?: Map<string, unknown>;
}

interface SkillRig {
  readonly skills: Skills;
  readonly consents: Consents;
  /** Messages and details of all dialogs. */
  readonly dialogs: readonly (readonly [message: string, detail: string])[];
  /** The files of each preview. */
  readonly previews: readonly (readonly PreviewedFile[])[];
  /** Labels and descriptions of lists. */
  readonly lists: readonly (readonly string[])[];
}

/** Creates skills from folders on the disk. */
export async function skillRig(options: SkillRigOptions): Promise<SkillRig> {
  const { folder, home, isTrusted = true, answers = [], select, stored } = options;
  const dialogs: [string, string][] = [];
  const previews: (readonly PreviewedFile[])[] = [];
  const lists: string[][] = [];
  const consents = consentsWith(
    {
      choose({ message, detail = '', buttons: [no, preview, yes] }) {
        dialogs.push([message, detail]);
        const answer = answers.shift();
        if (answer === 'preview') return Promise.resolve(preview);
        return Promise.resolve(answer === undefined ? undefined : answer ? yes : no);
      },
    },
    stored,
  );
  const loaded = await withFakeVsCode(
    vscodeOnDisk(folder, isTrusted),
    () => import('../../src/host/context/skills.ts'),
  );
  const at = (path: string): Location => ({ scheme: 'file', authority: '', path });
  const names = { host: 'devbox', user: 'me', platform: 'linux' } as const;
  const machine = home === undefined ? undefined : { homes: [at(home)], view, ...names };
  const redact = (text: string): string => text.replaceAll('key-1234', '***');
  const skills = new loaded.Skills(
    consents,
    {
      pickSeveral(items) {
        lists.push(items.map(({ label, description }) => `${label}: ${description}`));
        const selected = items.filter(({ label }) => select?.(label));
        return Promise.resolve(selected.map(({ value }) => value));
      },
    },
    {
      of: (_, files) => ({ button: 'Preview', show: () => Promise.resolve(previews.push(files)) }),
    },
    machine,
    redact,
  );
  return { skills, consents, dialogs, previews, lists };
}

/** A personal skill that was neither allowed nor turned off. */
export const anySkill: Skill = {
  uri: z.custom<Skill['uri']>().parse({ path: '/home/me/.claude/skills/notes' }),
  isOwn: true,
  key: 'own',
  name: 'notes',
  path: '/home/me/.claude/skills/notes/SKILL.md',
  description: 'Writes notes.',
  body: 'Do it well.',
  hint: '',
  isCommand: true,
  isListed: true,
  text: '',
  hash: '1',
  isAllowed: undefined,
  hasChanged: false,
  allowedText: undefined,
  line: { path: '', text: '- /home/me/.claude/skills/notes/SKILL.md: Writes notes.', isCut: false },
  root: undefined,
};

/** Writes `SKILL.md` into a folder of skills. */
export async function writeSkill(
  folder: string,
  name: string,
  text: string | Buffer,
): Promise<void> {
  const file = join(folder, name, 'SKILL.md');
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
}

/** Content of `SKILL.md`. */
export function skillText(description: string, name = '', body = 'Do it well.'): string {
  const named = name === '' ? '' : `name: ${name}\n`;
  return `---\n${named}description: ${description}\n---\n${body}\n`;
}
