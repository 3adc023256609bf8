import * as vscode from 'vscode';
import { isDenied } from '../../core/approval/deniedPlaces.ts';
import { outgoingDoubt, isSecret, mayBeKey } from '../../core/approval/secrets.ts';
import { visibleName } from '../../core/support/text.ts';
import type { FileStatus, FileSystemView } from '../../core/files/disk.ts';
import { relativeSegments, type Location } from '../../core/files/places.ts';
import { hashOf } from '../../core/support/id.ts';
import type { Consents, ConsentQuestion, ConsentSubject } from '../approval/consents.ts';
import { UserError } from '../platform/errors.ts';
import { labelFor, toLocation, fileOf } from '../platform/location.ts';

/** Number of bytes at the beginning of a file that show whether it is a key. */
const headLength = 512;

interface FoundFile {
  readonly location: Location;
  /** Undefined if the file isn't on a local disk, or doesn't exist. */
  readonly status: FileStatus | undefined;
}

/**
 * Decides whether a file may be attached. Files and texts that may contain secrets need approval in
 * a VS Code dialog, which the view can't respond to.
 */
export class AttachmentApproval {
  readonly #consents: Consents;
  readonly #denied: () => Promise<readonly Location[]>;
  readonly #view: FileSystemView | undefined;
  /** The file that each path resolved to when it was checked. */
  readonly #checked = new Map<string, string>();

  /**
   * @param denied places whose files are never attached
   * @param view the local disk; absent on the web, where links cannot be followed
   */
  constructor(
    consents: Consents,
    denied: () => Promise<readonly Location[]>,
    view?: FileSystemView,
  ) {
    this.#consents = consents;
    this.#denied = denied;
    this.#view = view;
  }

  /** Places whose files are never attached, and not named either. */
  denied(): Promise<readonly Location[]> {
    return this.#denied();
  }

  /**
   * True if a file may be read to attach it, by its name and location; for a cell, its notebook.
   * @param address the file, or a cell in it
   * @param isNamed true if the address was dropped or pasted, not chosen in a list
   * @throws {UserError} for locations whose files are never attached, and if it isn't a regular file
   */
  async mayRead(address: vscode.Uri, isNamed: boolean): Promise<boolean> {
    const uri = fileOf(address);
    const named = toLocation(uri);
    const file = await this.#find(named);
    const { location } = file;
    if (isDenied({ named, location }, await this.#denied())) {
      throw new UserError(
        vscode.l10n.t(
          '{0} is never attached: it may contain keys or personal data.',
          shownName(uri),
        ),
      );
    }
    // Opening a pipe or a device could take forever.
    if (file.status?.kind === 'special') {
      throw new UserError(vscode.l10n.t("{0} isn't a regular file.", shownName(uri)));
    }
    this.#checked.set(uri.toString(), identityOf(file));
    const subject = subjectOf(uri, location);
    if ((await this.#consents.known(subject)) === true) return true;
    const yes = vscode.l10n.t('Attach');
    if (isSecret({ named, location, kind: 'file' }, await this.#head(named, file))) {
      const message = vscode.l10n.t('Attach {0}?', shownName(uri));
      const detail = vscode.l10n.t(
        'It may contain secrets. Its text would be sent to the service.',
      );
      return (await this.#consents.allows(subject, { message, detail, yes })) === true;
    }
    if (!isNamed || (await this.#isInside(location))) return true;
    const message = vscode.l10n.t('Attach {0}?', visibleName(location.path));
    const detail = vscode.l10n.t("It's outside the workspace.");
    return (await this.#consents.allows(subject, { message, detail, yes })) === true;
  }

  /**
   * True if text of a file may be sent. Asks the person if it seems to contain a secret.
   * @param text all of the file, a part, or a diff
   */
  async maySend(address: vscode.Uri, text: string): Promise<boolean> {
    const uri = fileOf(address);
    const { location } = await this.#find(toLocation(uri));
    // The file's name was approved when it was read.
    const doubt = outgoingDoubt(text, []);
    if (doubt?.by !== 'token') return true;
    const question = questionAboutToken(shownName(uri), doubt.kind);
    return (await this.#consents.allows(subjectOf(uri, location), question)) === true;
  }

  /** True if a command may read and send a file. Asks the person if it may hold secrets. */
  readonly mayReadAndSend = async (uri: vscode.Uri, text: string): Promise<boolean> =>
    (await this.mayRead(uri, false)) && (await this.maySend(uri, text));

  /** True if pasted text may be sent. Asks the person if it seems to contain a secret. */
  async maySendPasted(name: string, text: string): Promise<boolean> {
    const doubt = outgoingDoubt(text, []);
    if (doubt?.by !== 'token') return true;
    const hash = await hashOf(new TextEncoder().encode(text));
    const question = questionAboutToken(name, doubt.kind);
    const subject = { kind: 'attachment', path: '', hash } as const;
    return (await this.#consents.allows(subject, question)) === true;
  }

  /**
   * Checks that a path still leads to the file that {@link mayRead} saw (threats: T22).
   * @throws {UserError} if it leads to another one
   */
  async requireSame(address: vscode.Uri): Promise<void> {
    const uri = fileOf(address);
    const checked = this.#checked.get(uri.toString());
    if (checked === identityOf(await this.#find(toLocation(uri)))) return;
    throw new UserError(
      vscode.l10n.t('{0} changed while it was being read. Try again.', shownName(uri)),
    );
  }

  async #find(named: Location): Promise<FoundFile> {
    const view = this.#view;
    if (named.scheme !== 'file' || view === undefined)
      return { location: named, status: undefined };
    const location = (await view.realPath(named)) ?? named;
    return { location, status: await view.status(location) };
  }

  async #head(named: Location, { location, status }: FoundFile): Promise<Uint8Array | undefined> {
    if (status?.kind !== 'file' || ![named, location].some(({ path }) => mayBeKey(path))) {
      return undefined;
    }
    return this.#view?.read(location, status.identity, headLength);
  }

  async #isInside(location: Location): Promise<boolean> {
    const folders = vscode.workspace.workspaceFolders ?? [];
    const resolved = await Promise.all(folders.map(({ uri }) => this.#find(toLocation(uri))));
    return resolved.some((folder) => relativeSegments(folder.location, location) !== undefined);
  }
}

/** Address and resolved path, since a link may lead elsewhere later; whatever the file contains. */
function subjectOf(uri: vscode.Uri, { path }: Location): ConsentSubject {
  return { kind: 'attachment', path: JSON.stringify([uri.toString(), path]), hash: '' };
}

function questionAboutToken(name: string, kind: string): ConsentQuestion {
  return {
    message: vscode.l10n.t('Attach {0}?', name),
    detail: vscode.l10n.t(
      'It appears to contain a secret ({0}). Its text would be sent to the service.',
      kind,
    ),
    yes: vscode.l10n.t('Attach'),
  };
}

function identityOf({ location, status }: FoundFile): string {
  return JSON.stringify([location, status?.identity ?? '']);
}

/** A name in a dialog, which must not hide or fake other parts of it. */
function shownName(uri: vscode.Uri): string {
  return visibleName(labelFor(uri));
}
