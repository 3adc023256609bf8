/** Settings with which the composer tells a share of the context window and an amount of money. */
export const pricedModels = {
  'aside.models': {
    'mistral/mistral-small': { contextWindow: 128_000, price: { input: 0.5, output: 1.5 } },
    'mistral/mistral-large': { contextWindow: 128_000, price: { input: 2, output: 6 } },
  },
};
