import * as vscode from 'vscode';
import { ifThere, isThere, namesIn } from '../missingFile.ts';
import { deletedChatsIn, trashNameOf, type ChatTrash, type DeletedChat } from './trash.ts';

/** Deleted chats where there is no disk: a chat is a folder of segments, which is moved. */
export class VirtualTrash implements ChatTrash {
  readonly #chats: vscode.Uri;
  readonly #deleted: vscode.Uri;

  /** @param chats the folder of the chats */
  constructor(chats: vscode.Uri) {
    this.#chats = chats;
    this.#deleted = vscode.Uri.joinPath(chats, '../deleted');
  }

  async remove(id: string, at: number): Promise<DeletedChat | undefined> {
    const chat = { id, at };
    if (!(await isThere(this.#chat(id)))) return undefined;
    await vscode.workspace.fs.createDirectory(this.#deleted);
    await vscode.workspace.fs.rename(this.#chat(id), this.#folder(chat));
    return chat;
  }

  async restore(chat: DeletedChat): Promise<void> {
    // Renaming to a folder that is there rejects.
    await vscode.workspace.fs.rename(this.#folder(chat), this.#chat(chat.id), { overwrite: false });
  }

  async read(chat: DeletedChat): Promise<string | undefined> {
    const folder = this.#folder(chat);
    const names = await namesIn(folder);
    const texts = names.map(async (name) =>
      new TextDecoder().decode(
        await vscode.workspace.fs.readFile(vscode.Uri.joinPath(folder, name)),
      ),
    );
    return names.length === 0 ? undefined : (await Promise.all(texts)).join('\n');
  }

  async deleted(): Promise<readonly DeletedChat[]> {
    return deletedChatsIn(await namesIn(this.#deleted));
  }

  async erase(chat: DeletedChat): Promise<void> {
    await ifThere(vscode.workspace.fs.delete(this.#folder(chat), { recursive: true }));
  }

  async size(id: string): Promise<number> {
    const folder = this.#chat(id);
    const names = await namesIn(folder);
    const found = await Promise.all(
      names.map((name) => vscode.workspace.fs.stat(vscode.Uri.joinPath(folder, name))),
    );
    return found.reduce((sum, { size }) => sum + size, 0);
  }

  #chat(id: string): vscode.Uri {
    return vscode.Uri.joinPath(this.#chats, id);
  }

  #folder(chat: DeletedChat): vscode.Uri {
    return vscode.Uri.joinPath(this.#deleted, trashNameOf(chat));
  }
}
