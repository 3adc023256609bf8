import { defineConfig } from 'oxfmt';

export default defineConfig({
  singleQuote: true,
  sortPackageJson: false,
  ignorePatterns: ['package-lock.json'],
});
