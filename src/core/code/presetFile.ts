/** Presets: files with instructions, a model, tools and options for a whole chat. */
import * as z from 'zod/mini';
import { chatModes, type ChatMode } from '../conversation/mode.ts';
import { listOf, readFrontMatter, textOf, type FrontMatter } from './frontMatter.ts';
import { oneLine } from '../support/text.ts';

/** Characters of a preset, and names of tools in it. */
const maxCharacters = 100_000;
const maxTools = 200;

/** The content of a preset file. */
export interface ParsedPreset {
  readonly name: string;
  readonly description: string;
  readonly model?: string;
  /** The only tools of its chats; undefined for all that are allowed. */
  readonly tools?: readonly string[];
  readonly mode?: ChatMode;
  readonly options: PresetOptions;
  /** Instructions, possibly empty. */
  readonly body: string;
}

interface PresetOptions {
  readonly temperature?: number;
  readonly topP?: number;
  readonly maxTokens?: number;
}

const ranges = {
  temperature: z.number().check(z.minimum(0), z.maximum(2)),
  topP: z.number().check(z.minimum(0), z.maximum(1)),
  maxTokens: z.int().check(z.minimum(1)),
} as const;

/**
 * Parses a preset: front matter, then instructions. Its tools only select among allowed ones.
 * Undefined for a file that is too long, or whose front matter is invalid.
 *
 * @param fileName the default name
 */
export function parsePreset(fileName: string, text: string): ParsedPreset | undefined {
  const file = readFrontMatter(text);
  if ('problem' in file || text.length > maxCharacters) return undefined;
  const { fields } = file;
  const [model = ''] = listOf(fields.get('model'));
  const tools = fields.get('tools');
  const writtenMode = textOf(fields.get('mode')).trim().toLowerCase();
  const mode = chatModes.find((known) => known === writtenMode);
  const named = textOf(fields.get('name')).trim();
  return {
    name: oneLine(named === '' ? fileName.replace(/\.agent\.md$/, '') : named, 100),
    description: oneLine(textOf(fields.get('description'))),
    ...(model === '' ? {} : { model }),
    ...(tools === undefined ? {} : { tools: listOf(tools).slice(0, maxTools) }),
    ...(mode === undefined ? {} : { mode }),
    options: optionsOf(fields),
    body: file.body.trim(),
  };
}

/** Options of a preset, without invalid numbers. */
function optionsOf(fields: FrontMatter): PresetOptions {
  const valueOf = (name: keyof typeof ranges): number | undefined => {
    const written = textOf(fields.get(name.toLowerCase()));
    return ranges[name].safeParse(written === '' ? undefined : +written).data;
  };
  const [temperature, topP, maxTokens] = [
    valueOf('temperature'),
    valueOf('topP'),
    valueOf('maxTokens'),
  ];
  return {
    ...(temperature === undefined ? {} : { temperature }),
    ...(topP === undefined ? {} : { topP }),
    ...(maxTokens === undefined ? {} : { maxTokens }),
  };
}
