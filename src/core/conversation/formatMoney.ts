/**
 * An amount with as many decimals as it needs to be told from nothing: `$12.30`, `$0.042`,
 * `$0.0012`. A currency that is a word stands apart: `EUR 0.042`.
 */
export function formatMoney(amount: number, currency: string, language: string): string {
  const prefix = /\p{L}$/u.test(currency) ? `${currency} ` : currency;
  if (amount > 0 && amount < 0.0001) return `<${prefix}${format(0.0001, 4, language)}`;
  return prefix + format(amount, decimalsOf(amount), language);
}

function decimalsOf(amount: number): number {
  if (amount === 0 || amount >= 1) return 2;
  return amount >= 0.01 ? 3 : 4;
}

function format(amount: number, decimals: number, language: string): string {
  return amount.toLocaleString(language, {
    minimumFractionDigits: Math.min(2, decimals),
    maximumFractionDigits: decimals,
  });
}
