import type { Situation } from '../../../../src/core/approval/action.ts';
import { deniedPlaces } from '../../../../src/core/approval/deniedPlaces.ts';
import type {
  DialogResponse,
  DialogRequest,
  ApprovedChange,
  PlannedChange,
} from '../../../../src/core/approval/gate.ts';
import type { EditorView, OpenableTarget } from '../../../../src/core/approval/openedFiles.ts';
import { Grants } from '../../../../src/core/approval/grants.ts';
import { WorkspaceGate } from '../../../../src/core/approval/workspaceGate.ts';
import type { ApprovalRequest } from '../../../../src/core/conversation/conversation.ts';
import { systemClock } from '../../../../src/core/support/clock.ts';
import type { ToolContext } from '../../../../src/core/tools/tool.ts';
import { FakeMemento } from '../../host/fakes.ts';
import { FakeDisk } from '../workspace/fakeDisk.ts';
import { fileAt } from './policyRig.ts';

type Reply = DialogResponse['type'];

/** A gate in front of a disk in memory, and a person who answers as told. */
export class GateRig {
  readonly disk = new FakeDisk()
    .file('/ws/src/app.ts', 'text')
    .file('/ws/package.json', '{}')
    .file('/ws/.env', 'KEY=1')
    .file('/ws/tool.key', 'hello')
    .file('/out/notes.txt', 'notes')
    .link('/ws/link.txt', '/out/notes.txt')
    .file('/skills/notes/SKILL.md', 'Do it well.')
    .file('/skills/notes/.env', 'KEY=1')
    .link('/skills/notes/link.txt', '/out/notes.txt')
    .file('/home/me/.ssh/id_rsa', 'key');
  readonly situation: { -readonly [K in keyof Situation]: Situation[K] } = {
    trusted: true,
    askAll: false,
    tainted: false,
    folders: [{ name: 'ws', location: fileAt('/ws') }],
    home: fileAt('/home/me'),
    linkedFromHome: [],
    denied: deniedPlaces([fileAt('/home/me')], []),
    storesGrants: true,
    takesGrants: true,
  };
  readonly grants: Grants;
  readonly gate: WorkspaceGate;
  /** Everything that happened, in order. */
  readonly log: string[] = [];
  readonly dialogs: DialogRequest[] = [];
  readonly panels: { changes: readonly ApprovedChange[]; forChat: boolean }[] = [];
  readonly questions: ApprovalRequest[] = [];
  readonly errors: unknown[] = [];
  readonly stop = new AbortController();
  /** The conversation that the calls belong to. */
  conversation: string | undefined = 'conversation';
  /** The answer to each dialog, and what happens while it is open. */
  reply: Reply | (() => Reply | Promise<Reply>) = 'deny';
  click: 'once' | 'chat' | 'deny' | (() => 'once' | 'chat' | 'deny') = 'deny';
  /** Which of the offers the answer `grant` takes. */
  granted = -1;
  /** What the editor opens; nothing, where it has the file open. */
  opens: (path: string, openedAs: string | undefined) => ReturnType<EditorView['opens']> = () =>
    undefined;
  /** Addresses that settings of the workspace assign to every file. */
  assigned: readonly string[] = [];
  /** The folder of an allowed skill. */
  skill = '/skills/notes';
  /** Throws in the adapter of this name. */
  broken: 'situation' | 'panel' | 'dialog' | 'describe' | 'store' | 'ask' | undefined;
  /** Whether the broken adapter was called. */
  #touched = false;
  /** What a dialog answers that nobody should believe. */
  answerWith: DialogResponse | undefined;
  readonly #state = new FakeMemento();

  /** @param options whether links are looked up, which they aren't in a virtual folder */
  constructor({ isVirtual = false } = {}) {
    const store = {
      read: (workspace: string): readonly unknown[] => {
        this.#work('store');
        const keys = [...this.#state.stored.keys()].filter((key) =>
          key.startsWith(`${workspace} `),
        );
        return keys.map((key) => this.#state.get(key));
      },
      write: async (workspace: string, key: string, record: unknown): Promise<void> => {
        await Promise.resolve();
        this.#work('store');
        await this.#state.update(`${workspace} ${key}`, record);
      },
    };
    this.grants = new Grants({
      store,
      clock: systemClock,
      major: '0',
    });
    this.gate = new WorkspaceGate({
      view: isVirtual ? undefined : this.disk,
      exists: async (location) => (await this.disk.status(location)) !== undefined,
      editor: {
        opens: ({ location }, openedAs) => this.opens(location.path, openedAs),
        assigned: () => this.assigned,
        read: () => Promise.reject(new Error('Everything is on the disk.')),
      },
      isOfSkill: ({ path }) =>
        Promise.resolve(path === this.skill || path.startsWith(`${this.skill}/`)),
      grants: this.grants,
      situation: () => {
        this.#work('situation');
        return { ...this.situation, platform: 'linux' };
      },
      approver: {
        panel: async (changes, forChat) => {
          await Promise.resolve();
          this.#work('panel');
          this.panels.push({ changes, forChat });
          return typeof this.click === 'function' ? this.click() : this.click;
        },
        dialog: async (question) => {
          await Promise.resolve();
          this.#work('dialog');
          this.dialogs.push(question);
          this.log.push('dialog');
          if (this.answerWith !== undefined) return this.answerWith;
          const reply = typeof this.reply === 'function' ? await this.reply() : this.reply;
          if (reply !== 'grant') return { type: reply };
          const offer = question.offers.at(this.granted);
          return offer === undefined ? { type: 'deny' } : { type: 'grant', offer };
        },
        describe: ({ scope }) => {
          this.#work('describe');
          return scope.type;
        },
      },
      onError: (error) => this.errors.push(error),
    });
  }

  context({ signal } = this.stop): ToolContext {
    return {
      conversation: this.conversation,
      turn: 't',
      call: 'c',
      signal,
      print: () => undefined,
      requestApproval: async (question, answer) => {
        this.#work('ask');
        this.questions.push(question);
        return answer(signal);
      },
      runsUnder: (grant) => this.log.push(`under ${grant}`),
    };
  }

  /** What a tool does with what it gets. */
  readonly effect = (approved: { readonly value: unknown }): Promise<string> => {
    this.log.push('effect');
    return Promise.resolve(JSON.stringify(approved.value));
  };

  get effects(): number {
    return this.log.filter((line) => line === 'effect').length;
  }

  get touched(): boolean {
    return this.#touched || this.disk.failed;
  }

  read(path: string): Promise<string> {
    return this.gate.read(path, this.context(), this.effect);
  }

  open(path: string, openedAs: OpenableTarget['openedAs'] = 'editor'): Promise<string> {
    return this.gate.open(path, openedAs, this.context(), this.effect);
  }

  edit(...changes: readonly PlannedChange[]): Promise<string> {
    return this.gate.edit(changes, this.context(), this.effect);
  }

  run(command: string, folder = ''): Promise<string> {
    return this.gate.run({ command, folder, shell: 'bash' }, this.context(), this.effect);
  }

  external(input = '{}', identity = 'sample-1'): Promise<string> {
    return this.gate.external({ tool: 'sample', identity, input }, this.context(), this.effect);
  }

  #work(name: typeof this.broken): void {
    if (this.broken !== name) return;
    this.#touched = true;
    throw new Error(`broken ${String(name)}`);
  }
}

export function change(path: string, more: Partial<PlannedChange> = {}): PlannedChange {
  return {
    kind: 'edit',
    path,
    before: 'text',
    after: 'more text',
    isCurrent: () => Promise.resolve(true),
    ...more,
  };
}
