import type { KeptFiles } from '../../src/host/platform/keptFiles.ts';
import { diskVsCode } from './diskVsCode.ts';
import { withFakeVsCode } from './withFakeVsCode.ts';

/** The implementation of kept files without Node, in a folder on the disk. */
export const virtualFiles = await withFakeVsCode(diskVsCode, async () => {
  const { VirtualFiles } = await import('../../src/host/platform/virtualFiles.ts');
  const { Uri } = await import('vscode');
  return (folder: string): KeptFiles => new VirtualFiles(Uri.file(folder));
});
