import { ToolError } from '../support/toolError.ts';
import type { ToolContext } from '../tools/tool.ts';
import { readKnownFile, replacedFile, workspaceIdentity } from '../workspace/disk.ts';
import type { GitLookups } from '../workspace/gitDirectories.ts';
import type { LeftOut, Location, Target } from '../workspace/places.ts';
import { locateRequestedPath, type PathContext } from '../workspace/requestedPath.ts';
import { resolveTarget } from '../workspace/resolveTarget.ts';
import type { KnownSituation } from './action.ts';
import { ApprovalFlow, type ApprovalFlowOptions } from './approvalFlow.ts';
import { isWithinAny } from './deniedPlaces.ts';
import {
  Approved,
  type ApprovedChange,
  type Gate,
  type PlannedChange,
  type PlannedCommand,
  type PlannedExternalCall,
} from './gate.ts';
import {
  inspectRead,
  inspectEdit,
  inspectCommand,
  isSameInspection,
  isSameContext,
  leadsTo,
  type Inspect,
  type ApprovalContext,
} from './inspect.ts';
import { unlistedBelow, unsearchedBelow } from './leftOut.ts';
import type { OpenableTarget, OpenedFilesView } from './addresses.ts';
import { untrustedWorkspace } from './policy.ts';
import { RealPlaces } from './realPlaces.ts';
import { hasSecretName, mayBeKey } from './secrets.ts';

export interface WorkspaceGateOptions extends ApprovalFlowOptions, OpenedFilesView, GitLookups {
  readonly situation: (conversation?: string) => KnownSituation & PathContext;
  readonly onError: (error: unknown) => void;
}

export class WorkspaceGate implements Gate {
  readonly #options: WorkspaceGateOptions;
  readonly #approvalFlow: ApprovalFlow;
  readonly #places: RealPlaces;

  constructor(options: WorkspaceGateOptions) {
    this.#options = options;
    this.#approvalFlow = new ApprovalFlow(options);
    this.#places = new RealPlaces(options.view);
  }

  read<T>(
    path: string,
    context: ToolContext,
    effect: (target: Approved<Target>) => Promise<T>,
  ): Promise<T> {
    return this.#pass(context, inspectRead(path, undefined, this.#options), async (approved) => {
      const result = await effect(approved);
      await this.#denyOnError(context, () => this.#requireSame(approved.value));
      return result;
    });
  }

  open<T>(
    path: string,
    openedAs: OpenableTarget['openedAs'],
    context: ToolContext,
    effect: (target: Approved<OpenableTarget>) => Promise<T>,
  ): Promise<T> {
    return this.#pass(context, inspectRead(path, openedAs, this.#options), async ({ value }) => {
      const result = await effect(new Approved({ ...value, openedAs }));
      await this.#denyOnError(context, () => this.#requireSame(value));
      return result;
    });
  }

  async bytes({ value }: Approved<Target>, most: number): Promise<Uint8Array | undefined> {
    const { location, identity } = value;
    const { view } = this.#options;
    if (view === undefined || location.scheme !== 'file') return undefined;
    return readKnownFile(view, location, { identity }, most);
  }

  edit<T>(
    changes: readonly PlannedChange[],
    context: ToolContext,
    effect: (changes: Approved<readonly ApprovedChange[]>) => Promise<T>,
  ): Promise<T> {
    return this.#pass(context, inspectEdit(changes, this.#options), effect);
  }

  run<T>(
    command: PlannedCommand,
    context: ToolContext,
    effect: (command: Approved<PlannedCommand & { readonly cwd: Target }>) => Promise<T>,
  ): Promise<T> {
    return this.#pass(context, inspectCommand(command, this.#options.view), effect);
  }

  external<T>(
    { tool, identity, input }: PlannedExternalCall,
    context: ToolContext,
    effect: (call: Approved<PlannedExternalCall>) => Promise<T>,
  ): Promise<T> {
    const call = { tool, identity, input };
    const action = { type: 'external', tool, identity } as const;
    const steps = [{ action, changes: [], subject: { type: 'external', call } as const }];
    return this.#pass(
      context,
      (approvalContext) => Promise.resolve({ context: approvalContext, steps, value: call }),
      effect,
    );
  }

  mayShow(label: string): boolean {
    if (hasSecretName(label) || mayBeKey(label)) return false;
    try {
      const situation = this.#options.situation();
      const { denied } = this.#places.latest ?? situation;
      return situation.trusted && !isWithinAny(locateRequestedPath(label, situation), denied);
    } catch {
      return false;
    }
  }

  leftOut(folder: Location, of: 'names' | 'content'): LeftOut {
    const { denied } = this.#places.latest ?? this.#options.situation();
    return of === 'names' ? unlistedBelow(folder, denied) : unsearchedBelow(folder, denied);
  }

  /**
   * Inspects the call, decides, asks the person, inspects again, and immediately runs the effect.
   */
  async #pass<Value, T>(
    context: ToolContext,
    inspect: Inspect<Value>,
    effect: (approved: Approved<Value>) => Promise<T>,
  ): Promise<T> {
    const approved = await this.#denyOnError(context, async () => {
      const first = await inspect(await this.#approvalContext(context));
      for (const step of first.steps)
        await this.#approvalFlow.approve(step, first.context, context);
      const approvalContext = await this.#approvalContext(context);
      if (!isSameContext(first.context, approvalContext)) throw changedMeanwhile();
      const second = await inspect(approvalContext);
      if (!isSameInspection(first, second)) throw changedMeanwhile();
      context.signal.throwIfAborted();
      this.#requireUnchanged(approvalContext, context);
      return new Approved(second.value);
    });
    return effect(approved);
  }

  /**
   * Denies what the person no longer allows, since inspections take time. Synchronous, so that
   * nothing comes between it and the effect.
   */
  #requireUnchanged({ situation, life }: ApprovalContext, context: ToolContext): void {
    context.requireAllowed?.();
    const { conversation } = context;
    const now = this.#options.situation(conversation);
    const isSame =
      now.trusted === situation.trusted &&
      now.askAll === situation.askAll &&
      now.tainted === situation.tainted &&
      this.#options.grants.lifeOf(conversation) === life;
    if (!isSame) throw changedMeanwhile();
  }

  /** Content is dropped if its path led elsewhere while it was read (threats: T22). */
  async #requireSame(target: Target): Promise<void> {
    const { view, situation } = this.#options;
    if (target.identity === '') return;
    const now = await resolveTarget(target.requested, situation(), view);
    if (!leadsTo(now, target)) throw replacedFile();
  }

  /** Any failure inside the gate is a denial (threats: I5). */
  async #denyOnError<T>(context: ToolContext, work: () => Promise<T>): Promise<T> {
    try {
      context.signal.throwIfAborted();
      return await work();
    } catch (error) {
      context.signal.throwIfAborted();
      if (error instanceof ToolError) throw error;
      this.#options.onError(error);
      throw new ToolError('Could not check whether this is allowed.', 'denied');
    }
  }

  async #approvalContext({ conversation }: ToolContext): Promise<ApprovalContext> {
    const { view, grants } = this.#options;
    const situation = this.#options.situation(conversation);
    // Folders of an untrusted workspace are never accessed.
    if (!situation.trusted) throw new ToolError(untrustedWorkspace, 'denied');
    const workspace = await workspaceIdentity(situation.folders, view);
    const storesGrants = workspace !== '';
    const places = await this.#places.find(situation);
    const takesGrants = conversation !== undefined;
    const fullSituation = { ...situation, ...places, storesGrants, takesGrants };
    return { situation: fullSituation, workspace, conversation, life: grants.lifeOf(conversation) };
  }
}

function changedMeanwhile(): ToolError {
  return new ToolError('It changed while it was being checked. Read it again first.', 'denied');
}
