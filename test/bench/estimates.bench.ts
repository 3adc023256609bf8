import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { TokenRatios } from '../../src/host/usage/tokenRatios.ts';
import { projectFolder } from '../support/paths.ts';
import { ownToolsHere } from '../support/readToolsHere.ts';
import { FakeMemento } from '../unit/host/fakes.ts';
import { percentile } from './measure.ts';
import { Random } from './rendering/random.ts';
import { figureRow } from './row.ts';
import type { Table } from './table.ts';

const model = 'some/model';

/** Tokens that delimit a message. */
const tokensAround = 4;

/** Replies before estimates count, since the meter learns from them. */
const learned = 3;

interface Texts {
  readonly code: readonly [string, ...string[]];
  readonly prose: readonly [string, ...string[]];
  readonly tools: string;
}

function filesOf(pattern: string): readonly string[] {
  return globSync(pattern, { cwd: projectFolder })
    .toSorted()
    .map((file) => readFileSync(join(projectFolder, file), 'utf8'));
}

function atLeastOne(texts: readonly string[]): readonly [string, ...string[]] {
  const [first, ...others] = texts;
  if (first === undefined) throw new Error('There is nothing to count.');
  return [first, ...others];
}

/** Code and documents of this project. */
async function readTexts(): Promise<Texts> {
  const paragraphs = filesOf('{docs/*,README,CONTRIBUTING}.md').join('\n').split('\n\n');
  const isProse = (text: string): boolean => text.length > 80 && !/[|`]{2,}|^\|/m.test(text);
  const tools = (await ownToolsHere()).map(({ definition }) => definition);
  return {
    code: atLeastOne(filesOf('src/**/*.ts').filter((text) => text.length > 2000)),
    prose: atLeastOne(paragraphs.filter(isProse)),
    tools: JSON.stringify(tools),
  };
}

/**
 * Simulates chats with an unknown model: messages, some with a file, and replies of prose and code.
 * Returns the relative error of each prompt's estimate.
 */
function errorsOf(texts: Texts, random: Random): readonly number[] {
  const ratios = new TokenRatios(new FakeMemento());
  const errors: number[] = [];
  for (let chat = 0; chat < 4; chat++) {
    const messages = [random.pick(texts.prose) + (random.integer(0, 1) === 0 ? '' : texts.tools)];
    for (let turn = 0; turn < 8; turn++) {
      const file = random.integer(0, 2) === 0 ? random.pick(texts.code) : '';
      messages.push(`${file.slice(0, random.integer(500, 20_000))}\n${random.pick(texts.prose)}`);
      const characters = messages.reduce((sum, { length }) => sum + length, 0);
      const tokens = messages.reduce((sum, text) => sum + countTokens(text) + tokensAround, 0);
      errors.push(Math.abs(ratios.estimate(model, characters, 'prompt') - tokens) / tokens);
      ratios.learn(model, characters, tokens, 'prompt');
      const code = random.pick(texts.code).slice(0, random.integer(0, 3000));
      const reply = `${random.pick(texts.prose)}\n\`\`\`ts\n${code}\n\`\`\`\n`;
      ratios.learn(model, reply.length, countTokens(reply), 'reply');
      messages.push(reply);
    }
  }
  return errors.slice(learned);
}

/** Compares the estimates of the cost line with a tokenizer. */
export async function bench(table: Table): Promise<void> {
  const texts = await readTexts();
  const random = new Random(7);
  const errors: number[] = [];
  for (let round = 0; round < 60; round++) errors.push(...errorsOf(texts, random));
  const within = (share: number): number => percentile(errors, share) * 100;
  table.add(
    figureRow({
      name: `Error of estimated prompt tokens after ${learned} replies, median (tokenizer o200k)`,
      value: within(0.5),
      unit: '%',
      goal: 5,
    }),
  );
  table.add(figureRow({ name: 'The same, nine in ten', value: within(0.9), unit: '%', goal: 5 }));
}
