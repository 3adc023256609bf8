import * as vscode from 'vscode';
import { isDenied } from '../../core/approval/deniedPlaces.ts';
import { findSecretToken, isSecret, mayBeKey } from '../../core/approval/protectedFiles.ts';
import type { FileSystemView } from '../../core/workspace/disk.ts';
import { relativeSegments, type Location } from '../../core/workspace/places.ts';
import { UserError } from '../errors.ts';
import { labelFor, toLocation } from '../workspace/location.ts';
import type { Dialogs } from '../dialogs.ts';

interface AttachmentApprovalOptions {
  readonly dialogs: Pick<Dialogs, 'confirm'>;
  /** Places of which nothing is attached, whatever anybody says. */
  readonly denied: () => Promise<readonly Location[]>;
  /** The disk; absent where nobody can tell links. */
  readonly view?: FileSystemView | undefined;
}

/** Bytes that tell a key from another file. */
const headLength = 512;

/**
 * Decides whether a file may be attached. Files that hold secrets, and texts that seem to, are asked
 * for in a dialog of VS Code: the view has no say in it.
 */
export class AttachmentApproval {
  readonly #options: AttachmentApprovalOptions;
  /** Files for whose secrets the person said yes: one question a file. */
  readonly #allowed = new Set<string>();

  constructor(options: AttachmentApprovalOptions) {
    this.#options = options;
  }

  /**
   * Whether a file may be attached, by its name and place. Comes before it is read.
   *
   * @param isNamed whether an address named it, and not the person's choice in a list of ours
   * @throws {UserError} for a place of which nothing is attached
   */
  async mayRead(uri: vscode.Uri, isNamed: boolean): Promise<boolean> {
    const { dialogs, denied } = this.#options;
    const label = labelFor(uri);
    const named = toLocation(uri);
    const location = await this.#real(named);
    if (isDenied({ named, location }, await denied())) {
      throw new UserError(
        vscode.l10n.t('{0} is never attached: it may contain keys or profiles.', label),
      );
    }
    if (this.#allowed.has(uri.toString())) return true;
    const attach = vscode.l10n.t('Attach');
    if (isSecret({ named, location, kind: 'file' }, await this.#head(location))) {
      const message = vscode.l10n.t('Attach {0}?', label);
      const detail = vscode.l10n.t(
        'It may contain secrets. Its text would be sent to the service.',
      );
      return this.#remember(uri, await dialogs.confirm(message, detail, attach));
    }
    if (await this.#isInside(location)) return true;
    if (!isNamed) return true;
    const message = vscode.l10n.t('Attach {0}?', location.path);
    const detail = vscode.l10n.t("It's outside the workspace.");
    return this.#remember(uri, await dialogs.confirm(message, detail, attach));
  }

  /** Whether a text may be attached: asks where it seems to hold a secret. */
  async maySend(uri: vscode.Uri, text: string): Promise<boolean> {
    const shape = findSecretToken(text);
    if (shape === undefined || this.#allowed.has(uri.toString())) return true;
    const message = vscode.l10n.t('Attach {0}?', labelFor(uri));
    const detail = vscode.l10n.t(
      'It appears to contain a secret ({0}). Its text would be sent to the service.',
      shape,
    );
    const attach = vscode.l10n.t('Attach');
    return this.#remember(uri, await this.#options.dialogs.confirm(message, detail, attach));
  }

  #remember(uri: vscode.Uri, isAllowed: boolean): boolean {
    if (isAllowed) this.#allowed.add(uri.toString());
    return isAllowed;
  }

  async #real(named: Location): Promise<Location> {
    const { view } = this.#options;
    if (named.scheme !== 'file' || view === undefined) return named;
    return (await view.realPath(named)) ?? named;
  }

  async #head(location: Location): Promise<Uint8Array | undefined> {
    const { view } = this.#options;
    if (location.scheme !== 'file' || !mayBeKey(location.path)) return undefined;
    return view?.head(location, headLength);
  }

  async #isInside(location: Location): Promise<boolean> {
    const folders = vscode.workspace.workspaceFolders ?? [];
    const places = await Promise.all(folders.map(({ uri }) => this.#real(toLocation(uri))));
    return places.some((place) => relativeSegments(place, location) !== undefined);
  }
}
