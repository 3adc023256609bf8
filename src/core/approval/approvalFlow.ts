import type { ToolQuestion } from '../conversation/conversation.ts';
import { abortable } from '../support/async.ts';
import { ToolError } from '../support/toolError.ts';
import type { ToolContext } from '../tools/tool.ts';
import type { Verdict } from './action.ts';
import type { Approver, DialogAnswer } from './gate.ts';
import type { Grants } from './grants.ts';
import type { Scene, Step } from './inspect.ts';
import { decide } from './policy.ts';

export interface ConsentNeeds {
  readonly approver: Approver;
  readonly grants: Grants;
  /** How many lines a change adds and takes away. */
  readonly countChangedLines: (
    before: string,
    after: string,
  ) => { readonly added: number; readonly removed: number };
}

type Asking = Extract<Verdict, { type: 'ask' }>;
type Allowed = Extract<Verdict, { type: 'allow' }>;

/** Gets a yes for each step of a call: from the policy, from a grant, or from the person. */
export class Consent {
  readonly #needs: ConsentNeeds;
  /** The last of the dialogs, which come one after another. */
  #dialogs: Promise<unknown> = Promise.resolve();

  constructor(needs: ConsentNeeds) {
    this.#needs = needs;
  }

  /** @throws {ToolError} of outcome `denied` where the answer is no. */
  async get(step: Step, scene: Scene, context: ToolContext): Promise<void> {
    const verdict = this.#decide(step, scene);
    if (verdict.type === 'deny') throw new ToolError(verdict.words, 'denied');
    if (verdict.type === 'allow') return this.#use(verdict, scene, context);
    const allowed =
      verdict.by === 'panel'
        ? await this.#askPanel(step, verdict, scene, context)
        : await this.#askDialog(step, verdict, scene, context);
    await this.#use(allowed, scene, context);
  }

  #decide({ action }: Step, { situation, workspace }: Scene): Verdict {
    return decide(action, situation, (offer) => this.#needs.grants.find(offer, workspace));
  }

  async #use({ grant }: Allowed, { workspace }: Scene, context: ToolContext): Promise<void> {
    if (grant === undefined) return;
    context.runsUnder(this.#needs.approver.describe(grant));
    await this.#needs.grants.use(grant, workspace);
  }

  #askPanel(
    { changes }: Step,
    verdict: Asking,
    scene: Scene,
    context: ToolContext,
  ): Promise<Allowed> {
    const [offer] = verdict.offers;
    const files = changes.map(({ target, kind, before, after }) => {
      const { added, removed } = this.#needs.countChangedLines(before, after);
      return { path: target.label, kind, addedLines: added, removedLines: removed };
    });
    // Named as in the card, so that one of them can be asked for.
    const shown = changes.map((change) => ({ ...change, path: change.target.label }));
    const question: ToolQuestion = { by: 'panel', forChat: offer !== undefined, files };
    return context.ask(question, async (signal) => {
      const { approver } = this.#needs;
      const click = await approver.panel(shown, question.forChat, context, signal);
      const isGrant = click === 'chat' && offer !== undefined;
      const answer: DialogAnswer = isGrant
        ? { type: 'grant', offer }
        : { type: click === 'once' ? 'once' : 'deny' };
      return this.#take(answer, verdict, scene, signal);
    });
  }

  /** One dialog at a time: what a person allowed in one may answer the next. */
  #askDialog(step: Step, verdict: Asking, scene: Scene, context: ToolContext): Promise<Allowed> {
    const question: ToolQuestion = { by: 'dialog', forChat: false, files: [] };
    return context.ask(question, (signal) => {
      const allowed = this.#dialogs.then(async (): Promise<Allowed> => {
        signal.throwIfAborted();
        const now = this.#decide(step, scene);
        if (now.type === 'allow') return now;
        const { reason, offers } = verdict;
        const asked = { subject: step.subject, reason, offers };
        const answer = await this.#needs.approver.dialog(asked, signal);
        return this.#take(answer, verdict, scene, signal);
      });
      this.#dialogs = allowed.catch(() => undefined);
      return abortable(allowed, signal);
    });
  }

  /** Believes an answer that was possible, and remembers what it allows for longer. */
  async #take(
    answer: DialogAnswer,
    { offers }: Asking,
    { chat, workspace }: Scene,
    signal: AbortSignal,
  ): Promise<Allowed> {
    signal.throwIfAborted();
    if (answer.type === 'once') return { type: 'allow' };
    const offer = offers.find((one) => answer.type === 'grant' && one === answer.offer);
    if (offer === undefined) throw new ToolError(deniedByPerson, 'denied');
    const { grants } = this.#needs;
    if (grants.chat === chat) await grants.add(offer, workspace);
    return { type: 'allow' };
  }
}

const deniedByPerson =
  'The person denied this. Do not try it another way; ask what they would like instead.';
