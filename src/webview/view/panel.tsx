import type { PlaceStore } from '../host.ts';
import { Composer } from './composer.tsx';
import { EmptyState } from './emptyState.tsx';
import { Notices } from './notices.tsx';
import { useStore } from './storeContext.ts';
import { Transcript } from './transcript.tsx';

/** The whole panel; empty until the host has said what there is to show. */
export function Panel({ place }: { readonly place: PlaceStore }) {
  const store = useStore();
  if (store.panel.value === undefined) return null;
  const { turns, hasStart, hasEnd } = store.window;
  const nothing = turns.value.length === 0 && hasStart.value && hasEnd.value;
  const empty = nothing && store.runningId.value === undefined;
  return (
    <div class={store.runningId.value === undefined ? 'panel' : 'panel running'}>
      <Notices />
      <Transcript key={store.id.value} place={place}>
        {empty && <EmptyState />}
      </Transcript>
      <Composer />
    </div>
  );
}
