/**
 * For tests: `aside-files://127.0.0.1:PORT/folder`, the files of `servedFiles.ts` at that port. One
 * script for the extension host with Node and for the one in a browser.
 */
const vscode = require('vscode');

const { FileChangeType, FileSystemError } = vscode;
const errors = {
  FileNotFound: FileSystemError.FileNotFound,
  FileExists: FileSystemError.FileExists,
  FileNotADirectory: FileSystemError.FileNotADirectory,
  FileIsADirectory: FileSystemError.FileIsADirectory,
};

class ServedFiles {
  #changes = new vscode.EventEmitter();
  onDidChangeFile = this.#changes.event;
  #watched = new Set();

  /** All changes below an authority are told, whatever is watched. */
  watch({ authority }) {
    if (!this.#watched.has(authority)) {
      this.#watched.add(authority);
      void this.#follow(authority);
    }
    return new vscode.Disposable(() => undefined);
  }

  async stat(uri) {
    return (await ask(uri, 'stat')).json();
  }

  async readDirectory(uri) {
    return (await ask(uri, 'readDirectory')).json();
  }

  async readFile(uri) {
    return new Uint8Array(await (await ask(uri, 'readFile')).arrayBuffer());
  }

  async createDirectory(uri) {
    await ask(uri, 'createDirectory');
  }

  async writeFile(uri, content, options) {
    await ask(uri, 'writeFile', options, content);
  }

  async delete(uri, options) {
    await ask(uri, 'delete', options);
  }

  async rename(from, to, options) {
    await ask(from, 'rename', { to: to.path, ...options });
  }

  /** VS Code's own list of files: it has none for a file system that does not offer one. */
  async provideFileSearchResults({ pattern }, { folder }) {
    const found = [];
    const look = async (uri) => {
      for (const [name, type] of await this.readDirectory(uri)) {
        const inner = vscode.Uri.joinPath(uri, name);
        if (type === vscode.FileType.Directory) await look(inner);
        else if (name.toLowerCase().includes(pattern.toLowerCase())) found.push(inner);
      }
    };
    await look(folder);
    return found;
  }

  /** Each answer has what changed since the one before; the server ends the last when it stops. */
  async #follow(authority) {
    for (let from = 0; ;) {
      let answer;
      try {
        answer = await (await fetch(`http://${authority}/?call=changes&from=${from}`)).json();
      } catch {
        return;
      }
      from = answer.end;
      this.#changes.fire(
        answer.changes.map(({ path, isThere }) => ({
          uri: vscode.Uri.from({ scheme: 'aside-files', authority, path }),
          type: isThere ? FileChangeType.Changed : FileChangeType.Deleted,
        })),
      );
    }
  }
}

async function ask(uri, call, options = {}, body = undefined) {
  const words = new URLSearchParams({ call, path: uri.path });
  for (const [name, value] of Object.entries(options)) words.set(name, String(value));
  const method = body === undefined ? 'GET' : 'POST';
  const answer = await fetch(`http://${uri.authority}/?${words}`, { method, body });
  if (answer.ok) return answer;
  throw errors[await answer.text()]?.(uri) ?? FileSystemError.Unavailable(uri);
}

exports.activate = ({ subscriptions }) => {
  const files = new ServedFiles();
  subscriptions.push(
    vscode.workspace.registerFileSystemProvider('aside-files', files, { isCaseSensitive: true }),
    // Proposed API, which a served VS Code grants to all.
    vscode.workspace.registerFileSearchProvider('aside-files', files),
  );
};
