import {
  Approved,
  type ResolvedChange,
  type Gate,
  type PlannedChange,
  type PlannedCommand,
  type PlannedExternalCall,
} from '../../src/core/approval/gate.ts';
import type { OpenableTarget } from '../../src/core/approval/addresses.ts';
import { ToolError } from '../../src/core/support/toolError.ts';
import { AllowedText, type ToolContext } from '../../src/core/tools/tool.ts';
import type { LeftOut, Location, Target } from '../../src/core/files/places.ts';
import { nothingLeftOut } from './nothingLeftOut.ts';

/** A gate that approves everything by default, and records its requests. */
export class GrantingGate implements Gate {
  readonly #locate: (path: string) => Location;
  /** Paths that were read, and lists of changes, in order. */
  readonly requests: (string | readonly PlannedChange[])[] = [];
  readonly commands: PlannedCommand[] = [];
  readonly calls: PlannedExternalCall[] = [];
  /** True if paths still lead to the files that were approved. */
  isInPlace: () => boolean = () => true;
  /** Denies everything except reading. */
  denies = false;
  /** Decides about an edit. Edits are allowed if absent. */
  panel: ((changes: readonly ResolvedChange[]) => Promise<'once' | 'chat' | 'deny'>) | undefined;
  /** Runs while the approval is pending. */
  meanwhile: () => Promise<void> = () => Promise.resolve();

  constructor(locate: (path: string) => Location) {
    this.#locate = locate;
  }

  /** Changes of the last edit. */
  get changes(): readonly PlannedChange[] {
    return this.requests.findLast((request) => typeof request !== 'string') ?? [];
  }

  read<T>(
    path: string,
    _context: ToolContext,
    effect: (target: Approved<Target>) => Promise<T>,
  ): Promise<T> {
    this.requests.push(path);
    return effect(new Approved(this.#target(path)));
  }

  open<T>(
    path: string,
    openedAs: OpenableTarget['openedAs'],
    _context: ToolContext,
    effect: (target: Approved<OpenableTarget>) => Promise<T>,
  ): Promise<T> {
    this.requests.push(path);
    return effect(new Approved({ ...this.#target(path), openedAs }));
  }

  async edit<T>(
    changes: readonly PlannedChange[],
    _context: ToolContext,
    effect: (changes: Approved<readonly ResolvedChange[]>) => Promise<T>,
  ): Promise<T> {
    this.requests.push(changes);
    await this.#decide();
    const approved = changes.map((change) => ({
      ...change,
      target: this.#target(change.path),
      ofGit: false,
      isInPlace: () => Promise.resolve(this.isInPlace()),
    }));
    if ((await this.panel?.(approved)) === 'deny') throw new ToolError('Denied.', 'denied');
    return effect(new Approved(approved));
  }

  async run<T>(
    command: PlannedCommand,
    _context: ToolContext,
    effect: (command: Approved<PlannedCommand & { readonly cwd: Target }>) => Promise<T>,
  ): Promise<T> {
    this.commands.push(command);
    await this.#decide();
    return effect(new Approved({ ...command, cwd: this.#target(command.folder, 'folder') }));
  }

  async external<T>(
    call: PlannedExternalCall,
    _context: ToolContext,
    effect: (call: Approved<PlannedExternalCall>) => Promise<T>,
  ): Promise<T> {
    this.calls.push(call);
    await this.#decide();
    return effect(new Approved(call));
  }

  bytes(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  mayShow(): boolean {
    return true;
  }

  leftOut(): LeftOut {
    return nothingLeftOut;
  }

  async #decide(): Promise<void> {
    await this.meanwhile();
    if (this.denies) throw new ToolError('Denied.', 'denied');
  }

  #target(path: string, kind: Target['kind'] = 'file'): Target {
    const location = this.#locate(path);
    return {
      requested: path,
      location,
      named: location,
      label: path,
      inside: true,
      kind,
      identity: '',
      hardLinks: 1,
      executable: false,
    };
  }
}

/** A context that answers approval requests at once. */
export function toolContext(turn = 't', signal = new AbortController().signal): ToolContext {
  return {
    turn,
    call: 'c',
    signal,
    print: () => undefined,
    requestApproval: (_question, answer) => answer(signal),
    runsUnder: () => undefined,
  };
}

/** Text of a tool's result. */
export function resultText(result: string | AllowedText): string {
  return result instanceof AllowedText ? result.text : result;
}
