import * as vscode from 'vscode';
import { DiskFiles } from '../../src/host/node/diskFiles.ts';
import { VirtualFiles } from '../../src/host/platform/virtualFiles.ts';
import { describeKeptFiles } from '../support/keptFilesContract.ts';
import { diskFolder, segmentFolder } from '../support/keptFolders.ts';

describeKeptFiles('on the disk, in VS Code', {
  open: () => diskFolder((folder) => new DiskFiles(folder)),
  isDisk: true,
  numRuns: 4,
});

describeKeptFiles("of VS Code's file system", {
  open: () => segmentFolder((folder) => new VirtualFiles(vscode.Uri.file(folder))),
  isDisk: false,
  numRuns: 4,
});
