import assert from 'node:assert/strict';
import { withFakeVsCode } from '../../../support/withFakeVsCode.ts';

/** Fake of VS Code; `known` lists its commands. */
const vscode = `
  const none = () => ({ dispose: () => undefined });
  export const known = [];
  export const seen = [];
  export const Uri = {
    from: ({ scheme, path, query }) => {
      const text = scheme + ':' + path + '?' + query;
      return { path, toString: () => text };
    },
  };
  export const commands = {
    executeCommand: async (id, uri) => {
      if (!known.includes(id)) throw new Error('command not found');
      seen.push(id + ' ' + uri.path);
    },
  };
  export const workspace = {
    registerTextDocumentContentProvider: none,
    onDidCloseTextDocument: none,
    openTextDocument: async (uri) => ({ uri, languageId: 'plaintext' }),
  };
  export const languages = {
    setTextDocumentLanguage: async (document, languageId) => ({ ...document, languageId }),
  };
  export const window = {
    showTextDocument: async ({ uri, languageId }) => { seen.push(languageId + ' ' + uri.path); },
  };
`;

const { ReadOnlyDocuments, known, seen } = await withFakeVsCode(vscode, async () => {
  const loaded = await import('../../../../src/host/workspace/readOnlyDocuments.ts');
  const fake: object = await import('vscode');
  return { ...loaded, known: listOf(fake, 'known'), seen: listOf(fake, 'seen') };
});

function listOf(fake: object, name: string): string[] {
  const list: unknown = Reflect.get(fake, name);
  assert.ok(isListOfTexts(list));
  return list;
}

function isListOfTexts(value: unknown): value is string[] {
  return Array.isArray(value);
}

describe('read-only Markdown', () => {
  it("is rendered, or shown as text if VS Code can't render it", async () => {
    const documents = new ReadOnlyDocuments('aside-test');
    await documents.showMarkdown('Help', '# Start');
    assert.deepEqual(seen, ['markdown /Help']);
    known.push('markdown.showPreview');
    await documents.showMarkdown('Help', '# Start');
    assert.deepEqual(seen.slice(1), ['markdown.showPreview /Help.md']);
  });

  it('has its own scheme, with the given path', () => {
    const documents = new ReadOnlyDocuments('aside-test');
    const [first, second] = [
      documents.add('src/a.ts/text.ts', ''),
      documents.add('src/a.ts/text.ts', ''),
    ];
    assert.equal(first.path, '/src/a.ts/text.ts');
    assert.notEqual(first.toString(), second.toString());
  });
});
