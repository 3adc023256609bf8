import assert from 'node:assert/strict';
import fc from 'fast-check';
import MarkdownIt from 'markdown-it';
import { withoutVsCode } from '../../../support/withoutVsCode.ts';

const { diagramDocument, mayLoadAddress } = await withoutVsCode(
  () => import('../../../../src/host/editor/replyActions.ts'),
);

describe('the document for a diagram', () => {
  it('is created, and searched for addresses, in linear time', () => {
    const start = performance.now();
    for (const part of ['a-', 'a.', 'url ', '< ', 'img ', '`a']) {
      mayLoadAddress(part.repeat(200_000));
      diagramDocument(part.repeat(200_000));
    }
    assert.ok(performance.now() - start < 15_000, `${performance.now() - start} ms`);
  });

  it('is one code block, whatever is in the diagram', () => {
    const parts = fc.constantFrom(
      'graph TD',
      '`',
      '```',
      '````',
      '\n',
      '~~~',
      '![a](b)',
      '<b>',
      ' ',
    );
    fc.assert(
      fc.property(fc.array(parts), (all) => {
        const diagram = all.join('');
        const tokens = new MarkdownIt({ html: true }).parse(diagramDocument(diagram), {});
        assert.deepEqual(
          tokens.map(({ type, info }) => [type, info]),
          [['fence', 'mermaid']],
        );
        assert.equal(tokens[0]?.content, `${diagram.replace(/\n$/, '')}\n`);
      }),
    );
  });
});

describe('mayLoadAddress', () => {
  it('finds addresses and images in a diagram', () => {
    for (const text of [
      'graph TD\n A@{ img: "https://evil.example/?d=1", label: "x" }',
      'graph TD\n A["<img src=x>"]',
      'click A href "https://evil.example"',
      'classDef x fill:url(a)',
      '%%{init: {"themeCSS": "@import \'x\'"}}%%',
      'graph TD\n A["//evil.example/a"]',
      'graph TD\n A["data:image/png;base64,AA"]',
    ])
      assert.ok(mayLoadAddress(text), text);
  });

  it('finds none in ordinary diagrams', () => {
    for (const text of [
      'graph TD\n A[Start] --> B{Is it?}\n B -->|Yes| C[OK]',
      'sequenceDiagram\n Alice->>Bob: Hello\n Note right of Bob: thinks // twice',
      'classDiagram\n class A { +String name }',
      'gantt\n title Plan\n section One\n Task :a1, 2024-01-01, 30d',
    ])
      assert.ok(!mayLoadAddress(text), text);
  });
});
