import { ServiceError } from './errors.ts';
import { isTokenCount } from './modelFacts.ts';

/** The limits of a model that an error of the service names; what it doesn't name is absent. */
export interface LearnedLimits {
  /** The maximum tokens of a request and its reply together. */
  readonly contextWindow?: number | undefined;
  /** The maximum tokens of a reply. */
  readonly maxOutput?: number | undefined;
}

/** A number of tokens as services write it: `8192`, `8,192`. */
const tokens = String.raw`(\d{1,3}(?:,\d{3})+|\d{3,9})`;

/** The words before or after the number, each for errors that say what the limit is. */
const windowWords = [
  String.raw`exceeds? (?:the )?(?:maximum )?context (?:length|window|size|limit):? .{0,60}> ${tokens}`,
  String.raw`(?:maximum|max|total) context (?:length|window|size)(?: of this model)?(?: is| of|:)? (?:only )?${tokens}`,
  String.raw`context (?:length|window|size|limit)(?: is| of|:)? (?:only )?${tokens}`,
  String.raw`context (?:length|window|size|limit)\D{0,40}\(${tokens} tokens\)`,
  String.raw`too long: \d{3,9} tokens > ${tokens}`,
  String.raw`maximum (?:number of tokens )?allowed \(${tokens}\)`,
].map((words) => new RegExp(words, 'i'));

const outputWords = [
  String.raw`supports at most ${tokens} completion tokens`,
  String.raw`max_(?:completion_)?tokens\W{0,3} ?(?:must|should|has to|cannot|can't|may not)[a-z ]{0,40}(?:to|than|exceed|most|<=) ${tokens}`,
  String.raw`max_(?:completion_)?tokens\W{0,3} ?\(?\d{3,9}\)? ?(?:>|is greater than|exceeds)[a-z ]{0,40} ?\(?${tokens}`,
  String.raw`maximum (?:allowed )?(?:number of )?(?:output|completion) tokens[^\d\n]{0,40}${tokens}`,
  String.raw`range of max_(?:completion_)?tokens is \[\d{1,9}, ?${tokens}\]`,
].map((words) => new RegExp(words, 'i'));

/** Number of characters that are read. A longer text is no message, and begins with the error. */
const mostRead = 2000;

/** The limits of a model in the words of a refusal (section 7). */
export function learnedLimits(error: unknown): LearnedLimits {
  if (!(error instanceof ServiceError)) return {};
  const text = (error.detail ?? '').slice(0, mostRead);
  const maxOutput = error.kind === 'bad-request' ? numberIn(text, outputWords) : undefined;
  const contextWindow = error.kind === 'context-exceeded' ? numberIn(text, windowWords) : undefined;
  return {
    ...(contextWindow === undefined ? {} : { contextWindow }),
    ...(maxOutput === undefined ? {} : { maxOutput }),
  };
}

function numberIn(text: string, patterns: readonly RegExp[]): number | undefined {
  return patterns
    .map((pattern) => Number(pattern.exec(text)?.[1]?.replaceAll(',', '')))
    .find(isTokenCount);
}
