import type { Reporter, TestModule, Vitest } from "vitest/node";
import type { Missing } from "./requirements.ts";

/** Says in the last lines of a run how many tests were skipped, why, and what makes them run. */
export default class SkipReporter implements Reporter {
  #pattern: RegExp | undefined;

  onInit(vitest: Vitest): void {
    this.#pattern = vitest.getGlobalTestNamePattern();
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const skipped = modules
      .flatMap((module) => [...module.children.allTests("skipped")])
      .filter(({ fullName }) => this.#pattern?.test(fullName) ?? true);
    const lines = toLines(skipped.flatMap((test) => test.meta().missing ?? []));
    if (lines.length > 0) process.stdout.write(`${lines.join("\n")}\n\n`);
  }
}

/** One line for each reason, the most frequent first. */
function toLines(skipped: readonly Missing[]): string[] {
  return [...Map.groupBy(skipped, ({ reason }) => reason)]
    .toSorted(([, left], [, right]) => right.length - left.length)
    .map(
      ([reason, all]) => `${all.length} ${all.length === 1 ? "test" : "tests"} skipped: ${reason}; ${all[0]?.remedy}`,
    );
}
