import type { Evaluator } from "../../agent/loop/evaluator.ts";
import type { MarkHabits } from "../../agent/loop/turn/answer-mark.ts";
import type { CustomPrompt } from "../../agent/prompts/choose-prompt.ts";
import type { Prompts } from "../../agent/prompts/prompts.ts";
import type { runAgent as RunAgent } from "../../agent/run-agent.ts";
import type { weighCatalog as WeighCatalog } from "../../agent/tools/catalog-weight.ts";
import type { Config } from "../../config/config.ts";
import type { Text } from "../../kit/locale.ts";
import { checkToolsDirectory } from "../tools/user-tools.ts";

/** Holds what the user wrote for the agent, in files that the configuration names. */
export interface UserAgentParts {
  prompts: readonly CustomPrompt[];
  evaluator?: Evaluator | undefined;
  /** Ends the evaluator's thread. */
  close(): Promise<void>;
}

/** Throws a `config` error for the first of them that cannot be used. `warn` is called when the evaluator ends by itself. */
export async function readUserAgentParts(
  { prompts: { directory }, agent, tools }: Config,
  warn: (line: Text) => void,
): Promise<UserAgentParts> {
  const { module } = agent.evaluation;
  const loading =
    module === undefined
      ? undefined
      : import("./load-evaluator.ts").then(({ openEvaluator }) => openEvaluator(module, warn));
  try {
    const [prompts, evaluator] = await Promise.all([
      directory === undefined
        ? []
        : import("./user-prompts.ts").then(({ readUserPrompts }) => readUserPrompts(directory)),
      loading,
      checkToolsDirectory(tools),
    ]);
    return { prompts, evaluator: evaluator?.evaluate, close: async () => evaluator?.close() };
  } catch (thrown) {
    void loading?.then(
      (evaluator) => evaluator.close(),
      () => {},
    );
    throw thrown;
  }
}

export interface Agent {
  runAgent: typeof RunAgent;
  weighCatalog: typeof WeighCatalog;
  prompts: Prompts;
  /** Is shared by all runs of the process that do not stand apart. */
  markHabits: MarkHabits;
  createMarkHabits: () => MarkHabits;
}

/** Imports the agent. */
export async function openAgent(userPrompts: readonly CustomPrompt[]): Promise<Agent> {
  const [{ runAgent }, { weighCatalog }, { createPrompts }, { createMarkHabits }] = await Promise.all([
    import("../../agent/run-agent.ts"),
    import("../../agent/tools/catalog-weight.ts"),
    import("../../agent/prompts/prompts.ts"),
    import("../../agent/loop/turn/answer-mark.ts"),
  ]);
  const markHabits = createMarkHabits();
  return { runAgent, weighCatalog, prompts: createPrompts(userPrompts), markHabits, createMarkHabits };
}
