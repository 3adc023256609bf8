/**
 * Settings that give the model a context window and prices, so that the composer shows its use and
 * cost.
 */
export const pricedModels = {
  'aside.models': {
    'mistral/mistral-small': { contextWindow: 128_000, price: { input: 0.5, output: 1.5 } },
    'mistral/mistral-large': { contextWindow: 128_000, price: { input: 2, output: 6 } },
  },
};
