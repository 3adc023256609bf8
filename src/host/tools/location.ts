import * as vscode from 'vscode';
import type { Location } from '../../core/tools/target.ts';

export function toUri({ scheme, authority, path }: Location): vscode.Uri {
  return vscode.Uri.from({ scheme, authority, path });
}

export function toLocation({ scheme, authority, path }: vscode.Uri): Location {
  return { scheme, authority, path };
}
