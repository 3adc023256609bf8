import { signal } from '@preact/signals';

/**
 * A script that is loaded when it is first needed. The function gives what the script has, undefined
 * until it is there; a component that called it is drawn again then.
 */
export function lazyModule<Module>(load: () => Promise<Module>): () => Module | undefined {
  const loaded = signal<Module | undefined>(undefined);
  let isAsked = false;
  return () => {
    if (!isAsked) {
      isAsked = true;
      load().then(
        (module) => (loaded.value = module),
        // The next one that is drawn tries again.
        () => (isAsked = false),
      );
    }
    return loaded.value;
  };
}
