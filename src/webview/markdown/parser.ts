import MarkdownIt, { type Env, type Token } from 'markdown-it';

/** Link reference definitions (`[label]: address`) that were seen so far. */
export type References = NonNullable<Env['references']>;

const parser = new MarkdownIt({ html: false, linkify: true });
// Every link is parsed as one, and `renderInline` decides what may be opened: a refused address is
// then shown as plain text instead of raw syntax.
parser.validateLink = () => true;
// `main.py` and `README.md` are file names, although both end in top-level domains.
parser.linkify.set({ fuzzyLink: false, fuzzyEmail: false });

/** The tokens of a text, and the references that it may use and those that it adds. */
export function parseMarkdown(text: string, known: References): [readonly Token[], References] {
  const references = { ...known };
  const tokens = parser.parse(text, { references });
  return [tokens, references];
}

/** Only the structure of blocks, which costs a fraction of the whole. */
export function parseBlocks(text: string): readonly Token[] {
  const tokens: Token[] = [];
  parser.block.parse(text, parser, {}, tokens);
  return tokens;
}
