import { DiskFiles } from '../../../../src/host/node/diskFiles.ts';
import { describeKeptFiles } from '../../../support/keptFilesContract.ts';
import { diskFolder, segmentFolder } from '../../../support/keptFolders.ts';
import { runs } from '../../../support/sample.ts';
import { virtualFiles } from '../../../support/virtualFiles.ts';

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
