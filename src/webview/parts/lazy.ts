import { signal } from '@preact/signals';
import { createElement, type ComponentType, type FunctionComponent } from 'preact';

/**
 * A module that is loaded on first use. The returned function gives the module, or undefined until
 * it is loaded; a component that called it is then rendered again.
 */
export function lazyModule<Module>(load: () => Promise<Module>): () => Module | undefined {
  const loaded = signal<Module | undefined>(undefined);
  let isRequested = false;
  return () => {
    if (!isRequested) {
      isRequested = true;
      load().then(
        (module) => (loaded.value = module),
        // The next render retries.
        () => (isRequested = false),
      );
    }
    return loaded.value;
  };
}

/** A component of a module that is loaded on first use. It renders nothing until then. */
export function lazyComponent<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): FunctionComponent<Props> {
  const loaded = lazyModule(load);
  return (props) => {
    const component = loaded();
    return component === undefined ? null : createElement(component, props);
  };
}
