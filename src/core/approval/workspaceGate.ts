import type { ApprovalRequest } from '../conversation/conversation.ts';
import { countChangedLines } from '../edits/lineDiff.ts';
import { raceAbort, TaskQueue } from '../support/async.ts';
import { DeniedByPerson, ToolError } from '../support/toolError.ts';
import type { ToolContext } from '../tools/tool.ts';
import { readKnownFile, replacedFile, workspaceIdentity } from '../files/disk.ts';
import type { LeftOut, Location, Target } from '../files/places.ts';
import { locateRequestedPath, type PathContext, resolveTarget } from '../files/resolveTarget.ts';
import type { OpenableTarget } from './addresses.ts';
import { isWithinAny, RealPlaces } from './deniedPlaces.ts';
import {
  Approved,
  type ResolvedChange,
  type Approver,
  type DialogResponse,
  type Effect,
  type Gate,
  type PlannedChange,
  type PlannedCommand,
  type PlannedExternalCall,
} from './gate.ts';
import type { Grant, Grants } from './grants.ts';
import {
  type ApprovalContext,
  type ApprovalStep,
  type GateFiles,
  inspectCommand,
  inspectEdit,
  inspectExternal,
  inspectRead,
  type Inspect,
  isSameContext,
  isSameInspection,
  leadsTo,
} from './inspect.ts';
import { evaluatePolicy, type KnownSituation, untrustedWorkspace, type Verdict } from './policy.ts';
import { mayHoldSecrets, unlistedBelow, unsearchedBelow } from './secrets.ts';

export interface WorkspaceGateOptions extends GateFiles {
  readonly approver: Approver;
  readonly grants: Grants;
  readonly situation: (conversation?: string) => KnownSituation & PathContext;
  readonly onError: (error: unknown) => void;
}

type AskVerdict = Extract<Verdict, { type: 'ask' }>;

export class WorkspaceGate implements Gate {
  readonly #options: WorkspaceGateOptions;
  readonly #places: RealPlaces;
  readonly #dialogs = new TaskQueue();

  constructor(options: WorkspaceGateOptions) {
    this.#options = options;
    this.#places = new RealPlaces(options.view);
  }

  read<T>(path: string, context: ToolContext, effect: Effect<Target, T>): Promise<T> {
    return this.#pass(context, inspectRead(path, undefined, this.#options), async (approved) => {
      const result = await effect(approved);
      await this.#requireSame(approved.value, context);
      return result;
    });
  }

  open<T>(
    path: string,
    openedAs: OpenableTarget['openedAs'],
    context: ToolContext,
    effect: Effect<OpenableTarget, T>,
  ): Promise<T> {
    return this.#pass(context, inspectRead(path, openedAs, this.#options), async ({ value }) => {
      const result = await effect(new Approved({ ...value, openedAs }));
      await this.#requireSame(value, context);
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
    effect: Effect<readonly ResolvedChange[], T>,
  ): Promise<T> {
    return this.#pass(context, inspectEdit(changes, this.#options), effect);
  }

  run<T>(
    command: PlannedCommand,
    context: ToolContext,
    effect: Effect<PlannedCommand & { readonly cwd: Target }, T>,
  ): Promise<T> {
    return this.#pass(context, inspectCommand(command, this.#options.view), effect);
  }

  external<T>(
    call: PlannedExternalCall,
    context: ToolContext,
    effect: Effect<PlannedExternalCall, T>,
  ): Promise<T> {
    return this.#pass(context, inspectExternal(call), effect);
  }

  mayShow(label: string): boolean {
    if (mayHoldSecrets(label)) return false;
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
    effect: Effect<Value, T>,
  ): Promise<T> {
    const approved = await this.#denyOnError(context, async () => {
      const first = await inspect(await this.#approvalContext(context));
      for (const step of first.steps) await this.#approve(step, first.context, context);
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

  /**
   * Gets the approval of one step: from the policy, from a grant, or from the person.
   *
   * @throws {ToolError} with outcome `denied` if it is denied
   */
  async #approve(
    step: ApprovalStep,
    approvalContext: ApprovalContext,
    context: ToolContext,
  ): Promise<void> {
    const verdict = this.#decide(step, approvalContext);
    if (verdict.type === 'deny') throw new ToolError(verdict.words, 'denied');
    let grant: Grant | undefined;
    if (verdict.type === 'allow') grant = verdict.grant;
    else if (verdict.by === 'panel') await this.#askPanel(step, verdict, approvalContext, context);
    else grant = await this.#askDialog(step, verdict, approvalContext, context);
    if (grant === undefined) return;
    context.runsUnder(this.#options.approver.describe(grant));
    await this.#options.grants.use(grant, approvalContext.workspace);
  }

  #decide({ action }: ApprovalStep, approvalContext: ApprovalContext): Verdict {
    return evaluatePolicy(action, approvalContext.situation, (offer) =>
      this.#options.grants.find(offer, approvalContext),
    );
  }

  #askPanel(
    { changes }: ApprovalStep,
    verdict: AskVerdict,
    approvalContext: ApprovalContext,
    context: ToolContext,
  ): Promise<void> {
    const [offer] = verdict.offers;
    const files = changes.map(({ target, kind, before, after }) => {
      const { added, removed } = countChangedLines(before, after);
      return { path: target.label, kind, addedLines: added, removedLines: removed };
    });
    const request: ApprovalRequest = {
      by: 'panel',
      forChat: offer !== undefined,
      ...(verdict.reason === 'untracked' && { untracked: true }),
      files,
    };
    return context.requestApproval(request, async (signal) => {
      const { approver } = this.#options;
      const click = await approver.panel(changes, request.forChat, context, signal);
      const isGrant = click === 'chat' && offer !== undefined;
      const response: DialogResponse = isGrant
        ? { type: 'grant', offer }
        : { type: click === 'once' ? 'once' : 'deny' };
      return this.#accept(response, verdict, approvalContext, signal);
    });
  }

  /**
   * Shows one dialog at a time: a grant given in one may make the next unnecessary.
   *
   * @returns the grant that made it unnecessary
   */
  #askDialog(
    step: ApprovalStep,
    verdict: AskVerdict,
    approvalContext: ApprovalContext,
    context: ToolContext,
  ): Promise<Grant | undefined> {
    const request: ApprovalRequest = { by: 'dialog', forChat: false, files: [] };
    return context.requestApproval(request, (signal) => {
      const asked = this.#dialogs.run(async (): Promise<Grant | undefined> => {
        signal.throwIfAborted();
        const current = this.#decide(step, approvalContext);
        if (current.type === 'allow') return current.grant;
        const { reason, offers } = verdict;
        const { conversation } = approvalContext;
        const dialogRequest = { subject: step.subject, reason, offers, conversation };
        const response = await this.#options.approver.dialog(dialogRequest, signal);
        await this.#accept(response, verdict, approvalContext, signal);
        return undefined;
      });
      return raceAbort(asked, signal);
    });
  }

  /**
   * Accepts a response only if it was offered, and stores the grant that it may contain.
   *
   * @throws {DeniedByPerson} for every other response
   */
  async #accept(
    response: DialogResponse,
    { offers }: AskVerdict,
    approvalContext: ApprovalContext,
    signal: AbortSignal,
  ): Promise<void> {
    signal.throwIfAborted();
    if (response.type === 'once') return;
    const offer = offers.find(
      (candidate) => response.type === 'grant' && candidate === response.offer,
    );
    if (offer === undefined)
      throw new DeniedByPerson(response.type === 'deny' ? response.reason : undefined);
    const { grants } = this.#options;
    if (grants.lifeOf(approvalContext.conversation) === approvalContext.life)
      await grants.add(offer, approvalContext);
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
  #requireSame(target: Target, context: ToolContext): Promise<void> {
    return this.#denyOnError(context, async () => {
      const { view, situation } = this.#options;
      if (target.identity === '') return;
      const now = await resolveTarget(target.requested, situation(), view);
      if (!leadsTo(now, target)) throw replacedFile();
    });
  }
}

function changedMeanwhile(): ToolError {
  return new ToolError('It changed while it was being checked. Read it again first.', 'denied');
}
