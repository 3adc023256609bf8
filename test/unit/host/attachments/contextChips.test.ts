import assert from 'node:assert/strict';
import {
  type Attachment,
  type Conversation,
  emptyConversation,
} from '../../../../src/core/conversation/conversation.ts';
import type { ConversationEvent } from '../../../../src/core/conversation/events.ts';
import { Emitter } from '../../../../src/core/support/event.ts';
import { createRedactor } from '../../../../src/core/support/redact.ts';
import { Composer } from '../../../../src/host/attachments/composer.ts';
import {
  OfferedSelection,
  ChatContextChips,
} from '../../../../src/host/attachments/contextChips.ts';
import { Log } from '../../../../src/host/platform/log.ts';
import { ChatPreset } from '../../../../src/host/context/chatPreset.ts';
import { ManualClock } from '../../../support/manualClock.ts';
import { turnStart, turnWith } from '../../../support/turns.ts';
import { FakeLogSink, FakeMemento } from '../fakes.ts';
import { noEvents } from '../../../support/noEvents.ts';
import type { AttachmentChat } from '../../../../src/host/attachments/messageAttachments.ts';

const file: Attachment = {
  id: 'a',
  kind: 'file',
  name: 'a.ts',
  path: 'src/a.ts',
  language: 'ts',
  text: 'A',
};

class Rig {
  readonly #opened = new Emitter<AttachmentChat>();
  readonly #instructionsChanged = new Emitter<[]>();
  readonly #settingsChanged = new Emitter<undefined>();
  readonly all: AttachmentChat[] = [];
  readonly chips: ChatContextChips;
  instructions = '';
  /** Paths for which instruction files were read. */
  readonly reads: (readonly string[])[] = [];

  constructor() {
    this.chips = new ChatContextChips({
      chats: { all: this.all, onDidOpen: this.#opened.event, onDidClose: noEvents },
      settings: {
        current: () => ({ instructions: this.instructions }),
        onDidChange: this.#settingsChanged.event,
      },
      instructions: {
        onDidChange: this.#instructionsChanged.event,
        read: (paths) => {
          this.reads.push(paths);
          return Promise.resolve();
        },
        shownFor: () => [],
      },
      offered: new OfferedSelection(new ManualClock()),
      tokensOf: (characters) => characters,
      log: new Log(new FakeLogSink(), createRedactor(), Promise.resolve()),
    });
    this.chips.follow();
  }

  open(id = 'c') {
    const changes = new Emitter<{ readonly type: 'event'; readonly event: ConversationEvent }>();
    let conversation: Conversation = emptyConversation(id);
    const composer = new Composer(new FakeMemento(), () => Promise.resolve(true));
    const open: AttachmentChat = {
      get conversation() {
        return conversation;
      },
      onDidChange: changes.event,
      setPreset: () => assert.fail(),
      mode: 'ask',
      setMode: () => assert.fail(),
      composer,
      edits: { of: () => undefined },
      images: { save: () => assert.fail(), release: () => assert.fail() },
      preset: new ChatPreset(
        () => undefined,
        {
          onDidChange: noEvents,
          current: () => undefined,
          accepted: () => ({}),
          instructions: () => [],
          refresh: () => assert.fail(),
          accept: () => assert.fail(),
        },
        {
          onDidChange: noEvents,
          current: () => ({ id: 'm', fromWorkspace: false, missing: false }),
        },
      ),
    };
    this.all.push(open);
    this.#opened.fire(open);
    const change = (event: ConversationEvent, next = conversation): void => {
      conversation = next;
      changes.fire({ type: 'event', event });
    };
    return { composer, change, names: () => composer.contextChips.map(({ name }) => name) };
  }

  setInstructions(text: string): void {
    this.instructions = text;
    this.#settingsChanged.fire(undefined);
  }
}

describe('ChatContextChips', () => {
  it('shows the instructions of the person in every open chat, and in those opened later', () => {
    const rig = new Rig();
    const first = rig.open('1');
    assert.deepEqual(first.names(), []);
    rig.setInstructions('Be brief.');
    const second = rig.open('2');
    for (const chat of [first, second]) assert.deepEqual(chat.names(), ['My instructions']);
    rig.setInstructions('  ');
    for (const chat of [first, second]) assert.deepEqual(chat.names(), []);
  });

  it('reads the instructions for the files of the chat and of its next message', () => {
    const rig = new Rig();
    const chat = rig.open();
    assert.equal(rig.reads.length, 0);
    chat.composer.attach(file);
    assert.deepEqual(rig.reads.at(-1), ['src/a.ts']);
    const question = { text: 'Why?', attachments: [{ ...file, path: 'src/b.ts' }] };
    const conversation = { ...emptyConversation('c'), running: turnWith({ question }) };
    chat.change(turnStart({ question }), conversation);
    assert.deepEqual([...(rig.reads.at(-1) ?? [])].sort(), ['src/a.ts', 'src/b.ts']);
  });
});
