import { signal } from '@preact/signals';

/**
 * A script that is loaded when it is first used. The returned function gives its module, or
 * undefined until it is loaded; a component that called it is rendered again then.
 */
export function lazyModule<Module>(load: () => Promise<Module>): () => Module | undefined {
  const loaded = signal<Module | undefined>(undefined);
  let isRequested = false;
  return () => {
    if (!isRequested) {
      isRequested = true;
      load().then(
        (module) => (loaded.value = module),
        // The next render tries again.
        () => (isRequested = false),
      );
    }
    return loaded.value;
  };
}
