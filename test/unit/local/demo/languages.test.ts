import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import * as z from 'zod/mini';
import { planReview } from '../../../../src/core/code/reviewPrompt.ts';
import { DemoScript } from '../../../../src/local/demo/script.ts';
import { replyToReview } from '../../../../src/local/demo/review.ts';
import { englishTexts, translatedTexts } from '../../../../src/local/demo/texts.ts';
import { topicReply } from '../../../../src/local/demo/topics.ts';
import { createService } from '../../../../src/local/service.ts';
import { requestedCalls } from '../../../../src/local/toolUse.ts';
import { languages, pairsOf, translated, type Language } from '../../../support/translations.ts';
import { faultsOf } from '../../translations/faults.ts';
import { complete, user, type Outcome } from '../serviceRequests.ts';
import { edited, requestMessages } from './demoEdits.ts';

const groups = z.record(z.string(), z.record(z.string(), z.string()));
const english = groups.parse(englishTexts);

function readFile(language: Language): unknown {
  const file = new URL(`../../../../l10n/demo.${language}.json`, import.meta.url);
  return JSON.parse(readFileSync(file, 'utf8'));
}

interface DemoText {
  readonly group: string;
  readonly key: string;
  readonly from: string;
  readonly to: string;
}

/** All English texts with their translations; empty if a translation is missing. */
function textsOf(language: Language): readonly DemoText[] {
  const file = groups.parse(readFile(language));
  return Object.entries(english).flatMap(([group, texts]) =>
    Object.entries(texts).map(([key, from]) => ({
      group,
      key,
      from,
      to: file[group]?.[key] ?? '',
    })),
  );
}

function placeholdersOf(text: string): string {
  return [...(text.match(/\{\{\w+\}\}/g) ?? [])].sort().join(' ');
}

/** Lists without the indentation of nested items, which is allowed to differ. */
function withoutIndents(text: string): string {
  return text.replaceAll('\n   - ', '\n- ');
}

const toolNames = ['get_editor_state', 'read_file', 'edit_file', 'create_file', 'run_command'];
const listing = ['list_files', 'search_text', 'get_changes'];
const tools = [...toolNames, ...listing].map((name) => ({
  type: 'function' as const,
  function: { name, parameters: { type: 'object', properties: { path: { type: 'string' } } } },
}));

for (const language of languages) {
  describe(`the texts of the demo in ${language}`, () => {
    const texts = textsOf(language);
    const prose = texts.filter(({ group }) => group !== 'matches' && group !== 'starters');

    it('are complete, without extra texts', () => {
      assert.deepEqual(
        texts.filter(({ to }) => to === '').map(({ group, key }) => `${group}.${key}`),
        [],
      );
      const file = groups.parse(readFile(language));
      const count = (all: Readonly<Record<string, object>>): number =>
        Object.values(all).reduce((sum, group) => sum + Object.keys(group).length, 0);
      assert.equal(count(file), texts.length);
    });

    it('have the same placeholders, code and numbers as in English', () => {
      const faults = prose.flatMap(({ group, key, from, to }) => [
        ...(placeholdersOf(from) === placeholdersOf(to)
          ? []
          : [`${group}.${key}: other placeholders`]),
        ...faultsOf({ key, from: withoutIndents(from), to: withoutIndents(to) }, language, false)
          // The Markdown sample contains translated words as code.
          .filter((fault) => key !== 'all' || !fault.startsWith('other code'))
          .map((fault) => `${group}.${key}: ${fault}`),
      ]);
      assert.deepEqual(faults, []);
    });

    it('are translated', () => {
      const same = prose.filter(({ from, to }) => from === to && / [a-z]{3}.* [a-z]{3}/.test(from));
      assert.deepEqual(
        same.map(({ group, key }) => `${group}.${key}`),
        [],
      );
    });

    it('use the translated names of commands and buttons', () => {
      const pairs = pairsOf(language);
      const wrong = prose.flatMap(({ from, to }) =>
        [...from.matchAll(/\*\*(?:Aside: )?([^*`]+)\*\*|\*([A-Z][a-z]+)\*/g)]
          .map(([, bold, italic]) => pairs.filter((pair) => pair.from === (bold ?? italic)))
          .filter((names) => names.length > 0 && !names.some((name) => to.includes(name.to)))
          .map((names) => `${names.map((name) => name.to).join(' or ')} is not in: ${to}`),
      );
      assert.deepEqual(wrong, []);
    });

    it('are valid as subjects of commits, comments in code and patterns', () => {
      for (const { group, key, to } of texts) {
        if (group === 'commits') assert.ok(to.length <= 72 && !/[.。]$/.test(to), to);
        if (group === 'comments') assert.doesNotMatch(to, /\n|\*\/|"""|\\/, key);
        if (group === 'matches') assert.ok(!new RegExp(to, 'iu').test(''), key);
      }
    });
  });

  describe(`the scenario of the demo in ${language}`, () => {
    const demo = new DemoScript(translatedTexts(readFile(language)));
    const { starters, topics, general, tasks } = demo.texts;
    const reply = (messages: readonly object[], more: object = { tools }): Promise<Outcome> =>
      complete(createService({ pace: 0, demo }), { messages, ...more });
    const say = async (text: string, more: object = {}): Promise<string> =>
      (await reply([user(text)], more)).content;

    it('replies to the messages that it suggests', async () => {
      assert.equal(await say(starters.help), topics.help);
      assert.equal(await say(starters.connect), topics.connect);
      assert.equal(await say(starters.faults), topics.faults);
      assert.match(await say(starters.plot), /```mermaid\nxychart-beta/);
      assert.match(await say(starters.markdown), /```python[^]*\n---\n/);
      assert.ok((await say(starters.words)).length > 2500);
      assert.equal(await say(starters.createSample), topics.sample);
      assert.ok((await say('qwertz')).endsWith(general.disclaimer));
    });

    it('handles the suggested messages of an empty chat, translated and in English', () => {
      const { messages } = translated(language);
      for (const [text, tool] of [
        ['Read {0}, and explain what it does.', 'read_file'],
        ['Get the changes since the last commit, and find problems in them.', 'get_changes'],
        ['List the files of this project, and explain what it does.', 'list_files'],
      ] as const)
        for (const message of [text, messages[text] ?? '']) {
          const sent = message.replace('{0}', 'src/report.py');
          const calls = requestedCalls(tools, sent, 'auto', demo);
          assert.deepEqual(
            calls.map(({ name }) => name),
            [tool],
            sent,
          );
        }
      const help = messages['What can you help me with?'] ?? '';
      assert.equal(topicReply(help, demo), topics.help, help);
    });

    it('improves the open file for the suggested message of an empty chat', async () => {
      const text = 'Find one small improvement for the open file and make it.';
      const message = translated(language).messages[text] ?? '';
      const { content, toolCalls } = await reply([user(message)]);
      assert.equal(content, tasks.look);
      assert.deepEqual(
        toolCalls.map(({ name }) => name),
        ['get_editor_state'],
      );
    });

    it('creates the sample, with comments in the language', async () => {
      const { content, toolCalls } = await reply([user(starters.createSample)]);
      assert.equal(content, tasks.create);
      assert.equal(toolCalls.length, 4);
      assert.ok(toolCalls[0]?.arguments.includes(demo.texts.comments.temperature));
    });

    it('fixes the failing test: reads, edits, runs, and reports the outcome', async () => {
      const path = 'server/report.py';
      const lines = demo.sample.files[path].split('\n');
      const numbered = lines.map((line, at) => `${at + 1}\t${line}`).join('\n');
      const steps = [
        ['read_file', { path }, `${path}, lines 1-${lines.length} of ${lines.length}\n${numbered}`],
        ['edit_file', { path }, `Changed ${path}: +3 −2, lines 18-20.`],
        ['run_command', { command: 'python3' }, 'Exit code 0\nOK'],
      ] as const;
      const said: string[] = [];
      const messages: object[] = [user(starters.failingTest)];
      for (const [name, parameters, result] of [...steps, ['', {}, '']] as const) {
        const { content } = await reply(messages);
        said.push(content);
        const id = `c${said.length}`;
        const call = { name, arguments: JSON.stringify(parameters) };
        messages.push({
          role: 'assistant',
          content,
          tool_calls: [{ id, type: 'function', function: call }],
        });
        messages.push({ role: 'tool', tool_call_id: id, content: result });
      }
      assert.deepEqual(said, [tasks.readTests, tasks.repair, tasks.run, tasks.passes]);
    });

    it('fixes, improves and documents for translated messages', () => {
      const path = 'src/temperature.ts';
      const code = { path, language: 'typescript', text: demo.sample.files[path] };
      const change = (task: string): string => edited({ ...code, task }, demo) ?? '';
      assert.match(change(starters.fix), /average\(\): number \| undefined/);
      assert.match(change(starters.improve), /const \{ celsius \} = reading;/);
      assert.ok(change(starters.document).includes(demo.texts.comments.station));
    });

    it('reviews the sample, and fixes it for its own comment', () => {
      const files = (['src/temperature.ts', 'server/report.py'] as const).map((path) => {
        const lines = demo.sample.files[path].replace(/\n$/, '').split('\n');
        return { path, diff: `@@ -0,0 +1,${lines.length} @@\n+${lines.join('\n+')}\n` };
      });
      const [request] = planReview(files, '').requests;
      const review = replyToReview(requestMessages(request?.messages ?? []), demo) ?? '';
      const { average, columns } = demo.texts.reviews;
      for (const comment of [average, columns])
        assert.ok(review.includes(JSON.stringify(comment)), review);
      const code = { path: 'src/temperature.ts', language: 'typescript' };
      const text = demo.sample.files['src/temperature.ts'];
      assert.match(edited({ ...code, text, task: average }, demo) ?? '', /number \| undefined/);
    });

    it('understands English too', async () => {
      assert.equal(await say('what can you do?'), topics.help);
      assert.equal((await reply([user('create the sample')])).content, tasks.create);
    });
  });
}

describe('the texts of the demo', () => {
  it('are in English if the translation or its file is missing', () => {
    const { topics } = translatedTexts({ topics: { empty: 'Leer' }, other: { a: 'b' } });
    assert.equal(topics.empty, 'Leer');
    assert.equal(topics.thanks, translatedTexts().topics.thanks);
    for (const file of [undefined, 1, { topics: { empty: 1 } }])
      assert.deepEqual(translatedTexts(file), translatedTexts());
  });

  it('have no unfilled placeholder', () => {
    const unfilled = Object.values(translatedTexts()).flatMap((group) =>
      Object.values(group).filter((text) =>
        Object.keys(englishTexts.starters).some((name) => text.includes(`{{${name}}}`)),
      ),
    );
    assert.deepEqual(unfilled, []);
  });
});
