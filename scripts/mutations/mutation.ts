/** One deliberate defect, and the tests that have to notice it. */
export interface Mutation {
  /** Short and unique; `npm run mutation -- ID` runs the rows whose id or file contains it. */
  id: string;
  file: string;
  /** Source text that occurs exactly once in the file. */
  text: string;
  /** What is put in its place. */
  becomes: string;
  /** Test files that are run against it; at least one of their tests has to fail. */
  tests: readonly string[];
  /** What users would lose if the defect stayed unnoticed. */
  endangers: string;
}
