import { ToolError } from '../support/toolError.ts';
import type { ToolContext } from '../tools/tool.ts';
import { workspaceIdentity } from '../workspace/disk.ts';
import type { Target } from '../workspace/places.ts';
import { locateRequested, type Surroundings } from '../workspace/requestedPath.ts';
import type { KnownSituation } from './action.ts';
import { Consent, type ConsentNeeds } from './approvalFlow.ts';
import { isWithinAny } from './deniedPlaces.ts';
import {
  Approved,
  type ApprovedChange,
  type Gate,
  type PlannedChange,
  type PlannedCommand,
  type PlannedExternal,
} from './gate.ts';
import {
  examine,
  lookAtEdit,
  lookAtRun,
  isSamePassage,
  isSameScene,
  type EditNeeds,
  type Look,
  type Scene,
} from './inspect.ts';
import { untrusted } from './policy.ts';
import { hasSecretName, mayBeKey } from './protectedFiles.ts';
import { RealPlaces } from './realPlaces.ts';

export interface GateNeeds extends ConsentNeeds, EditNeeds {
  /** As it is now. */
  readonly situation: () => KnownSituation & Surroundings;
  /** Hears why the gate denied where it could not find out what it had to. */
  readonly onError: (error: unknown) => void;
}

/** The gate of a workspace. */
export class WorkspaceGate implements Gate {
  readonly #needs: GateNeeds;
  readonly #consent: Consent;
  readonly #places: RealPlaces;

  constructor(needs: GateNeeds) {
    this.#needs = needs;
    this.#consent = new Consent(needs);
    this.#places = new RealPlaces(needs.view);
  }

  read<T>(
    path: string,
    context: ToolContext,
    effect: (target: Approved<Target>) => Promise<T>,
  ): Promise<T> {
    const look: Look<Target> = async (scene) => {
      const subject = await examine(path, scene.situation, this.#needs.view);
      const { target } = subject;
      const action = { type: 'read', subject } as const;
      const steps = [{ action, changes: [], subject: { type: 'read', target } as const }];
      return { scene, steps, value: target };
    };
    return this.#pass(context, look, effect);
  }

  edit<T>(
    changes: readonly PlannedChange[],
    context: ToolContext,
    effect: (changes: Approved<readonly ApprovedChange[]>) => Promise<T>,
  ): Promise<T> {
    return this.#pass(context, lookAtEdit(changes, this.#needs), effect);
  }

  run<T>(
    command: PlannedCommand,
    context: ToolContext,
    effect: (command: Approved<PlannedCommand & { readonly cwd: Target }>) => Promise<T>,
  ): Promise<T> {
    return this.#pass(context, lookAtRun(command, this.#needs.view), effect);
  }

  external<T>(
    { tool, identity, input }: PlannedExternal,
    context: ToolContext,
    effect: (call: Approved<PlannedExternal>) => Promise<T>,
  ): Promise<T> {
    const call = { tool, identity, input };
    const action = { type: 'external', tool, identity } as const;
    const steps = [{ action, changes: [], subject: { type: 'external', call } as const }];
    return this.#pass(context, (scene) => Promise.resolve({ scene, steps, value: call }), effect);
  }

  mayShow(label: string): boolean {
    if (hasSecretName(label) || mayBeKey(label)) return false;
    try {
      const situation = this.#needs.situation();
      const { denied } = this.#places.latest ?? situation;
      return situation.trusted && !isWithinAny(locateRequested(label, situation), denied);
    } catch {
      return false;
    }
  }

  /** Looks, decides, asks, looks again, and at once goes through. */
  async #pass<Value, T>(
    context: ToolContext,
    look: Look<Value>,
    effect: (approved: Approved<Value>) => Promise<T>,
  ): Promise<T> {
    const approved = await this.#denyOnError(context, async () => {
      const first = await look(await this.#scene());
      for (const step of first.steps) await this.#consent.get(step, first.scene, context);
      const scene = await this.#scene();
      if (!isSameScene(first.scene, scene)) throw changedMeanwhile();
      const second = await look(scene);
      if (!isSamePassage(first, second)) throw changedMeanwhile();
      context.signal.throwIfAborted();
      return new Approved(second.value);
    });
    return effect(approved);
  }

  /** Whatever goes wrong in the gate is a denial (threats: I5). */
  async #denyOnError<T>(context: ToolContext, work: () => Promise<T>): Promise<T> {
    try {
      context.signal.throwIfAborted();
      return await work();
    } catch (error) {
      context.signal.throwIfAborted();
      if (error instanceof ToolError) throw error;
      this.#needs.onError(error);
      throw new ToolError('It could not be checked whether this is allowed.', 'denied');
    }
  }

  async #scene(): Promise<Scene> {
    const { view, grants } = this.#needs;
    const situation = this.#needs.situation();
    // Nothing of a folder that nobody trusts is looked at.
    if (!situation.trusted) throw new ToolError(untrusted, 'denied');
    const workspace = await workspaceIdentity(situation.folders, view);
    const storesGrants = workspace !== '';
    const places = await this.#places.find(situation);
    const found = { ...situation, ...places, storesGrants };
    return { situation: found, workspace, chat: grants.chat };
  }
}

function changedMeanwhile(): ToolError {
  return new ToolError('It changed while it was checked. Look at it again first.', 'denied');
}
