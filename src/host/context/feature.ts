import * as vscode from 'vscode';
import { unlistedBelow } from '../../core/approval/secrets.ts';
import { RealPlaces } from '../../core/approval/deniedPlaces.ts';
import { systemClock } from '../../core/support/clock.ts';
import { disposeAll, type Disposable } from '../../core/support/event.ts';
import { maskSecrets } from '../../core/support/secretTokens.ts';
import type { InstructionFile } from '../../core/turn/messagePieces.ts';
import { workspaceIdentity } from '../../core/workspace/disk.ts';
import type { Location } from '../../core/workspace/places.ts';
import type { ReferencePlace, ReferenceWord } from '../../protocol/rpc.ts';
import type { Consents } from '../approval/consents.ts';
import { situationOf } from '../approval/windowGate.ts';
import { windowDialogs } from '../dialogs.ts';
import { settingsOfModel } from '../modelSettings.ts';
import { fileSearches } from '../workspace/workspacePlaces.ts';
import { workspaceFolders, type Machine } from '../workspace/location.ts';
import { ReadOnlyDocuments } from '../workspace/readOnlyDocuments.ts';
import { findReferences, workspaceSymbolsNamed } from '../workspace/references.ts';
import type { HostWindow } from '../workspace/window.ts';
import { findWorkspaceFile } from '../workspace/files.ts';
import { filesBelow, WorkspaceIndex, type FileListing } from '../workspace/workspaceIndex.ts';
import { ConsentPreviews } from './consentPreviews.ts';
import { AttachmentApproval } from './attachmentApproval.ts';
import { FileOffers } from './fileOffers.ts';
import { Instructions } from './instructions.ts';
import { Skills } from './skills.ts';

export interface ContextNeeds {
  readonly consents: Consents;
  /** True if the service is known not to have a model. */
  readonly lacks: (model: string) => boolean;
}

/** Which files may be sent, which ones instruct the model, and the person's choices about both. */
export interface ContextFeature extends Disposable {
  readonly approval: AttachmentApproval;
  readonly instructions: Instructions;
  readonly skills: Skills;
  readonly offers: FileOffers;
  readonly index: WorkspaceIndex;
  /** Identity of this workspace; empty if it has none. */
  readonly identity: () => Promise<string>;
  /** Removes the person's keys from a text, and masks other secrets. */
  readonly redact: (text: string) => string;
  /** Paths of the files in a folder, relative to it. */
  readonly filesIn: (folder: vscode.Uri) => Promise<readonly string[]>;
  /** The places named by words of a reply; null for words that name nothing in the workspace. */
  readonly references: (
    words: readonly ReferenceWord[],
  ) => Promise<readonly (ReferencePlace | null)[]>;
  /** True if a command may send the text of a file. Asks the person if it may hold secrets. */
  readonly maySend: (uri: vscode.Uri, text: string) => Promise<boolean>;
  /**
   * Resolves when the instruction files are known and, if `mayAsk`, the person has decided about
   * each one, once.
   *
   * @param about for each message of the chat, the paths of its attachments
   */
  readonly prepare: (about: readonly (readonly string[])[], mayAsk: boolean) => Promise<void>;
  /** Instruction files that were allowed before, for a request about these files. Asks nothing. */
  readonly instructionsFor: (about: readonly vscode.Uri[]) => Promise<readonly InstructionFile[]>;
}

export function createContext(window: HostWindow, needs: ContextNeeds): ContextFeature {
  const { redactor, node, log, settings } = window;
  const { consents, lacks } = needs;
  const machine = node?.machine();
  const identity = (): Promise<string> => workspaceIdentity(workspaceFolders(), machine?.view);
  const redact = (text: string): string => maskSecrets(redactor.redact(text)).text;
  const denied = deniedPlaces(window, machine);
  const approval = new AttachmentApproval({ consents, denied, view: machine?.view });
  const documents = new ReadOnlyDocuments('aside-consent');
  const previews = new ConsentPreviews(documents);
  const instructions = new Instructions({
    consents,
    previews,
    redact,
    onError: (error) => log.error('Reading the instructions of the workspace', error),
  });
  const skills = new Skills({ consents, dialogs: windowDialogs, previews, machine, redact });
  const searchAt = Promise.resolve(node?.ripgrep()).then(fileSearches);
  const listing = async (): Promise<FileListing> => {
    const [search, hidden] = await Promise.all([searchAt, denied()]);
    return { searchAt: search, unlisted: (root) => unlistedBelow(root, hidden) };
  };
  const index = new WorkspaceIndex(listing);
  return {
    approval,
    instructions,
    skills,
    offers: new FileOffers({
      consents,
      dialogs: windowDialogs,
      priceOf: (model) => settingsOfModel(settings.current(), model).price,
      currency: () => settings.current().currency,
      lacks,
    }),
    index,
    identity,
    redact,
    filesIn: async (folder) => filesBelow(folder, await listing()),
    references: (words) =>
      findReferences(words, {
        index,
        denied,
        clock: systemClock,
        isTrusted: () => vscode.workspace.isTrusted,
        symbolsNamed: workspaceSymbolsNamed,
        find: (path) => findWorkspaceFile(path, machine),
      }),
    maySend: async (uri, text) =>
      (await approval.mayRead(uri, false)) && (await approval.maySend(uri, text)),
    prepare: (about, mayAsk) =>
      mayAsk ? instructions.prepare(about) : instructions.readAgain(about),
    instructionsFor: (about) => instructions.usedFor(about),
    dispose: () => disposeAll([index, instructions, documents]),
  };
}

/** The places that nothing is read from without asking. */
function deniedPlaces(
  { context }: HostWindow,
  machine: Machine | undefined,
): () => Promise<readonly Location[]> {
  const situation = situationOf(context, machine);
  const places = new RealPlaces(machine?.view);
  return async () => (await places.find(situation())).denied;
}
