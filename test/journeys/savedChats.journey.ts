import assert from 'node:assert/strict';
import { pathToFileURL } from 'node:url';
import { journalOf } from '../support/cutJournal.ts';
import { connect } from './support/connect.ts';
import { journey, type Journey } from './support/journey.ts';
import { storageOf } from './support/storage.ts';

const day = 24 * 60 * 60_000;

interface OldChat {
  readonly id: string;
  readonly message: string;
  /** Texts of the reply's events. */
  readonly reply: readonly string[];
  readonly daysAgo: number;
  readonly workspace: string;
}

describe('journey: saved chats', () => {
  journey('return to chats after a reload', {}, async (walk) => {
    const { workbench, panel, picture, service } = walk;
    await connect(walk);
    await panel.ask('Which clouds bring rain?');
    await panel.settled();
    const reply = await panel.words(panel.replies.first());
    await workbench.command('Aside: New Chat');
    await panel.messages.first().waitFor({ state: 'detached' });
    await panel.ask('What is snow?');
    await panel.settled();

    await workbench.reload();
    await panel.show();
    await panel.messages.filter({ hasText: 'What is snow?' }).waitFor();
    await picture('1-the-last-chat');
    await workbench.command('Aside: Open Chat…');
    await workbench.quickInput.locator('input.input').fill('clouds');
    const row = workbench.rows.filter({ hasText: 'Which clouds bring rain?' });
    // VS Code drops a choice in the moment in which the list is drawn again with what was found.
    await row.getByText('Which clouds bring rain?').nth(1).waitFor();
    await row.and(workbench.page.locator('.focused')).waitFor();
    await picture('2-found');
    await workbench.page.keyboard.press('Enter');
    await panel.messages.filter({ hasText: 'Which clouds bring rain?' }).waitFor();
    assert.equal(await panel.words(panel.replies.first()), reply);
    await panel.ask('And which bring hail?');
    await panel.settled();
    await picture('3-gone-on');
    const sent = JSON.stringify(service.requests.at(-1)?.body);
    assert.match(sent, /Which clouds bring rain\?[^]*And which bring hail\?/);
    assert.doesNotMatch(sent, /What is snow/);
  });

  journey('find a chat of last week by a word of a reply', { freshWindow: true }, async (walk) => {
    const { workbench, panel, picture, service, workspace } = walk;
    await writeChats(walk, pathToFileURL(workspace).href);
    await connect(walk);
    const recent = panel.frame.getByRole('list', { name: 'Recent Chats' });
    await recent.getByRole('button').nth(2).waitFor();
    await picture('1-recent');

    await workbench.command('Aside: Open Chat…');
    await workbench.rows.filter({ hasText: 'How is a reading checked?' }).waitFor();
    await workbench.quickInput.getByText(/Open Chat.*\(27 chats, \d+ kB\)/).waitFor();
    await picture('2-list');
    const field = workbench.quickInput.locator('input.input');
    await field.fill('PSYCHROMETER reads "wet');
    const row = workbench.rows.filter({ hasText: 'How is a reading checked?' });
    await row.getByText(/A psychrometer reads "wet" and "dry"/).waitFor();
    await picture('3-found');
    await row.click();

    await panel.find.getByText('1 of 1', { exact: true }).waitFor();
    await panel.turn(7).getByText('psychrometer').waitFor();
    await picture('4-opened');
    await panel.findField.press('Escape');
    await panel.ask('And at night?');
    await panel.settled();
    const sent = JSON.stringify(service.requests.at(-1)?.body);
    assert.match(sent, /psychrometer/);
    await picture('5-gone-on');

    await workbench.command('Aside: New Chat');
    await recent.getByRole('button', { name: /How is a reading checked/ }).click();
    await panel.messages.filter({ hasText: 'And at night?' }).waitFor();
  });
});

/** Chats of the last weeks, most of them in other workspaces. */
async function writeChats(walk: Journey, here: string): Promise<void> {
  const storage = storageOf(walk);
  await storage.folder('chats').prepare();
  for (const chat of oldChats(here))
    await storage.append(`chats/${chat.id}.jsonl`, journalFor(chat));
}

function oldChats(here: string): readonly OldChat[] {
  const others = Array.from({ length: 25 }, (_, index) => ({
    id: `other-${index}`,
    message: `What is number ${index} about?`,
    reply: ['Some words about it.'],
    daysAgo: index + 2,
    workspace: index % 5 === 0 ? here : 'file:///home/person/boats',
  }));
  const wanted = {
    id: 'wanted',
    message: 'How is a reading checked?\nEach of them, please.',
    reply: ['It is compared. A psy', 'chro', 'meter reads "wet" and "dry', '" at once.'],
    daysAgo: 7,
    workspace: here,
  };
  const open = { ...wanted, id: 'newest', message: 'Which stations are there?', daysAgo: 1 };
  return [...others, wanted, { ...open, reply: ['North and south.'] }];
}

/** Journal of a chat with ten turns, the seventh of which has the reply. */
function journalFor({ id, message, reply, daysAgo, workspace }: OldChat): string {
  const at = Date.now() - daysAgo * day;
  const turns = Array.from({ length: 10 }, (_, index) => index + 1);
  return journalOf(
    id,
    turns.flatMap((turn) => [
      {
        type: 'turn-start' as const,
        id: `turn-${turn}`,
        question: { text: turn === 1 ? message : `Further question ${turn}`, attachments: [] },
        model: 'mistral/mistral-small',
        json: false,
        at: at + turn,
      },
      ...(turn === 7 ? reply : ['There is more to say. '.repeat(40)]).map((text) => ({
        type: 'text-delta' as const,
        text,
        at,
      })),
      { type: 'turn-end' as const, status: 'finished' as const, finishReason: 'stop', at },
    ]),
    workspace,
  );
}
