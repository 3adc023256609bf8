export interface ZippedFile {
  readonly name: string;
  readonly contents: Buffer;
  /** In the format of DOS. */
  readonly date: number;
  /** Rights, as Unix writes them. */
  readonly attributes: number;
}

export declare function readZip(zip: Buffer): ZippedFile[];
export declare function writeZip(files: readonly ZippedFile[]): Promise<Buffer>;
