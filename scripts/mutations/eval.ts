import type { Mutation } from "./mutation.ts";

/** Evaluations: their recordings, their money, and what they keep. */
export const evalMutations: readonly Mutation[] = [
  {
    id: "recording-masked",
    file: "src/eval/recording/recording-writer.ts",
    text: "await lines.append(redactValue(added, redact));",
    becomes: "await lines.append(added);",
    tests: ["test/eval/evaluation.test.ts"],
    endangers: "keys stand in recordings, which people share",
  },
  {
    id: "replay-invents",
    file: "src/eval/recording/attempt-replay.ts",
    text: "candidates.find((one) => toSortedJson(toAsked(one)) === written)",
    becomes: "candidates[0]",
    tests: ["test/eval/evaluation.test.ts"],
    endangers: "a replay answers what was never asked, and a change of the prompts goes unnoticed",
  },
  {
    id: "eval-apart",
    file: "src/eval/run-attempt.ts",
    text: "answerForm, isApart: true }",
    becomes: "answerForm }",
    tests: ["test/eval/evaluation.test.ts"],
    endangers:
      "what a model is asked depends on which cases came before, so that figures change and replays are refused",
  },
  {
    id: "eval-budget",
    file: "src/eval/run-evaluation.ts",
    text: "failure !== undefined || isBudgetUsed(shared)) break;",
    becomes: "failure !== undefined) break;",
    tests: ["test/eval/evaluation.test.ts"],
    endangers: "an evaluation spends more than it was allowed",
  },
  {
    id: "eval-consent",
    file: "src/eval/make-attempt.ts",
    text: "approves: book !== undefined,",
    becomes: "approves: true,",
    tests: ["test/eval/evaluation.test.ts"],
    endangers: "calls of real tools that need consent run without any",
  },
  {
    id: "results-kept",
    file: "src/eval/results-file.ts",
    text: "if (earlier.size > 0 && !goesOn)",
    becomes: "if (earlier.size < 0)",
    tests: ["test/eval/evaluation.test.ts"],
    endangers: "results that were paid for are mixed with those of another evaluation",
  },
  {
    id: "results-reused",
    file: "src/eval/run-evaluation.ts",
    text: "row.filter((attempt) => !takeEarlier(attempt, shared))",
    becomes: "row.filter((attempt) => takeEarlier(attempt, shared) || true)",
    tests: ["test/eval/evaluation.test.ts"],
    endangers: "a resumed evaluation asks, and pays, everything again",
  },
  {
    id: "eval-refused-key",
    file: "src/eval/run-attempt.ts",
    text: "if (error !== null && endingErrors.has(error.code))",
    becomes: "if (error === null && endingErrors.size === 0)",
    tests: ["test/eval/evaluation.test.ts"],
    endangers: "a refused key counts as wrong answers of the model, case after case",
  },
];
