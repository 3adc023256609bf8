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

export const tableSample = `| Range | Behaviour | Suited to |
|:--|:--|:--|
| 0 to 0.3 | precise, reproducible | extraction, facts |
| 0.7 to 1.0 | balanced | conversation |
| 1.2 to 2.0 | creative, varied | brainstorming, stories |

The default temperature is **1**.`;

export const listSample = `To find out why a test fails:

1. Run that test alone.
2. Read the message to its end:
   - what was expected,
   - what came instead,
   - and in which line.
3. Change one thing, and run it again.

- [x] the test fails every time
- [ ] the reason is known`;

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

> A quotation, which may
> span several lines.

---

And a last line.`;
