import { nextFrame } from './frame.ts';
import type { CreateSubject } from './subject.ts';

/**
 * 437 characters with every syntax that may flash. When rendered, none of its syntax characters
 * remains: no asterisk, hyphen, digit, slash or colon.
 */
const sample = `# A reply with **everything**

Some **bold words**, some *slanted ones*, \`inline code\` and ~~a slip~~, all in [the one place](https://example.com/place) of many.

- A first item with **bold text**
- A second one, with [a link](https://example.com/two) and \`code\`
  - Deeper, *quite* deep

| Name | Meaning |
|---|---|
| \`left\` | **one** |
| right | [two](https://example.com) |

\`\`\`js
function add(a, b) {
}
\`\`\`

> Quoted, **done** now.
`;
const syntax = /[*_~\`[\]|#>/:\d-]/;

interface Typed {
  /** Frames in which syntax characters were visible. */
  readonly raw: number;
  /** The first text with visible syntax. */
  readonly firstRaw: string;
  /** Nodes that were removed from the page. */
  readonly thrownAway: number;
  /** How often the visible text got shorter. */
  readonly shrinks: number;
}

/** Types the sample, one character every second frame, and checks every frame. */
export async function typeSample(create: CreateSubject): Promise<Typed> {
  const scroller = document.createElement('div');
  scroller.className = 'bench-scroller';
  document.body.replaceChildren(scroller);
  const subject = create(scroller);
  const seen = { raw: 0, firstRaw: '', thrownAway: 0, shrinks: 0 };
  const observer = new MutationObserver((records) => (seen.thrownAway += countGone(records)));
  observer.observe(scroller, { childList: true, subtree: true });
  let before = '';
  const look = (): void => {
    const text = scroller.textContent.replaceAll(/\s+/g, ' ').trim();
    const isRaw = syntax.test(text);
    if (isRaw) seen.firstRaw ||= text.slice(-40);
    seen.raw += isRaw ? 1 : 0;
    seen.shrinks += text.length < before.length ? 1 : 0;
    before = text;
  };
  for (let end = 1; end <= sample.length + 1; end++) {
    if (end > sample.length) subject.end();
    else subject.push(sample.slice(end - 1, end));
    for (let frame = 0; frame < 2; frame++) {
      await nextFrame();
      look();
    }
  }
  observer.disconnect();
  return seen;
}

/** Includes descendants, but not nodes that were only moved. */
function countGone(records: readonly MutationRecord[]): number {
  const removed = new Set(records.flatMap((record) => [...record.removedNodes]));
  return [...removed]
    .filter((node) => !node.isConnected)
    .reduce((sum, node) => sum + size(node), 0);
}

function size(node: Node): number {
  return [...node.childNodes].reduce((sum, child) => sum + size(child), 1);
}
