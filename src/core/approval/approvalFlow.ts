import type { ApprovalRequest } from '../conversation/conversation.ts';
import { countChangedLines } from '../edits/lineDiff.ts';
import { raceAbort, TaskQueue } from '../support/async.ts';
import { DeniedByPerson } from '../support/deniedByPerson.ts';
import { ToolError } from '../support/toolError.ts';
import type { ToolContext } from '../tools/tool.ts';
import type { Verdict } from './action.ts';
import type { Approver, DialogResponse } from './gate.ts';
import type { Grants } from './grants.ts';
import type { ApprovalContext, ApprovalStep } from './inspect.ts';
import { evaluatePolicy } from './policy.ts';

export interface ApprovalFlowOptions {
  readonly approver: Approver;
  readonly grants: Grants;
}

type AskVerdict = Extract<Verdict, { type: 'ask' }>;
type AllowVerdict = Extract<Verdict, { type: 'allow' }>;

/** Obtains approval for each step of a call: from the policy, from a grant, or from the person. */
export class ApprovalFlow {
  readonly #options: ApprovalFlowOptions;
  readonly #dialogs = new TaskQueue();

  constructor(options: ApprovalFlowOptions) {
    this.#options = options;
  }

  /**
   * Resolves once the step is approved.
   *
   * @throws {ToolError} with outcome `denied` if it is denied
   */
  async approve(
    step: ApprovalStep,
    approvalContext: ApprovalContext,
    context: ToolContext,
  ): Promise<void> {
    const verdict = this.#decide(step, approvalContext);
    if (verdict.type === 'deny') throw new ToolError(verdict.words, 'denied');
    if (verdict.type === 'allow') return this.#use(verdict, approvalContext, context);
    const allowed =
      verdict.by === 'panel'
        ? await this.#askPanel(step, verdict, approvalContext, context)
        : await this.#askDialog(step, verdict, approvalContext, context);
    await this.#use(allowed, approvalContext, context);
  }

  #decide({ action }: ApprovalStep, approvalContext: ApprovalContext): Verdict {
    return evaluatePolicy(action, approvalContext.situation, (offer) =>
      this.#options.grants.find(offer, approvalContext),
    );
  }

  async #use(
    { grant }: AllowVerdict,
    { workspace }: ApprovalContext,
    context: ToolContext,
  ): Promise<void> {
    if (grant === undefined) return;
    context.runsUnder(this.#options.approver.describe(grant));
    await this.#options.grants.use(grant, workspace);
  }

  #askPanel(
    { changes }: ApprovalStep,
    verdict: AskVerdict,
    approvalContext: ApprovalContext,
    context: ToolContext,
  ): Promise<AllowVerdict> {
    const [offer] = verdict.offers;
    const files = changes.map(({ target, kind, before, after }) => {
      const { added, removed } = countChangedLines(before, after);
      return { path: target.label, kind, addedLines: added, removedLines: removed };
    });
    // The panel opens a single change by the path on its card.
    const cardChanges = changes.map((change) => ({ ...change, path: change.target.label }));
    const request: ApprovalRequest = {
      by: 'panel',
      forChat: offer !== undefined,
      ...(verdict.reason === 'untracked' && { untracked: true }),
      files,
    };
    return context.requestApproval(request, async (signal) => {
      const { approver } = this.#options;
      const click = await approver.panel(cardChanges, request.forChat, context, signal);
      const isGrant = click === 'chat' && offer !== undefined;
      const response: DialogResponse = isGrant
        ? { type: 'grant', offer }
        : { type: click === 'once' ? 'once' : 'deny' };
      return this.#accept(response, verdict, approvalContext, signal);
    });
  }

  /** Shows one dialog at a time: a grant given in one may make the next unnecessary. */
  #askDialog(
    step: ApprovalStep,
    verdict: AskVerdict,
    approvalContext: ApprovalContext,
    context: ToolContext,
  ): Promise<AllowVerdict> {
    const request: ApprovalRequest = { by: 'dialog', forChat: false, files: [] };
    return context.requestApproval(request, (signal) => {
      const allowed = this.#dialogs.run(async (): Promise<AllowVerdict> => {
        signal.throwIfAborted();
        const current = this.#decide(step, approvalContext);
        if (current.type === 'allow') return current;
        const { reason, offers } = verdict;
        const { conversation } = approvalContext;
        const dialogRequest = { subject: step.subject, reason, offers, conversation };
        const response = await this.#options.approver.dialog(dialogRequest, signal);
        return this.#accept(response, verdict, approvalContext, signal);
      });
      return raceAbort(allowed, signal);
    });
  }

  /** Accepts a response only if it was offered, and stores the grant that it may contain. */
  async #accept(
    response: DialogResponse,
    { offers }: AskVerdict,
    approvalContext: ApprovalContext,
    signal: AbortSignal,
  ): Promise<AllowVerdict> {
    signal.throwIfAborted();
    if (response.type === 'once') return { type: 'allow' };
    const offer = offers.find(
      (candidate) => response.type === 'grant' && candidate === response.offer,
    );
    if (offer === undefined)
      throw new DeniedByPerson(response.type === 'deny' ? response.reason : undefined);
    const { grants } = this.#options;
    if (grants.lifeOf(approvalContext.conversation) === approvalContext.life)
      await grants.add(offer, approvalContext);
    return { type: 'allow' };
  }
}
