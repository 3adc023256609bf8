import * as l10n from '@vscode/l10n';
import type { ModelState } from '../../protocol/messages.ts';
import { Icon } from './iconButton.tsx';
import { useStore } from './storeContext.ts';

/** Shows the model that answers the next question, and offers others. */
export function ModelButton() {
  const store = useStore();
  const model = store.panel.value?.model;
  if (model === undefined) return null;
  const { id, fromWorkspace, missing } = model;
  return (
    <button
      type="button"
      class={missing ? 'model-button missing' : 'model-button'}
      aria-label={id === '' ? l10n.t('Model: none') : l10n.t('Model: {0}', id)}
      title={describe(model)}
      onClick={() => void store.request({ type: 'run', command: 'selectModel' })}
    >
      {missing && <Icon name="warning" />}
      {fromWorkspace && <Icon name="root-folder" />}
      <span class="model-name">{id === '' ? l10n.t('Select Model…') : id}</span>
      <Icon name="chevron-down" />
    </button>
  );
}

function describe({ id, fromWorkspace, missing }: ModelState): string {
  if (id === '') return l10n.t('Choose the model that answers.');
  return [
    id,
    ...(fromWorkspace ? [l10n.t("Chosen by this workspace's settings.")] : []),
    ...(missing ? [l10n.t('The service does not list this model any more. Choose another.')] : []),
  ].join('\n');
}
