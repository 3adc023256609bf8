/** What of the composer is not needed to write and send: loaded as soon as the panel is painted. */
export { ComposerTop } from './composerTop.tsx';
export { CostLine } from './costLine.tsx';
