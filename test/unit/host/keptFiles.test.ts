import { DiskFiles } from '../../../src/host/node/diskFiles.ts';
import { diskVsCode } from '../../support/diskVsCode.ts';
import { describeKeptFiles } from '../../support/keptFilesContract.ts';
import { diskFolder, segmentFolder } from '../../support/keptFolders.ts';
import { runs } from '../../support/sample.ts';
import { withFakeVsCode } from '../../support/withFakeVsCode.ts';

const virtualFiles = await withFakeVsCode(diskVsCode, async () => {
  const { VirtualFiles } = await import('../../../src/host/virtualFiles.ts');
  const { Uri } = await import('vscode');
  return (folder: string) => new VirtualFiles(Uri.file(folder));
});

describeKeptFiles('on the disk', {
  open: () => diskFolder((folder) => new DiskFiles(folder)),
  isDisk: true,
  numRuns: runs(80),
});

describeKeptFiles('without a disk', {
  open: () => segmentFolder(virtualFiles),
  isDisk: false,
  numRuns: runs(80),
});
