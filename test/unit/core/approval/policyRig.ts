import type { Action, EditSubject, Situation } from '../../../../src/core/approval/policy.ts';
import { deniedPlaces } from '../../../../src/core/approval/deniedPlaces.ts';
import {
  foldersAround,
  keyOfScope,
  type Grant,
  type GrantOffer,
} from '../../../../src/core/approval/grants.ts';
import type { Location, Target } from '../../../../src/core/files/places.ts';

export function fileAt(path: string): Location {
  return { scheme: 'file', authority: '', path };
}

const home = fileAt('/home/me');
const workspace = '/home/me/work/app';

export const usualSituation: Situation = {
  trusted: true,
  askAll: false,
  tainted: false,
  folders: [{ name: 'app', location: fileAt(workspace) }],
  home,
  linkedFromHome: [],
  denied: deniedPlaces([home], [fileAt('/home/me/.config/Code')]),
  storesGrants: true,
  takesGrants: true,
};

/** A target in the workspace if the path is relative, otherwise outside. */
export function target(path: string, more: Partial<Target> = {}): Target {
  const inside = !path.startsWith('/');
  const location = fileAt(inside ? `${workspace}/${path}` : path);
  return {
    requested: path,
    named: location,
    location,
    label: path,
    inside,
    kind: 'file',
    identity: '1-2-3',
    hardLinks: 1,
    executable: false,
    ...more,
  };
}

export function head(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

export function editOf(
  path: string,
  more: Partial<Target> = {},
  facts: Partial<EditSubject> = {},
): EditSubject {
  return {
    target: target(path, more),
    head: undefined,
    addsAddress: false,
    becomesScript: false,
    ofGit: false,
    tracked: true,
    ...facts,
  };
}

export function read(path: string, more: Partial<Target> = {}, bytes?: Uint8Array): Action {
  const subject = target(path, more);
  const { inside, kind, location } = subject;
  const folders = [...(kind === 'folder' ? [location] : []), ...foldersAround(location)];
  const around = inside ? [] : folders.map((folder) => ({ folder, identity: '1-2' }));
  return { type: 'read', subject: { target: subject, head: bytes }, around };
}

export function edit(...subjects: readonly EditSubject[]): Action {
  return { type: 'edit', subjects, of: subjects.length };
}

export function run(command: string, cwd: Target = target('.', { kind: 'folder' })): Action {
  return { type: 'run', command, shell: 'bash', cwd };
}

export const external: Action = { type: 'external', tool: 'sample', identity: 'sample-1' };

/** Lookup of grants in which each of the offers was granted. */
export function grantsFor(offers: readonly GrantOffer[]): (offer: GrantOffer) => Grant | undefined {
  const keyOf = ({ lifetime, scope }: GrantOffer): string => lifetime + keyOfScope(scope);
  const grants = new Map(
    offers.map((offer): [string, Grant] => [
      keyOf(offer),
      { id: keyOf(offer), lifetime: offer.lifetime, scope: offer.scope, since: 0, uses: 0 },
    ]),
  );
  return (offer) => grants.get(keyOf(offer));
}
