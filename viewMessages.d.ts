export function viewMessages(): Promise<Readonly<Record<'main' | 'usage' | 'request', string>>>;
