const markdown = new Set(['markdown', 'md', 'mdx', 'quarto', 'prompt', 'instructions']);

/** Whether a file of this language is Markdown, in which fences are a part of the text. */
export function isMarkdown(language: string): boolean {
  return markdown.has(language.toLowerCase());
}

/** Beginnings and ends that no sentence in front of a block of code has. */
const code = /^(?:\s|\/\/|\/\*|#include|#!|<[\w!/?]|@\w)|(?:[;{}([]|=>|\):)\s*$/;
const markdownBlock = /^(?:#{1,6} |[-*+>|] |\d+[.)] |---|\||<)/;

/**
 * Whether the first line of an answer is certainly code, and no words about it. Where this says no
 * and code it is, the answer is shown once it is whole: a wrong yes would leave words in a file.
 */
export function startsAsCode(line: string, language: string): boolean {
  return isMarkdown(language) ? markdownBlock.test(line) : code.test(line);
}
