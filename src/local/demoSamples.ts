/** A reply with a code block. */
export const codeSample = `Here is a small function that groups items by a key:

\`\`\`ts
export function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item)) ?? [];
    group.push(item);
    groups.set(keyOf(item), group);
  }
  return groups;
}
\`\`\`

Use it like this: \`groupBy(words, (word) => word.slice(0, 1))\`.`;

/** A reply with a table. */
export const tableSample = `| Range | Behavior | Good for |
|:--|:--|:--|
| 0 to 0.3 | precise, reproducible | extraction, facts |
| 0.7 to 1.0 | balanced | conversation |
| 1.2 to 2.0 | creative, varied | brainstorming, stories |

The default temperature is **1**.`;

/** A reply with lists. */
export const listSample = `To find out why a test fails:

1. Run that test alone.
2. Read the whole message:
   - what was expected,
   - what happened instead,
   - and on which line.
3. Change one thing, and run it again.

- [x] the test fails every time
- [ ] the cause is known`;

/** A reply with all kinds of Markdown blocks. */
export const markdownSample = `# Markdown in a reply

A paragraph with **bold**, *italic*, ~~struck~~ and \`inline code\`, and a [link](https://example.com/).

## Code

${codeSample}

\`\`\`python
def greet(name: str) -> str:
    return f"Hello, {name}!"
\`\`\`

\`\`\`diff
- const answer = 41;
+ const answer = 42;
\`\`\`

## Lists

${listSample}

## A table

${tableSample}

> A quotation, which can
> span several lines.

---

And a final line.`;

const sentences = [
  'A long reply is a good way to see whether a panel keeps up.',
  'The text arrives in small pieces, and each piece is added at the end.',
  'You can scroll up while it grows, and the text stays where you are reading.',
  'When you scroll back to the bottom, the panel follows the reply again.',
  'Good code reads like a letter to the person who changes it next.',
  'Names say what a thing is, and short functions say what happens to it.',
  'A test that can fail for only one reason saves an afternoon.',
  'If you measure first, you seldom have to guess twice.',
  'A good reply is worth waiting for, but a frozen window is not.',
  'If you have seen enough, press Stop, and the text so far is kept.',
  'A reply that ends early can be continued right where it stopped.',
];

const wordsPerSection = 120;

/** Generates sections of plain text with `words` words in total; a heading counts as two. */
export function longText(words: number): string {
  const sections: string[] = [];
  let start = 0;
  for (let remaining = words; remaining > 0; remaining -= wordsPerSection) {
    const text = takeWords(Math.max(1, Math.min(remaining, wordsPerSection) - 2), start);
    start += wordsPerSection;
    sections.push(`## Part ${sections.length + 1}\n\n${text}`);
  }
  return sections.join('\n\n');
}

const allWords = sentences.join(' ').split(' ');

function takeWords(count: number, from: number): string {
  const words = Array.from({ length: count }, (_, at) => allWords[(from + at) % allWords.length]);
  return words.join(' ');
}
