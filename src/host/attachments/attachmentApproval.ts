import * as vscode from 'vscode';
import { isDenied } from '../../core/approval/deniedPlaces.ts';
import { isSecret, mayBeKey } from '../../core/approval/secrets.ts';
import { findSecretToken } from '../../core/support/secretTokens.ts';
import type { FileSystemView } from '../../core/workspace/disk.ts';
import { relativeSegments, type Location } from '../../core/workspace/places.ts';
import { UserError } from '../errors.ts';
import { labelFor, toLocation } from '../workspace/location.ts';
import type { Dialogs } from '../dialogs.ts';

interface AttachmentApprovalOptions {
  readonly dialogs: Pick<Dialogs, 'confirm'>;
  /** Places whose files are never attached. */
  readonly denied: () => Promise<readonly Location[]>;
  /** The local disk; absent on the web, where links cannot be followed. */
  readonly view?: FileSystemView | undefined;
}

/** How many bytes at the beginning of a file show whether it is a key. */
const headLength = 512;

/**
 * Decides whether a file may be attached. Files and texts that may contain secrets need approval in a
 * dialog of VS Code, which the view cannot answer.
 */
export class AttachmentApproval {
  readonly #options: AttachmentApprovalOptions;
  /** Files that the person allowed: each needs only one approval. */
  readonly #allowed = new Set<string>();

  constructor(options: AttachmentApprovalOptions) {
    this.#options = options;
  }

  /**
   * Whether a file may be read to attach it, by its name and place.
   * @param isNamed whether its address was dropped or pasted, not chosen in a list
   * @throws {UserError} for a place whose files are never attached
   */
  async mayRead(uri: vscode.Uri, isNamed: boolean): Promise<boolean> {
    const { dialogs, denied } = this.#options;
    const label = labelFor(uri);
    const named = toLocation(uri);
    const location = await this.#real(named);
    if (isDenied({ named, location }, await denied())) {
      throw new UserError(
        vscode.l10n.t('{0} is never attached: it may contain keys or personal data.', label),
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

  /** Whether a text may be attached: asks where it seems to contain a secret. */
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
