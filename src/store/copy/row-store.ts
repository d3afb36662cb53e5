import type { Value } from "../sql/work.ts";
import type { CopiedTable } from "./copied-tables.ts";

/** Is a database whose rows are read or written as they are, in one transaction. */
export interface RowStore {
  /** Names the file or the database, without a password. */
  readonly place: string;
  /** Lists the columns of a table. */
  listColumns(table: CopiedTable): Promise<string[]>;
  count(table: CopiedTable): Promise<number>;
  /** Reads all rows, a few at a time, with their values in the order of the columns. */
  read(table: CopiedTable, columns: readonly string[]): AsyncGenerator<CopiedRow[]>;
  write(table: CopiedTable, columns: readonly string[], rows: readonly CopiedRow[]): Promise<void>;
  /** Keeps what was written. Without it, closing takes everything back. */
  commit(): Promise<void>;
  close(): Promise<void>;
}

export type CopiedRow = readonly Value[];
