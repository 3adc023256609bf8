import type { Situation } from '../../../../src/core/approval/policy.ts';
import { deniedPlaces } from '../../../../src/core/approval/deniedPlaces.ts';
import type {
  DialogResponse,
  DialogRequest,
  ResolvedChange,
  PlannedChange,
} from '../../../../src/core/approval/gate.ts';
import type { EditorView, OpenableTarget } from '../../../../src/core/approval/addresses.ts';
import { Grants } from '../../../../src/core/approval/grants.ts';
import { WorkspaceGate } from '../../../../src/core/approval/workspaceGate.ts';
import type { ApprovalRequest } from '../../../../src/core/conversation/conversation.ts';
import { systemClock } from '../../../../src/core/support/clock.ts';
import type { ToolContext } from '../../../../src/core/tools/tool.ts';
import { FakeMemento } from '../../host/fakes.ts';
import { FakeDisk } from '../files/fakeDisk.ts';
import { fileAt } from './policyRig.ts';

type Reply = DialogResponse['type'];

/** A gate with a disk in memory and scripted answers of the person. */
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
  readonly log: string[] = [];
  readonly dialogs: DialogRequest[] = [];
  readonly panels: { changes: readonly ResolvedChange[]; forChat: boolean }[] = [];
  readonly requests: ApprovalRequest[] = [];
  readonly errors: unknown[] = [];
  readonly stop = new AbortController();
  /** Conversation of the calls; undefined for a caller without one. */
  conversation: string | undefined = 'conversation';
  /** Answer to each dialog. A function runs while the dialog is open. */
  reply: Reply | (() => Reply | Promise<Reply>) = 'deny';
  click: 'once' | 'chat' | 'deny' | (() => 'once' | 'chat' | 'deny') = 'deny';
  /** Index of the offer that the answer `grant` accepts. */
  grantedOffer = -1;
  /** How the editor would open a file; undefined if the file is already open. */
  opens: (path: string, openedAs: string | undefined) => ReturnType<EditorView['opens']> = () =>
    undefined;
  skill = '/skills/notes';
  /** Name of the adapter that throws. */
  broken: 'situation' | 'panel' | 'dialog' | 'describe' | 'store' | 'ask' | undefined;
  #hasThrown = false;
  /** Response of each dialog, even one that it did not offer. */
  forcedResponse: DialogResponse | undefined;
  readonly #state = new FakeMemento();

  /** @param options `isVirtual`: links can't be resolved, as in a virtual workspace */
  constructor({ isVirtual = false } = {}) {
    const store = {
      read: (workspace: string): readonly unknown[] => {
        this.#throwIfBroken('store');
        const keys = [...this.#state.stored.keys()].filter((key) =>
          key.startsWith(`${workspace} `),
        );
        return keys.map((key) => this.#state.get(key));
      },
      write: async (workspace: string, key: string, record: unknown): Promise<void> => {
        await Promise.resolve();
        this.#throwIfBroken('store');
        await this.#state.update(`${workspace} ${key}`, record);
      },
    };
    this.grants = new Grants(store, systemClock, '0');
    this.gate = new WorkspaceGate({
      view: isVirtual ? undefined : this.disk,
      exists: async (location) => (await this.disk.status(location)) !== undefined,
      editor: {
        opens: ({ location }, openedAs) => this.opens(location.path, openedAs),
        read: () => Promise.reject(new Error('Everything is on the disk.')),
      },
      isOfSkill: ({ path }) =>
        Promise.resolve(path === this.skill || path.startsWith(`${this.skill}/`)),
      grants: this.grants,
      situation: () => {
        this.#throwIfBroken('situation');
        return { ...this.situation, platform: 'linux' };
      },
      approver: {
        panel: async (changes, forChat) => {
          await Promise.resolve();
          this.#throwIfBroken('panel');
          this.panels.push({ changes, forChat });
          return typeof this.click === 'function' ? this.click() : this.click;
        },
        dialog: async (request) => {
          await Promise.resolve();
          this.#throwIfBroken('dialog');
          this.dialogs.push(request);
          this.log.push('dialog');
          if (this.forcedResponse !== undefined) return this.forcedResponse;
          const reply = typeof this.reply === 'function' ? await this.reply() : this.reply;
          if (reply !== 'grant') return { type: reply };
          const offer = request.offers.at(this.grantedOffer);
          return offer === undefined ? { type: 'deny' } : { type: 'grant', offer };
        },
        describe: ({ scope }) => {
          this.#throwIfBroken('describe');
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
      requestApproval: async (request, answer) => {
        this.#throwIfBroken('ask');
        this.requests.push(request);
        return answer(signal);
      },
      runsUnder: (grant) => this.log.push(`under ${grant}`),
    };
  }

  readonly effect = (approved: { readonly value: unknown }): Promise<string> => {
    this.log.push('effect');
    return Promise.resolve(JSON.stringify(approved.value));
  };

  get effects(): number {
    return this.log.filter((line) => line === 'effect').length;
  }

  /** True if the broken adapter was called. */
  get hasThrown(): boolean {
    return this.#hasThrown || this.disk.failed;
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

  #throwIfBroken(name: typeof this.broken): void {
    if (this.broken !== name) return;
    this.#hasThrown = true;
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
