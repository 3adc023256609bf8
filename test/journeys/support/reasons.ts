/** Reasons why some hosts can't run a journey. */
import type { JourneyOptions } from './journey.ts';

type Not = NonNullable<JourneyOptions['not']>;

const noPrograms = 'a browser starts no programs';
const noGit = 'the Git of VS Code is in another extension host';
const noPreview = 'the preview of Markdown is in another extension host';
const noModels =
  'its own chat is in another extension host, and says that the model is unavailable';

export const withoutCommands: Not = {
  virtual: 'commands need a folder on a disk',
  web: noPrograms,
  served: noPrograms,
};

export const withoutGit: Not = {
  virtual: 'Git needs a folder on a disk',
  web: noGit,
  served: noGit,
};

/** VS Code's language server sees only single files there. */
export const withoutProject: Not = {
  virtual: 'TypeScript knows no project in a virtual folder',
  web: 'TypeScript knows no project in a virtual folder',
};

export const withoutDiskPaths: Not = {
  virtual: 'a virtual folder has no paths of a disk',
  web: 'a virtual folder has no paths of a disk',
};

const trusted = 'VS Code trusts each virtual folder';

/** For journeys in Restricted Mode. */
export const withoutRestrictedMode: Not = { virtual: trusted, web: trusted };

export const withoutPreview: Not = {
  oldest: 'its preview of Markdown draws no diagrams',
  web: noPreview,
  served: noPreview,
};

/** For journeys in VS Code's own chat. */
export const withoutBuiltInChat: Not = {
  oldest: 'it brings no built-in chat extension',
  virtual: 'tools of the built-in chat read files on a disk',
  web: noModels,
  served: noModels,
};

/** For journeys that kill or suspend the process of the extension host. */
export const withoutHostProcess: Not = {
  web: 'the extension host in a browser is no process',
  served: 'the extension host in a browser is no process',
};
