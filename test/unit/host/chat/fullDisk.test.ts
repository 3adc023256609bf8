import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { turnText } from '../../../../src/core/conversation/conversation.ts';
import { readJournal } from '../../../../src/core/conversation/journalReader.ts';
import type { Client } from '../../../../src/core/service/client.ts';
import { JournalFiles } from '../../../../src/host/chat/journalFiles.ts';
import { ChatLocks } from '../../../../src/host/chat/chatLocks.ts';
import { FailingDisk, type DiskFault, type DiskState } from '../../../support/failingDisk.ts';
import { ManualClock } from '../../../support/manualClock.ts';
import { TemporaryFolder } from '../../../support/temporaryFolder.ts';
import { until } from '../../../support/until.ts';
import { accountOf, admissionOn, ledgerOf } from '../usage/usageRig.ts';
import { openChat, SlowModel } from './openChatRig.ts';

const faults: readonly DiskFault[] = ['full', 'half', 'read-only'];
/** Number of words of the reply before writing begins to fail. */
const moments = [0, 1];
const notSaved = 'Not saved';

/** A chat and the usage log on one disk. */
function rig(folder: string) {
  const clock = new ManualClock();
  const disk: DiskState = { fault: undefined, failures: 0 };
  const files = new FailingDisk(folder, disk);
  const host = { machine: 'm', id: 1, isRunning: () => true };
  const ledger = ledgerOf(files.folder('usage'), clock);
  const { clientOf } = admissionOn(ledger, { unit: 'tokens' });
  const model = new SlowModel();
  const sent: string[] = [];
  const counting: Client = {
    ...model.client,
    stream: (request, ...options) => {
      sent.push(String(request.messages.at(-1)?.content));
      return model.client.stream(request, ...options);
    },
  };
  const service = { purpose: 'chat', service: 'https://a', model: 'm', demo: false } as const;
  const client = clientOf(counting, {
    ...service,
    chat: { ...accountOf('c'), saved: () => open.store.flush() },
  });
  const locks = new ChatLocks(files.folder('locks'), host, clock);
  const open = openChat(
    { id: 'c', origin: 'new' },
    {
      clock,
      storage: new JournalFiles(files.folder('chats'), clock, locks),
      locks,
      unsaved: notSaved,
      client,
    },
  );
  const notices: (string | undefined)[] = [];
  open.panel.onDidChange(({ notice }) => {
    if (notice !== notices.at(-1)) notices.push(notice);
  });
  const linesOf = async (name: string): Promise<string> =>
    readFile(join(folder, name), 'utf8').catch(() => '');
  return { clock, disk, ledger, model, sent, open, notices, linesOf };
}

describe('a message on a full disk', () => {
  for (const fault of faults)
    for (const moment of moments)
      it(`is sent once, reported once and kept until there is room: ${fault}, ${moment}`, async () => {
        const folder = await TemporaryFolder.create();
        const { clock, disk, ledger, model, sent, open, notices, linesOf } = rig(folder.path);
        const { store } = open;
        const chat = open;
        const reply = (): string => {
          const turn = chat.conversation.running ?? chat.conversation.turns[0];
          return turn === undefined ? '' : turnText(turn);
        };
        if (moment === 0) disk.fault = fault;
        const sending = chat.send({ text: 'Why?', attachments: [] }, 'm');
        for (const [index, text] of ['Why?-1 ', 'Why?-1 Why?-2 '].entries()) {
          await until(() => sent.length === 1);
          model.step();
          await until(() => reply() === text);
          if (moment === index + 1) {
            await store.flush();
            disk.fault = fault;
          }
        }
        assert.equal((await sending).status, 'finished');
        await store.flush();
        for (let count = 0; count < 5; count++) {
          await clock.advance(60_000);
          await store.flush();
        }
        assert.ok(!store.isSaved && disk.failures > 5);
        assert.equal(reply(), 'Why?-1 Why?-2 ');
        assert.equal(notices.filter((notice) => notice === notSaved).length, 1);
        assert.equal(open.panel.current().notice, notSaved);

        disk.fault = undefined;
        await clock.advance(60_000);
        await until(() => store.isSaved);
        await store.flush();
        const { conversation } = readJournal('c', await linesOf('chats/c.jsonl'));
        assert.deepEqual(conversation, chat.conversation);
        const isCounted = async (): Promise<boolean> =>
          (await linesOf('usage/2026-01.jsonl')).includes('"state":"used"');
        for (let seconds = 0; seconds < 120 && !(await isCounted()); seconds++)
          await clock.advance(1000);
        assert.ok(await isCounted());
        assert.deepEqual(sent, ['Why?']);
        assert.equal(open.panel.current().notice, undefined);
        open.dispose();
        ledger.dispose();
        await folder.dispose();
      });
});
