import { DuetError, type ErrorCode, getMessage } from "../../kit/errors.ts";
import type { Text } from "../../kit/locale.ts";
import type { Conversion, ConvertedText } from "../builtin/format-data/convert.ts";
import type { TableAnswer, TableQuery } from "../builtin/table-query/query-table.ts";
import type { DocumentResult } from "../documents/document.ts";
import type { DocumentBytes } from "../documents/read-kind.ts";
import type { PageBytes, PageResult } from "../page/page.ts";

// The jobs need large modules, which are imported when the first job needs them.
const jobs: { [Name in JobName]: (input: Input<Name>) => Promise<Output<Name>> } = {
  async page(page) {
    const { readBytes } = await import("../page/read-bytes.ts");
    // A Buffer arrives as a Buffer, which the reader of PDFs does not accept.
    return readBytes({ ...page, bytes: new Uint8Array(page.bytes) });
  },
  async document(document) {
    const { readKind } = await import("../documents/read-kind.ts");
    return readKind({ ...document, bytes: new Uint8Array(document.bytes) });
  },
  async convert(conversion) {
    const { convert } = await import("../builtin/format-data/convert.ts");
    return convert(conversion);
  },
  async query(query) {
    const { answerQuery } = await import("../builtin/table-query/query-table.ts");
    return answerQuery(query);
  },
};

/** Does one job. Never rejects. */
export async function runJob<Name extends JobName>({ name, input }: Job<Name>): Promise<JobReply<Name>> {
  try {
    return { output: await jobs[name](input) };
  } catch (thrown) {
    if (thrown instanceof DuetError) return { refused: { code: thrown.code, text: thrown.text } };
    return { failed: getMessage(thrown) };
  }
}

interface Jobs {
  page: { input: PageBytes; output: PageResult };
  document: { input: DocumentBytes; output: DocumentResult };
  convert: { input: Conversion; output: ConvertedText };
  query: { input: TableQuery; output: TableAnswer };
}

export type JobName = keyof Jobs;

export type Input<Name extends JobName> = Jobs[Name]["input"];

export type Output<Name extends JobName> = Jobs[Name]["output"];

export interface Job<Name extends JobName = JobName> {
  name: Name;
  input: Input<Name>;
}

/** Carries the result, an error that the job expects, or one that it does not. */
export type JobReply<Name extends JobName = JobName> =
  | { output: Output<Name> }
  | { refused: { code: ErrorCode; text: Text } }
  | { failed: string };
