import type { ErrorCode } from "../../kit/errors.ts";
import type { Text } from "../../kit/locale.ts";
import type { Conversion, Converted } from "../builtin/format-data/convert.ts";
import type { PageBytes, Reading } from "../page/page.ts";

/** What each job takes and gives. */
interface Jobs {
  /** The text of a page. */
  page: { input: PageBytes; output: Reading };
  /** Data in another format. */
  convert: { input: Conversion; output: Converted };
}

export type JobName = keyof Jobs;
export type Input<Name extends JobName> = Jobs[Name]["input"];
export type Output<Name extends JobName> = Jobs[Name]["output"];

/** One job on its way to the child process. */
export interface Job<Name extends JobName = JobName> {
  name: Name;
  input: Input<Name>;
}

/** What comes back: what was made, an error that the job foresees, or one that it does not. */
export type Reply<Name extends JobName = JobName> =
  | { output: Output<Name> }
  | { refused: { code: ErrorCode; text: Text } }
  | { failed: string };
