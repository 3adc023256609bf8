const sentences = [
  'A long reply is a good way to see whether a panel keeps up.',
  'Every word of it arrives as a piece of its own, and each piece finds its place at the end.',
  'You can scroll up while it grows, and the text stays where you read.',
  'When you scroll back to the bottom, the panel follows the reply again.',
  'Good code reads like a letter to the person who changes it next.',
  'Names say what a thing is, and short functions say what happens to it.',
  'A test that fails for one reason only saves an afternoon.',
  'Whoever measures first seldom has to guess twice.',
  'It is worth waiting for an answer, but never for a window that does not react.',
  'If you have seen enough, press Stop: what is here stays here.',
  'A reply that ends early can be continued from the very place where it stopped.',
];

const perSection = 120;

/** Sections of plain text, `words` words in all: a heading counts as two, as it has two. */
export function longText(words: number): string {
  const sections: string[] = [];
  let place = 0;
  for (let left = words; left > 0; left -= perSection) {
    const text = takeWords(Math.max(1, Math.min(left, perSection) - 2), place);
    place += perSection;
    sections.push(`## Part ${sections.length + 1}\n\n${text}`);
  }
  return sections.join('\n\n');
}

const allWords = sentences.join(' ').split(' ');

function takeWords(count: number, from: number): string {
  const words = Array.from({ length: count }, (_, at) => allWords[(from + at) % allWords.length]);
  return words.join(' ');
}
