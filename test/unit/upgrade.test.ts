import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { chatFileOf, readChatFile, writeChatFile } from '../../src/core/history/chatFile.ts';
import { partText, type Turn } from '../../src/core/conversation/conversation.ts';
import { readJournal } from '../../src/core/conversation/journalReader.ts';
import { readSettings } from '../../src/host/platform/settingValues.ts';
import { countedIn, laterLedger, MemoryLog, ofToday } from './host/usage/usageRig.ts';
import { projectFolder } from '../support/paths.ts';

/**
 * Files stored by earlier versions, written by their own classes. `6998723` had no usage log yet,
 * and `264f785` is from before the chat was split. `expected.json` is what these versions read
 * themselves.
 */
const folder = join(projectFolder, 'test/fixtures/upgrade');
const versions = readdirSync(folder);

const call = z.looseObject({ name: z.string(), arguments: z.string(), status: z.string() });
const text = z.looseObject({ type: z.string(), text: z.string() });
const chat = z.looseObject({
  usage: z.record(z.string(), z.unknown()),
  options: z.unknown(),
  turns: z.array(
    z.looseObject({ text: z.string(), status: z.string(), parts: z.array(z.union([call, text])) }),
  ),
});
const expectation = z.looseObject({
  tools: chat,
  faults: chat,
  settings: z.record(z.string(), z.unknown()),
  tokens: z.optional(z.number()),
});

function read(version: string, file: string): string {
  return readFileSync(join(folder, version, file), 'utf8');
}

/** A turn in the format of the expectation. */
function seenOf(turn: Turn): object {
  return {
    text: turn.question.text,
    attachments: turn.question.attachments,
    model: turn.model,
    status: turn.status,
    usage: turn.usage,
    error: turn.error?.message,
    parts: turn.parts.map((part) =>
      part.type === 'tool-call'
        ? {
            name: part.name,
            arguments: part.arguments,
            status: part.status,
            result: part.result,
            output: part.output,
            title: part.title,
          }
        : { type: part.type, text: partText(part) },
    ),
    changes: turn.changes?.map(({ path, status }) => ({ path, status })),
  };
}

/** Removes keys whose value is undefined, which JSON doesn't have. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

for (const version of versions) {
  describe(`the data of version ${version}`, () => {
    const expected = expectation.parse(JSON.parse(read(version, 'expected.json')));

    for (const id of ['tools', 'faults'] as const)
      it(`has the texts, tool calls and usage of the chat ${id}`, () => {
        const { conversation, damaged } = readJournal(id, read(version, `chats/${id}.jsonl`));
        assert.equal(damaged, 0);
        const { title, pinned, options, usage, turns } = conversation;
        const seen = { title, pinned, options, usage, turns: turns.map(seenOf) };
        assert.deepEqual(plain(seen), expected[id]);
      });

    it('can be exported and imported', () => {
      const { conversation } = readJournal('tools', read(version, 'chats/tools.jsonl'));
      const file = readChatFile(writeChatFile(chatFileOf(conversation, (written) => written)));
      assert.ok(!('problem' in file), JSON.stringify(file));
      assert.equal(file.turns.length, 2);
    });

    it('has the same settings', () => {
      const stored = z
        .record(z.string(), z.unknown())
        .parse(JSON.parse(read(version, 'settings.json')));
      const problems: string[] = [];
      const values = readSettings(
        (id) => ({ globalValue: stored[id] ?? stored[`aside.${id}`] }),
        (...problem) => problems.push(JSON.stringify(problem)),
      );
      assert.deepEqual(problems, []);
      for (const [name, value] of Object.entries(expected.settings))
        assert.deepEqual(plain(Reflect.get(values, name)), value, name);
    });

    const { tokens } = expected;
    if (tokens !== undefined)
      it('has the same usage, including a request without a known end', async () => {
        const log = new MemoryLog();
        for (const name of readdirSync(join(folder, version, 'usage')))
          log.files.set(name, read(version, `usage/${name}`));
        const ledger = await laterLedger(log);
        assert.equal(countedIn(ledger.log, ofToday).tokens, tokens + 40 + 60);
      });

    it('contains no path of the machine that wrote it', () => {
      const all = readdirSync(join(folder, version), { recursive: true, encoding: 'utf8' });
      const files = all.filter((name) => /\.jsonl?$/.test(name));
      assert.ok(files.length >= 4);
      for (const name of files)
        assert.doesNotMatch(
          read(version, name),
          /\/(?:home|root|tmp|work|Users|var)\/|[A-Z]:\\/,
          name,
        );
    });
  });
}

describe('versions with test data', () => {
  it('are those that people used', () => assert.deepEqual(versions, ['264f785', '6998723']));
});
