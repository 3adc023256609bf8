import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { Grants } from '../../src/core/approval/grants.ts';
import { partText, type Turn } from '../../src/core/conversation/conversation.ts';
import { readJournal } from '../../src/core/conversation/journalReader.ts';
import { pathOf, turnsOfAllPaths } from '../../src/core/conversation/paths.ts';
import { endInterrupted } from '../../src/core/conversation/reduce.ts';
import { versionsOf } from '../../src/core/conversation/versions.ts';
import { chatFileOf, readChatFile, writeChatFile } from '../../src/core/history/chatFile.ts';
import { readHead } from '../../src/core/history/chatHead.ts';
import { parseAddress } from '../../src/core/service/address.ts';
import { modelKeys } from '../../src/core/service/modelReference.ts';
import { Emitter } from '../../src/core/support/event.ts';
import { createRedactor } from '../../src/core/support/redact.ts';
import { Consents } from '../../src/host/approval/consents.ts';
import { grantStore } from '../../src/host/approval/windowGate.ts';
import { Composer } from '../../src/host/attachments/composer.ts';
import { ChatMemento } from '../../src/host/chat/chatMemento.ts';
import { MessageQueue } from '../../src/host/chat/messageQueue.ts';
import { LastMode } from '../../src/host/chat/modes.ts';
import { UnsavedText } from '../../src/host/chat/unsavedText.ts';
import { recentInstructions } from '../../src/host/editor/editCommands.ts';
import { readSettings } from '../../src/host/platform/settingValues.ts';
import { WalkthroughSteps } from '../../src/host/platform/walkthrough.ts';
import { Keys } from '../../src/host/service/keys.ts';
import { ModelCatalog } from '../../src/host/service/modelCatalog.ts';
import { Services } from '../../src/host/service/services.ts';
import { ChangeStore } from '../../src/host/tools/changeStore.ts';
import { EnabledTools } from '../../src/host/tools/enabledTools.ts';
import type { Ledger } from '../../src/host/usage/ledger.ts';
import { BudgetNotices } from '../../src/host/usage/budgetUi.ts';
import { TokenRatios } from '../../src/host/usage/tokenRatios.ts';
import { projectFolder } from '../support/paths.ts';
import { ManualClock } from '../support/manualClock.ts';
import { settled } from '../support/settled.ts';
import { noEvents } from '../support/noEvents.ts';
import { FakeDialogs, FakeMemento, FakeSecrets } from './host/fakes.ts';
import { openChats } from './host/chat/openChatRig.ts';
import { countedIn, ledgerOf, MemoryLog, ofToday, usageOf } from './host/usage/usageRig.ts';

/**
 * Files and states stored by earlier versions, written by their own classes. `6998723` had no usage
 * log yet, `264f785` is from before the chat was split, and `f1b0afa` is 1.0.0. `expected.json` is
 * what these versions read themselves.
 */
const folder = join(projectFolder, 'test/fixtures/upgrade');
const versions = readdirSync(folder);

const small = 'mistral/mistral-small';
const middle = 'mistral/mistral-medium';

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

function valuesIn(version: string, file: string): Readonly<Record<string, unknown>> {
  return z.record(z.string(), z.unknown()).parse(JSON.parse(read(version, file)));
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

/** Removes keys whose value is undefined, which JSON doesn't have, and fields of a name. */
function plain(value: unknown, without?: string): unknown {
  return JSON.parse(
    JSON.stringify(value, (name, field: unknown) => (name === without ? undefined : field)),
  );
}

/** After the windows that wrote the usage log were killed, in most time zones. */
const evening = new ManualClock(new Date(2030, 0, 31, 23, 30).getTime());

async function ledgerOn(version: string): Promise<Ledger> {
  const log = new MemoryLog();
  for (const name of readdirSync(join(folder, version, 'usage')))
    log.files.set(name, read(version, `usage/${name}`));
  const ledger = ledgerOf(log, evening);
  await ledger.refresh();
  return ledger;
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
      const stored = valuesIn(version, 'settings.json');
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
        const { log } = await ledgerOn(version);
        assert.equal(countedIn(log, ofToday).tokens, tokens + 40 + 60);
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

const release = 'f1b0afa';

const turns = z.array(z.looseObject({ id: z.string() }));
const arrangement = {
  turns,
  others: z.optional(z.array(z.looseObject({ paths: z.array(turns) }))),
  running: z.optional(z.looseObject({ id: z.string() })),
  /** 1.0.0 showed the replies of several models side by side until one of them was chosen. */
  compared: z.optional(turns),
};
const conversationOf = z.looseObject(arrangement);
const sumOf = z.looseObject({ usage: z.record(z.string(), z.unknown()), cost: z.number() });
const storedByRelease = z.looseObject({
  chats: z.record(z.string(), z.looseObject({ head: z.unknown(), conversation: conversationOf })),
  changes: z.unknown(),
  composers: z.record(z.string(), z.unknown()),
  globalState: z.record(z.string(), z.unknown()),
  usage: z.looseObject({ sums: z.array(sumOf) }),
});

/** What is in a chat, without where: all turns by their ids, and everything but turns. */
function contentOf(conversation: unknown): object {
  const parsed = conversationOf.parse(plain(conversation));
  const { others = [], running, compared = [] } = parsed;
  const paths = others.flatMap((group) => group.paths.flat());
  const all = [...parsed.turns, ...paths, ...compared, ...(running ? [running] : [])];
  const fields = Object.entries(parsed).filter(([name]) => !Object.hasOwn(arrangement, name));
  return { ...Object.fromEntries(fields), all: all.toSorted((a, b) => (a.id < b.id ? -1 : 1)) };
}

const sumFields = ['day', 'service', 'model', 'workspace', 'chat', 'purpose', 'currency', 'demo'];
const amountFields = ['prompt', 'completion', 'total', 'cached', 'reasoning'];

/** Tokens, requests and costs of equal requests. */
function totalsOf(sums: readonly z.infer<typeof sumOf>[]): Readonly<Record<string, number[]>> {
  const totals: Record<string, number[]> = {};
  for (const { usage, cost, ...request } of sums) {
    const key = JSON.stringify(sumFields.map((field) => request[field]));
    const tokens = amountFields.map((field) => Number(usage[`${field}_tokens`] ?? 0));
    const before = totals[key] ?? [];
    const amounts = [...tokens, Number(usage['requests']), cost * 1e9];
    totals[key] = amounts.map((amount, index) => Math.round(amount) + (before[index] ?? 0));
  }
  return totals;
}

function mementoOf(file: string): FakeMemento {
  const state = new FakeMemento();
  for (const [key, value] of Object.entries(valuesIn(release, file)))
    state.stored.set(key, JSON.stringify(value));
  return state;
}

describe('all that version 1.0.0 stores', () => {
  const expected = storedByRelease.parse(JSON.parse(read(release, 'expected.json')));
  const chatOf = (id: string) => {
    const text = read(release, `chats/${id}.jsonl`);
    const { conversation, damaged } = readJournal(id, text);
    assert.equal(damaged, 0);
    const versions = versionsOf(conversation, pathOf(conversation));
    return { head: readHead(id, text), conversation, versions };
  };

  for (const id of ['tools', 'faults', 'versions', 'fork', 'asking', 'windows'])
    it(`has everything of the chat ${id}`, () => {
      assert.deepEqual(plain(chatOf(id)), expected.chats[id]);
    });

  // Replies of a comparison are versions now, of which the first is shown until one is chosen.
  const comparisons = {
    compared: [
      ['Hello', small, undefined],
      ['Yes or no?', `${middle}@example`, 3],
      ['Go on.', `${middle}@example`, undefined],
      ['The last one?', small, 2],
    ],
    'open-comparison': [['Left or right?', small, 2]],
  };
  for (const [id, shown] of Object.entries(comparisons))
    it(`has every reply of the chat ${id} as a version`, () => {
      const { conversation, head } = chatOf(id);
      assert.deepEqual(contentOf(conversation), contentOf(expected.chats[id]?.conversation));
      assert.deepEqual(head, expected.chats[id]?.head);
      const ended = endInterrupted(conversation);
      const versions = versionsOf(ended, ended.turns);
      const countOf = (turn: Turn) => versions[turn.id]?.reply?.count;
      const seen = ended.turns.map((turn) => [turn.question.text, turn.model, countOf(turn)]);
      assert.deepEqual(seen, shown);
      assert.ok(turnsOfAllPaths(ended).every(({ endedAt }) => endedAt !== undefined));
    });

  it('has the turns of two windows that wrote to a chat at the same time', () => {
    const { conversation, head, versions } = chatOf('mixed');
    const mixed = expected.chats['mixed'];
    assert.deepEqual(head, mixed?.head);
    // 1.0.0 counted an estimate of the reply that the second window took over. The first window went
    // on, and wrote what the service reported for it.
    const usage = { [small]: usageOf(10 + 20 + 30 + 35 + 40, 1 + 7 + 3 + 4 + 3, { requests: 5 }) };
    assert.deepEqual(contentOf(conversation), contentOf({ ...mixed?.conversation, usage }));
    // 1.0.0 showed the later message of the first window between those of the second one, which never
    // saw it. Both follow the same reply, so it is another version now.
    const countOf = ({ id }: Turn) => versions[id]?.message?.count;
    const seen = conversation.turns.map((turn) => [turn.question.text, countOf(turn)]);
    assert.deepEqual(seen, [
      ['Both see this.', undefined],
      ['Only the first window asks this.', undefined],
      ['The second window goes on.', 2],
      ['And further.', undefined],
    ]);
  });

  it('has the texts that undo the changes of files', async () => {
    const files = valuesIn(release, 'changes.json');
    const store = new ChangeStore(
      {
        read: (path) => Promise.resolve(z.optional(z.string()).parse(files[path])),
        write: () => assert.fail(),
      },
      assert.ifError,
    );
    const turn = chatOf('tools').conversation.turns[0]?.id ?? '';
    assert.deepEqual(plain(await store.changes('tools', [turn], () => true)), expected.changes);
  });

  it('has the usage of each day, and its costs', async () => {
    const { log } = await ledgerOn(release);
    const sums = z.array(sumOf).parse(plain(await log.read('')));
    assert.deepEqual(totalsOf(sums), totalsOf(expected.usage.sums));
  });

  it('has its budgets in the settings', () => {
    // 1.0.0 also wrote it to a file for some minutes, until VS Code told all windows of the setting.
    const { budget } = valuesIn(release, 'budget.json');
    assert.deepEqual(valuesIn(release, 'settings.json')['aside.budget'], budget);
  });

  it('has drafts, attachments and waiting messages', () => {
    const state = mementoOf('workspaceState.json');
    for (const [id, composed] of Object.entries(expected.composers)) {
      const ofChat = new ChatMemento(state, () => id);
      const composer = new Composer(ofChat, () => Promise.resolve(true));
      const { shown: queue, unsent: waiting } = new MessageQueue(id, composer, ofChat);
      const { draft, draftAt, attachments, lent: held } = composer;
      const seen = { draft, draftAt, attachments, held, queue, waiting };
      assert.deepEqual(plain(seen), composed, id);
    }
  });

  it('has the chat of the side bar, and what could not be written to the disk', () => {
    const state = mementoOf('workspaceState.json');
    const { inSidebar } = openChats({ state }).chats;
    assert.equal(inSidebar.id, expected['sidebar']);
    assert.equal(inSidebar.composer.draft, 'This one is edited now');
    assert.equal(new UnsavedText(state).of('unsaved'), expected['unsaved']);
  });

  const state = mementoOf('globalState.json');
  const secrets = new FakeSecrets();
  for (const [name, key] of Object.entries(valuesIn(release, 'secrets.json')))
    secrets.stored.set(name, String(key));
  const address = parseAddress('https://api.example.test/v1');
  const services = new Services(state, () => address);
  const catalog = new ModelCatalog(
    state,
    () => assert.fail(),
    evening,
    () => services.names,
  );
  const workspace = 'file:///workspace';

  const stored: Readonly<Record<string, () => unknown>> = {
    services: () => ({
      names: services.names,
      // Its id, which tells accounts of one origin apart, is that of the only account.
      all: services.all.map(({ id, ...service }) => ({ ...service, origin: id })),
    }),
    keys: () => {
      const keys = new Keys(secrets, createRedactor());
      return Promise.all([address.origin, 'https://api.other.test'].map((id) => keys.read(id)));
    },
    mode: () => new LastMode(state).current,
    tools: () => {
      const enabled = new EnabledTools(state);
      return [
        ...['read_file', 'edit_file', 'run_command'].filter((name) => enabled.isOwnEnabled(name)),
        ...['weather#0011', 'jira#2233'].filter((name) => enabled.isExternalEnabled(name)),
      ];
    },
    consents: async () => {
      const consents = new Consents(state, () => Promise.resolve(workspace), new FakeDialogs());
      const kinds = (['offer', 'instructions', 'skill'] as const).flatMap((kind) => [
        consents.list(kind).then((list) => [kind, list] as const),
        consents.list(kind, true).then((list) => [`${kind} own`, list] as const),
      ]);
      return Object.fromEntries(await Promise.all(kinds));
    },
    grants: () => {
      const store = grantStore(state, () => evening.wall());
      return new Grants(store, evening, '1').list(workspace);
    },
    estimates: () => {
      const ratios = new TokenRatios(state, (model) => modelKeys(model, services.names));
      return [small, 'meta/llama-70b@other', 'unknown'].map((model) => [
        model,
        ratios.estimate(model, 1000, 'prompt'),
        ratios.estimate(model, 1000, 'reply'),
        ratios.margin(model),
      ]);
    },
    list: () => catalog.list(address.origin),
    facts: () => [...catalog.facts(address.origin)],
    pinned: () => catalog.pinned(),
    // An id without the name of a service is that model at every service: 1.0.0 stored those of the
    // service in use so, whichever that was.
    recent: () => catalog.recent().filter((model) => !/^(?:mistral|old).*@/.test(model)),
    instructions: () => recentInstructions(state),
  };
  for (const [name, value] of Object.entries(expected.globalState))
    it(`has the state of all windows: ${name}`, async () => {
      // A price has the field that it was read from now.
      assert.deepEqual(plain(await stored[name]?.(), 'source'), value);
    });

  it('says nothing again that 1.0.0 said', async () => {
    const told: number[] = [];
    const changed = new Emitter<undefined>();
    const budget = { of: 'day', unit: 'tokens', limit: 2000, reserved: 0, running: 0 } as const;
    let spent = 0;
    const notices = new BudgetNotices(
      { budgets: () => [{ ...budget, spent, period: '2030-01-31' }], onDidChange: changed.event },
      mementoOf('globalState.json'),
      () => true,
      () => Promise.resolve(void told.push(spent)),
      noEvents,
    );
    for (spent of [1100, 1600, 1900]) changed.fire(undefined);
    await settled();
    notices.dispose();
    assert.deepEqual(told, [1900]);
    const steps: string[] = [];
    new WalkthroughSteps(state, evening, (step) => void steps.push(step));
    assert.deepEqual(steps, ['aside.connected', 'aside.usageSeen']);
  });
});

describe('versions with test data', () => {
  it('are those that people used', () =>
    assert.deepEqual(versions, ['264f785', '6998723', release]));
});
