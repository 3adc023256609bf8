import { disposeAll, type Disposable } from '../../core/support/disposable.ts';
import { Emitter, type Event } from '../../core/support/emitter.ts';
import type { ModelState } from '../../protocol/messages.ts';
import type { Connection } from './connection.ts';
import type { ModelCatalog } from './modelCatalog.ts';

export interface ModelChoiceOptions {
  readonly settings: {
    current(): { readonly model: string; readonly modelFromWorkspace: boolean };
    readonly onDidChange: Event<unknown>;
  };
  readonly connection: Connection;
  readonly catalog: ModelCatalog;
  /** The models of the demo service; the first answers where the settings name none of them. */
  readonly demoModels: readonly string[];
}

/** The model that the next request asks. */
export class ModelChoice implements Disposable {
  readonly #options: ModelChoiceOptions;
  readonly #changed = new Emitter<ModelState>();
  readonly #listening: Disposable[];

  readonly onDidChange = this.#changed.event;

  constructor(options: ModelChoiceOptions) {
    this.#options = options;
    const tell = (): void => this.#changed.fire(this.current());
    this.#listening = [
      options.settings.onDidChange(tell),
      options.connection.onDidChange(tell),
      options.catalog.onDidChange(tell),
    ];
  }

  /** The choice of the settings. The demo works without one, since it must change no setting. */
  current(): ModelState {
    const { catalog, connection, demoModels, settings } = this.#options;
    const { model: id, modelFromWorkspace: fromWorkspace } = settings.current();
    if (connection.isDemo && !demoModels.includes(id)) {
      return { id: demoModels[0] ?? '', fromWorkspace: false, missing: false };
    }
    const { origin } = connection;
    const missing = id !== '' && origin !== undefined && catalog.lacks(origin, id);
    return { id, fromWorkspace, missing };
  }

  dispose(): void {
    disposeAll(this.#listening);
    this.#changed.dispose();
  }
}
