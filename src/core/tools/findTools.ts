/** `find_tools`: tools of other extensions are sent once they were found, if there are many. */
import type { Conversation } from '../conversation/conversation.ts';
import { pathOf } from '../conversation/paths.ts';
import { oneLine } from '../support/text.ts';
import type { Tool } from './tool.ts';

export const findToolsName = 'find_tools';

/** Maximum number of tools of other extensions that are sent without having been found. */
export const maxExternalTools = 10;

const maxMatches = 8;
/** Maximum number of names in a result without matches. */
const maxNames = 40;
/** Maximum number of servers that the description names. */
const maxServers = 6;
/** Maximum number of characters of a description in a result. */
const maxDescription = 120;

/** The result of a search, from whose lines `foundTools` reads the names again. */
export function describeMatches(query: string, tools: readonly Tool[]): string {
  const matches = matchingTools(query, tools);
  if (matches.length > 0)
    return [
      'You can call these from now on:',
      ...matches.map(
        ({ name, definition }) =>
          `- ${name}: ${oneLine(definition.function.description, maxDescription)}`,
      ),
    ].join('\n');
  const names = tools.slice(0, maxNames).map(({ name }) => name);
  return `No tool matches. Tools: ${names.join(', ')}${tools.length > maxNames ? ', …' : ''}`;
}

/** The first words of names, by which a model knows what there is to find: `github, notion`. */
export function serversOf(tools: readonly Tool[]): string {
  const servers = tools.map(({ name }) => /^(?:mcp_)?([A-Za-z\d]{1,16})/.exec(name)?.[1] ?? name);
  const distinct = [...new Set(servers)];
  return distinct.slice(0, maxServers).join(', ') + (distinct.length > maxServers ? ', …' : '');
}

/** The names that searches of a chat found on its path, in the order in which they were found. */
export function foundTools(conversation: Conversation): readonly string[] {
  const names = pathOf(conversation).flatMap(({ parts }) =>
    parts.flatMap((part) => {
      if (part.type !== 'tool-call' || part.name !== findToolsName || part.status !== 'done')
        return [];
      return [...(part.result ?? '').matchAll(/^- ([\w-]{1,64}): /gm)].map(([, name = '']) => name);
    }),
  );
  return [...new Set(names)];
}

/**
 * The tools whose names and descriptions have words of a query, the best first, and equally good ones
 * in their order. A word that few tools have counts more, and one in a name more than in a description.
 */
export function matchingTools(query: string, tools: readonly Tool[]): readonly Tool[] {
  const scores = tools.map(() => 0);
  const texts = tools.map(({ name, definition }) => ({
    name: wordsOf(name),
    description: wordsOf(definition.function.description),
  }));
  for (const word of new Set(wordsOf(query))) {
    const weights = texts.map(
      ({ name, description }) => 3 * likeness(word, name) + likeness(word, description),
    );
    const count = weights.filter((weight) => weight > 0).length;
    for (const [at, weight] of weights.entries())
      scores[at] = (scores[at] ?? 0) + (weight === 0 ? 0 : weight / count);
  }
  // The others only share a common word, such as "list".
  const least = Math.max(...scores) / 3;
  return tools
    .map((tool, at) => ({ tool, score: scores[at] ?? 0 }))
    .filter(({ score }) => score > 0 && score >= least)
    .toSorted((a, b) => b.score - a.score)
    .slice(0, maxMatches)
    .map(({ tool }) => tool);
}

/** 2 if one of the words is the same, 1 if one begins with the other, otherwise 0. */
function likeness(word: string, words: readonly string[]): number {
  if (words.includes(word)) return 2;
  const isAlike = (other: string): boolean =>
    Math.min(word.length, other.length) >= 3 && (other.startsWith(word) || word.startsWith(other));
  return words.some(isAlike) ? 1 : 0;
}

/** Lowercase words of at least two letters, also those of `camelCase`. */
function wordsOf(text: string): readonly string[] {
  const words = text.replace(/(?<=[a-z\d])(?=[A-Z])/g, ' ').toLowerCase();
  return words.match(/[\p{L}\p{N}]{2,}/gu) ?? [];
}
