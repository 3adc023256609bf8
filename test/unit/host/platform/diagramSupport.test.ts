import assert from 'node:assert/strict';
import { findDiagramSupport } from '../../../../src/host/platform/diagramSupport.ts';

const onDidChange = (): { dispose(): void } => ({ dispose: () => undefined });

function supports(...manifests: readonly unknown[]): boolean {
  const all = manifests.map((packageJSON) => ({ packageJSON }));
  return findDiagramSupport({ all, onDidChange }).current();
}

describe('Diagrams in the preview of Markdown', () => {
  it('need an extension that contributes to it and mentions Mermaid', () => {
    const scripts = { 'markdown.previewScripts': [{ path: './a.js' }] };
    assert.ok(
      supports({ name: 'a', contributes: {} }, { name: 'mermaid-markdown', contributes: scripts }),
    );
    assert.ok(supports({ name: 'a', description: 'Adds Mermaid', contributes: scripts }));
    assert.ok(
      supports({
        name: 'a',
        keywords: ['mermaid'],
        contributes: { 'markdown.markdownItPlugins': true },
      }),
    );
    assert.ok(!supports({ name: 'math', contributes: scripts }));
    assert.ok(!supports({ name: 'mermaid-grammar', contributes: { grammars: [] } }));
    assert.ok(!supports({ name: 'mermaid', contributes: { 'markdown.previewScripts': [] } }));
    assert.ok(!supports({}, undefined, 'mermaid', { name: 1, contributes: scripts }));
  });
});
